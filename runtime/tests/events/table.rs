//! The book's table of events.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The variants of `EventKind`, each with its fields, as the source declares them.
fn declared(source: &str) -> BTreeMap<String, Vec<String>> {
    let body = source.split_once("pub enum EventKind {").unwrap().1.split_once("\n}").unwrap().0;
    let mut kinds: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut kind = String::new();
    for line in body.lines() {
        if let Some(name) = line.strip_prefix("    ").and_then(|line| line.strip_suffix(" {")) {
            name.clone_into(&mut kind);
            kinds.entry(kind.clone()).or_default();
        } else if let Some((field, _)) = line.strip_prefix("        ").and_then(|line| line.split_once(": "))
            && field.chars().all(|c| c.is_ascii_lowercase() || c == '_')
        {
            kinds.entry(kind.clone()).or_default().push(field.to_owned());
        }
    }
    kinds
}

/// The rows of the table: the event, and the words in backquotes of its second cell.
fn listed(page: &str) -> BTreeMap<String, Vec<String>> {
    let table = page.split_once("| event | fields |").expect("the page has the table").1;
    let rows = table.lines().skip(2).take_while(|line| line.starts_with("| `"));
    let words = |cell: &str| cell.split('`').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>();
    rows.map(|row| {
        let mut cells = row.split('|').skip(1);
        let kind = words(cells.next().unwrap()).remove(0);
        (kind, words(cells.next().unwrap()))
    })
    .collect()
}

#[test]
fn a8_the_book_lists_each_event_with_its_fields() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let declared = declared(&fs::read_to_string(root.join("tools/src/event/mod.rs")).unwrap());
    assert!(declared.len() > 14, "{declared:?}");
    assert_eq!(
        listed(&fs::read_to_string(root.join("../docs/book/src/reference/events.md")).unwrap()),
        declared
    );
}
