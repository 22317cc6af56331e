//! What does not compile, and what the compiler says about it: `fail/<macro>/<case>.rs`, and all of its words beside it in
//! `<case>.stderr`.
//!
//! `cargo test -p onionskin-ui-tests --test fail` checks all of them. `ONIONSKIN_CASE=tool/unknown` checks those whose paths
//! hold the text. `ONIONSKIN_BLESS=1` writes the `.stderr` files, which are then read as the person reads them who made the
//! mistake.
//!
//! An error that the macros write alone needs no rustc: its case is in `macros/tests/errors`, and `macros/src/golden`
//! compares it. That rustc shows the same is an ignored test here, which `.ci/run` runs.
#![allow(clippy::unwrap_used, reason = "tests may panic, in their helpers too")]

mod normal;
mod project;
mod words;

use std::collections::BTreeMap;
use std::fs;
use std::sync::LazyLock;

use project::{check, programs, root};

/// The folders of cases, and how many cases each has at least.
const FOLDERS: [(&str, usize); 7] = [
    ("agent", 44),
    ("guardrail", 16),
    ("half_typed", 16),
    ("hook", 46),
    ("strict", 27),
    ("tool", 76),
    ("toolbox", 12),
];

/// What rustc says about each case: one run of cargo for all of them.
static SHOWN: LazyLock<BTreeMap<String, String>> = LazyLock::new(|| {
    let programs: Vec<_> =
        FOLDERS.iter().flat_map(|(name, _)| programs(&format!("ui-tests/tests/fail/{name}"))).collect();
    check("fail", &programs)
});

/// Compares the cases of a folder with what rustc says about them.
fn holds(folder: &str, at_least: usize, shown: &BTreeMap<String, String>) {
    let programs = programs(folder);
    let all = std::env::var_os("ONIONSKIN_CASE").is_none();
    assert!(!all || programs.len() >= at_least, "{} cases, where there were {at_least}", programs.len());
    let mut failures = Vec::new();
    for program in &programs {
        let golden = root().join(program).with_extension("stderr");
        let found = &shown[program];
        if found.is_empty() {
            failures.push(format!("{program}: it compiles"));
            continue;
        }
        if std::env::var_os("ONIONSKIN_BLESS").is_some() {
            fs::write(&golden, found).unwrap();
        }
        match fs::read_to_string(golden) {
            Ok(wanted) if wanted == *found => {}
            Ok(wanted) => failures.push(format!("{program}: wanted:\n{wanted}\nfound:\n{found}")),
            Err(_) => failures.push(format!("{program}: it has no .stderr file; found:\n{found}")),
        }
    }
    for entry in fs::read_dir(root().join(folder)).unwrap() {
        let file = entry.unwrap().path();
        if !file.with_extension("rs").exists()
            || file.extension().is_none_or(|extension| extension != "rs" && extension != "stderr")
        {
            failures.push(format!("{}: it belongs to no case", file.display()));
        }
    }
    let count = (failures.len(), programs.len());
    assert!(
        failures.is_empty(),
        "{} of {} cases differ; ONIONSKIN_BLESS=1 writes them anew\n\n{}",
        count.0,
        count.1,
        failures.join("\n\n")
    );
}

fn cases(name: &str) {
    let (_, at_least) = FOLDERS.into_iter().find(|(folder, _)| *folder == name).unwrap();
    holds(&format!("ui-tests/tests/fail/{name}"), at_least, &SHOWN);
}

#[test]
fn a2_agent() {
    cases("agent");
}

#[test]
fn a2_guardrail() {
    cases("guardrail");
}

/// What is in an editor while somebody types: rustc says what is missing, and we say nothing.
#[test]
fn a2_half_typed() {
    cases("half_typed");
}

#[test]
fn a2_hook() {
    cases("hook");
}

#[test]
fn a2_strict() {
    cases("strict");
}

#[test]
fn a2_tool() {
    cases("tool");
}

#[test]
fn a2_toolbox() {
    cases("toolbox");
}

/// `macros/src/golden` shows these errors without rustc. Rustc shows the same, and no other.
#[test]
#[ignore = "it proves again what `macros/src/golden` has proved, with rustc; `.ci/run` runs it"]
fn a2_the_macros_own_errors_are_shown_so_by_rustc() {
    let folders = FOLDERS.iter().map(|(name, _)| format!("macros/tests/errors/{name}"));
    let folders: Vec<_> = folders.filter(|folder| root().join(folder).exists()).collect();
    assert_eq!(folders.len(), 6, "a folder for each macro");
    let all: Vec<_> = folders.iter().flat_map(|folder| programs(folder)).collect();
    let shown = check("errors", &all);
    for folder in &folders {
        holds(folder, 15, &shown);
    }
}
