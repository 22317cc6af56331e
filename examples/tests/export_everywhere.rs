//! The exports, run as a user runs them.
#![allow(clippy::unwrap_used, reason = "tests may panic")]

#[path = "shared/example.rs"]
mod example;

use serde_json::Value;

#[test]
fn s3_every_form_is_shown_with_its_size_and_what_strict_changes() {
    let shown = example::run(env!("CARGO_BIN_EXE_export_everywhere"), &[]);
    let forms: Vec<_> = shown.split("--- ").filter_map(|form| form.split_once(" ---\n")).collect();
    assert_eq!(forms.len(), 11, "{shown}");
    for (head, form) in &forms[..7] {
        let (name, bytes) = head.rsplit_once(": ").unwrap();
        let json: Value = serde_json::from_str(form.split("\n\nstrict").next().unwrap()).unwrap();
        assert_eq!(bytes, format!("{} bytes", json.to_string().len()), "{name}");
        assert!(json.to_string().contains("Searches the library for records."), "{name}");
    }
    let strict = |name: &str| forms.iter().find(|(head, _)| head.starts_with(name)).unwrap().1;
    assert!(strict("OpenAI, chat").contains("\n+     \"strict\": true"), "{}", strict("OpenAI, chat"));
    assert!(strict("MCP").contains("strict: the same"), "{}", strict("MCP"));
    assert!(shown.contains("- `search(query, limit=10, since=null, order=\"best\")`"), "{shown}");
    assert!(shown.contains("\nbytes                              as is  strict\n"), "{shown}");
}
