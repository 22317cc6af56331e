//! What does not compile, and what the compiler says about it: `cases` says what a case is.
//!
//! `cargo test -p onionskin-ui-tests --test fail` checks all of them.
//!
//! An error that the macros write alone needs no rustc: its case is in `macros/tests/errors`, and `macros/src/golden`
//! compares it. That rustc shows the same is an ignored test here, which `.ci/run` runs.
#![allow(clippy::unwrap_used, reason = "tests may panic, in their helpers too")]

mod cases;
mod normal;
#[path = "../../../cards/tests/pages/mod.rs"]
mod pages;
mod project;
mod words;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use cases::{hold, programs};
use project::{check, root};

/// The folders of cases, and how many cases each has at least.
const FOLDERS: [(&str, usize); 17] = [
    ("agent", 49),
    ("answer", 13),
    ("card", 5),
    ("guardrail", 17),
    ("run_hook", 15),
    ("half_typed", 16),
    ("hook", 53),
    ("loader", 22),
    ("message_hook", 9),
    ("program", 6),
    ("strict", 27),
    ("tool", 81),
    ("toolbox", 13),
    ("turn_hook", 8),
    ("unused", 7),
    ("visit", 1),
    ("workflow", 4),
];

/// What rustc says about each case: one run of cargo for all of them.
static SHOWN: LazyLock<BTreeMap<String, String>> = LazyLock::new(|| {
    let programs: Vec<_> = FOLDERS
        .iter()
        .flat_map(|(name, _)| programs(root(), &format!("ui-tests/tests/fail/{name}")))
        .collect();
    check("fail", &programs)
});

/// Compares the cases of a folder with what rustc says about them.
fn holds(folder: &str, at_least: usize, shown: &BTreeMap<String, String>) {
    hold(root(), folder, at_least, |program| match &shown[program] {
        nothing if nothing.is_empty() => Err("it compiles".to_owned()),
        found => Ok(found.clone()),
    });
}

fn words_of(name: &str) {
    let (_, at_least) = FOLDERS.into_iter().find(|(folder, _)| *folder == name).unwrap();
    holds(&format!("ui-tests/tests/fail/{name}"), at_least, &SHOWN);
}

#[test]
fn a2_agent() {
    words_of("agent");
}

#[test]
fn a8_answer() {
    words_of("answer");
}

#[test]
fn c2_card() {
    words_of("card");
}

#[test]
fn a9_run_hook() {
    words_of("run_hook");
}

#[test]
fn a9_turn_hook() {
    words_of("turn_hook");
}

#[test]
fn a10_message_hook() {
    words_of("message_hook");
}

#[test]
fn a2_guardrail() {
    words_of("guardrail");
}

/// Programs that are half typed in an editor: rustc reports what is missing, and our macros report nothing.
#[test]
fn a2_half_typed() {
    words_of("half_typed");
}

#[test]
fn a2_hook() {
    words_of("hook");
}

#[test]
fn o1_program() {
    words_of("program");
}

#[test]
fn c3_loader() {
    words_of("loader");
}

#[test]
fn a2_strict() {
    words_of("strict");
}

#[test]
fn a2_tool() {
    words_of("tool");
}

#[test]
fn c4_workflow() {
    words_of("workflow");
}

#[test]
fn a2_toolbox() {
    words_of("toolbox");
}

/// The words are warnings.
#[test]
fn a2_items_that_nothing_uses() {
    words_of("unused");
}

#[test]
fn a2_visit_secrets() {
    words_of("visit");
}
