//! Compares `docs/requirements.md` with the tests: each row has a test, a page or the word "later", and each test that is
//! named after a row has its row on the page.
#![allow(clippy::unwrap_used, reason = "tests may panic, in their helpers too")]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

const PAGE: &str = include_str!("../../docs/requirements.md");

/// The order of the page's parts.
const PARTS: &str = "TSLHACUO";

struct Row {
    /// Such as `H5`.
    name: &'static str,
    shown_by: &'static str,
}

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

fn rows() -> Vec<Row> {
    let lines = PAGE.lines().filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |"));
    let cells = lines.map(|line| line.split(" | ").collect::<Vec<_>>());
    let rows = cells.filter(|cells| cells[0] != "row").map(|cells| match cells[..] {
        [name, _, shown_by] => Row { name, shown_by },
        _ => panic!("a row has three cells: {cells:?}"),
    });
    rows.collect()
}

/// The place of a row on the page: its part, then its number.
fn place(row: &str) -> (usize, u32) {
    let (part, number) = row.split_at(1);
    let part = PARTS.find(part).unwrap_or_else(|| panic!("`{row}` is in no part"));
    (part, number.parse().unwrap_or_else(|_| panic!("`{row}` has no number")))
}

/// The names of the functions in all Rust files beneath a folder.
fn functions(folder: &Path, into: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            if path.file_name().is_none_or(|name| name != "target") {
                functions(&path, into);
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let code = fs::read_to_string(&path).unwrap();
            let names = code.split("fn ").skip(1);
            let names =
                names.map(|rest| rest.split(|c: char| c != '_' && !c.is_alphanumeric()).next().unwrap());
            into.extend(names.map(str::to_owned));
        }
    }
}

fn all_functions() -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for member in ["bench", "examples", "judges", "macros", "runtime", "ui-tests"] {
        functions(&root().join(member), &mut names);
    }
    names
}

/// The row at the front of a test's name: `H5` of `h5_agent_hooks_wrap_tool_hooks`.
fn row_of(test: &str) -> Option<String> {
    let test = test.strip_prefix("long_").unwrap_or(test);
    let (row, _) = test.split_once('_')?;
    let number = row.strip_prefix(|c: char| c.is_ascii_lowercase())?;
    (!number.is_empty() && number.bytes().all(|b| b.is_ascii_digit())).then(|| row.to_uppercase())
}

#[test]
fn rows_are_sorted_and_none_is_there_twice() {
    let places: Vec<_> = rows().iter().map(|row| place(row.name)).collect();
    assert!(places.is_sorted_by(|a, b| a < b), "{places:?}");
    let parts: BTreeSet<_> = places.iter().map(|(part, _)| *part).collect();
    assert_eq!(parts.len(), PARTS.len(), "a part has no row");
}

#[test]
fn every_row_has_a_test_a_page_or_the_word_later() {
    let functions = all_functions();
    for Row { name, shown_by } in rows() {
        let tests: Vec<_> = shown_by.split('`').skip(1).step_by(2).collect();
        for test in &tests {
            assert!(row_of(test).is_some(), "{name}: `{test}` is not named after a row");
            assert!(functions.contains(*test), "{name}: there is no test `{test}`");
        }
        // The test of the book follows the links.
        let has_page = shown_by.contains("](");
        let later = shown_by == "later" || shown_by.starts_with("later: ") || shown_by.contains(", later: ");
        assert!(!tests.is_empty() || has_page || later, "{name}: nothing shows it");
        assert!(
            shown_by != "later" || !functions.iter().any(|test| row_of(test).as_deref() == Some(name)),
            "{name}: it is said to come later, and has a test",
        );
    }
}

#[test]
fn every_test_that_is_named_after_a_row_has_its_row() {
    let rows: BTreeSet<_> = rows().iter().map(|row| row.name.to_owned()).collect();
    let mut found = 0;
    for function in all_functions() {
        if let Some(row) = row_of(&function) {
            assert!(rows.contains(&row), "`{function}`: the page has no row {row}");
            found += 1;
        }
    }
    assert!(found > 500, "only {found} tests named after rows were found");
}
