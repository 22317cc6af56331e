//! The rule for what the compiler says: one mistake, one error, and no word that nobody wrote.
#![allow(clippy::unwrap_used, reason = "tests may panic, in their helpers too")]

use std::fs;
use std::path::{Path, PathBuf};

/// The cases of the macros that do not compile.
fn cases() -> Vec<PathBuf> {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let folders = ["agent", "guardrail", "hook", "strict", "tool", "toolbox"];
    let folders = folders.map(|name| tests.join(name).join("fail"));
    let files = folders.iter().flat_map(|folder| fs::read_dir(folder).unwrap());
    files.map(|file| file.unwrap().path()).filter(|path| path.extension().unwrap() == "rs").collect()
}

fn words(case: &Path) -> String {
    fs::read_to_string(case.with_extension("stderr")).unwrap()
}

/// Where rustc adds errors that cannot be prevented, the case begins with the reason.
#[test]
fn a2_each_mistake_is_one_error() {
    let cases = cases();
    assert!(cases.len() > 250, "{} cases", cases.len());
    let several = cases.iter().filter(|case| {
        let errors = words(case).lines().filter(|line| line.starts_with("error")).count();
        errors != 1 && !fs::read_to_string(case).unwrap().starts_with("//")
    });
    assert_eq!(several.collect::<Vec<_>>(), Vec::<&PathBuf>::new());
}

#[test]
fn a2_nothing_generated_is_named() {
    let named = cases().into_iter().filter(|case| {
        let words = words(case);
        // A run of `_` is what rustc underlines with.
        words.match_indices("__").any(|(at, _)| {
            words[at..].trim_start_matches('_').starts_with(|c: char| c.is_ascii_alphanumeric())
        })
    });
    assert_eq!(named.collect::<Vec<_>>(), Vec::<PathBuf>::new());
}
