//! The tables beside what people and editors read.

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use super::{Key, find};
use crate::param::{Arg, BindOptions};
use crate::tool::{CacheOptions, Hints, Options as Tool};
use crate::toolbox::Options as Toolbox;
use crate::{agent_hooks, guardrail, hook};

/// Holds a page of the documentation to these keys: each row of its tables that begins as a row of a key does is that row,
/// and no row is missing.
pub(crate) fn assert_documented<R>(page: &str, heading: &str, keys: &[Key<R>]) {
    let text = read(&format!("docs/{page}"));
    let (_, section) = text.split_once(heading).unwrap_or_else(|| panic!("{page} has no {heading:?}"));
    let section = section.split("\n# ").next().unwrap_or_default();
    let mut found: Vec<&str> = section.lines().filter(|line| line.starts_with("| `")).collect();
    let rows: Vec<_> = keys.iter().map(|key| format!("| {} |", key.row.trim())).collect();
    let mut rows: Vec<&str> = rows.iter().map(String::as_str).collect();
    found.sort_unstable();
    rows.sort_unstable();
    assert_eq!(found, rows, "the table under {heading:?} in {page} differs from the keys");
    for key in keys {
        assert!(key.row.contains(&format!("`{}", key.name)), "the row of `{}` is of another key", key.name);
    }
}

/// A file of the runtime.
fn read(file: &str) -> String {
    std::fs::read_to_string(runtime().join(file)).unwrap()
}

fn runtime() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../runtime/core/src")
}

/// Holds the words that editors show for these keys, in `__private0/keys.rs` of the runtime, to their rows.
/// `TRYBUILD=overwrite` writes them.
pub(crate) fn assert_shown<R>(module: &str, keys: &[Key<R>]) {
    /// One test writes at a time.
    static FILE: Mutex<()> = Mutex::new(());
    let _alone = FILE.lock().unwrap_or_else(PoisonError::into_inner);
    let text = read("__private0/keys.rs");
    let (before, rest) = text
        .split_once(&format!("\n    {module} {{\n"))
        .unwrap_or_else(|| panic!("the keys of the runtime have no module `{module}`"));
    let (found, after) = rest.split_once("    }\n").unwrap();
    // `crate` is a keyword, so no constant has this name.
    let shown: String = keys.iter().filter(|key| key.name != "crate").map(shown).collect();
    if crate::pages::overwrites() {
        let text = format!("{before}\n    {module} {{\n{shown}    }}\n{after}");
        std::fs::write(runtime().join("__private0/keys.rs"), text).unwrap();
    } else {
        assert_eq!(
            found, shown,
            "the words of `{module}` differ from the rows; TRYBUILD=overwrite writes them anew"
        );
    }
}

/// The constant of a key: how it is written, and what it does as a sentence.
fn shown<R>(key: &Key<R>) -> String {
    let (form, words) = key.row.trim().split_once(" | ").unwrap();
    let mut sentence: String =
        words.chars().take(1).flat_map(char::to_uppercase).chain(words.chars().skip(1)).collect();
    if !sentence.ends_with('.') {
        sentence.push('.');
    }
    let mut shown = format!("        /// {form}\n        ///\n");
    let mut line = String::new();
    for word in sentence.split(' ') {
        // 120 columns with the indent and `/// `.
        if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > 108 {
            shown.push_str(&format!("        /// {line}\n"));
            line.clear();
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    shown.push_str(&format!("        /// {line}\n        {}\n", key.name));
    shown
}

#[test]
fn the_page_of_each_attribute_and_editors_list_its_options() {
    for (attribute, keys) in [
        ("tool", Tool::KEYS.to_vec()),
        ("toolbox", Toolbox::KEYS.to_vec()),
        ("tool_hook", hook::ATTRIBUTE.keys()),
        ("run_hook", agent_hooks::RUN.keys()),
        ("turn_hook", agent_hooks::TURN.keys()),
        ("message_hook", agent_hooks::MESSAGE.keys()),
        ("guardrail", guardrail::ATTRIBUTE.keys()),
    ] {
        assert_documented(&format!("{attribute}.md"), "# Options", &keys);
        assert_shown(attribute, &keys);
    }
}

#[test]
fn the_page_of_tools_and_editors_list_each_option_of_a_parameter() {
    let page = read("docs/tool.md");
    for key in Arg::KEYS {
        let (forms, words) = key.row.trim().split_once(" | ").unwrap();
        let forms: Vec<_> =
            forms.split(", ").map(|form| format!("`#[arg({})]`", form.trim_matches('`'))).collect();
        let row = format!("\n| {} | {words} |\n", forms.join(", "));
        assert!(page.contains(&row), "the page has no row {row}");
    }
    assert_shown("arg", Arg::KEYS);
    assert_shown("bind", BindOptions::KEYS);
}

#[test]
fn the_row_of_annotations_and_editors_list_each_hint() {
    let row = find(Tool::KEYS, "annotations").unwrap().row;
    for hint in Hints::KEYS {
        assert!(row.contains(hint.name), "{} is not in the row of `annotations`", hint.name);
    }
    assert_shown("annotations", Hints::KEYS);
}

#[test]
fn an_editor_shows_each_option_of_a_cache() {
    assert_shown("cache", CacheOptions::KEYS);
}
