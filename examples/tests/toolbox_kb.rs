//! The knowledge base, run as a user runs it.
#![allow(clippy::unwrap_used, reason = "tests may panic, in their helpers too")]

#[path = "shared/example.rs"]
mod example;

#[test]
fn t9_the_handbook_and_its_archive_are_searched_and_read() {
    let shown = example::run(env!("CARGO_BIN_EXE_toolbox_kb"), &[]);
    assert!(
        shown.contains("- `search(query, limit=10)`\n    Finds documents of the knowledge base"),
        "{shown}"
    );
    assert!(
        shown.contains("search NEAR(\"moon\" AND (sill*\n     = [{")
            && shown.contains("search submarine\n     = []")
    );
    for call in ["search", "archive_search", "get", "archive_get"] {
        assert!(shown.contains(&format!("harbour-master calls {call} (function)")), "{call}: {shown}");
    }
    assert!(shown.contains("= no document has the id 99; `search` returns the ids of documents"), "{shown}");
    assert!(
        shown.contains("--- answer ---\n2.40 a metre, showers included; last year it was 2.10"),
        "{shown}"
    );
    assert!(shown.contains("4 turns, 5 tool calls"), "{shown}");
    assert!(shown.trim_end().ends_with("for `showers`: Berths"), "{shown}");
}

#[test]
fn t9_a_file_keeps_the_handbook() {
    let file = std::env::temp_dir().join(format!("onionskin-example-{}.sqlite", std::process::id()));
    let run = || example::run(env!("CARGO_BIN_EXE_toolbox_kb"), &[file.to_str().unwrap()]);
    let (first, again) = (run(), run());
    for end in ["", "-wal", "-shm"] {
        let _ = std::fs::remove_file(format!("{}{end}", file.display()));
    }
    let found = |shown: &str| shown.lines().find(|line| line.starts_with("     = [{")).map(str::to_owned);
    assert_eq!(found(&first), found(&again), "the documents are there once");
}
