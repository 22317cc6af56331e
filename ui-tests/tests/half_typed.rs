//! What stands in an editor while somebody types: rustc says what is missing, and we say nothing.

use std::fs;
use std::path::Path;

#[test]
fn half_typed() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/half_typed/*.rs");
}

#[test]
fn none_of_the_words_are_ours() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/half_typed");
    let mut seen = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "stderr") {
            let words = fs::read_to_string(&path).unwrap();
            assert!(!words.contains("this error originates in"), "{}:\n{words}", path.display());
            assert!(!words.contains("macro expansion"), "{}:\n{words}", path.display());
            seen += 1;
        }
    }
    assert!(seen >= 15, "{seen} cases");
}
