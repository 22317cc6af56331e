//! The program of a project that `onionskin new` makes, with the cards of the project.

#![allow(clippy::unwrap_used, reason = "tests may panic, in their helpers too")]

use std::path::Path;
use std::process::{Command, Output};

const SCRIPT: &str = "script:script.yaml";

/// What the program prints in a folder, and its exit code.
fn run(folder: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    // Cargo builds it beside the folder of the tests.
    let tests = std::env::current_exe().unwrap();
    let program = tests.ancestors().nth(2).unwrap().join("examples/new_project");
    let Output { status, stdout, stderr } = Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .env("XDG_CONFIG_HOME", folder)
        .env_remove("OPENAI_API_KEY")
        .output()
        .unwrap();
    eprint!("{}", String::from_utf8_lossy(&stderr));
    (status.code(), String::from_utf8(stdout).unwrap())
}

#[test]
fn o1_the_program_of_a_new_project_runs() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(run(folder.path(), &["new", "help-desk"]), (Some(0), String::new()));
    let project = folder.path().join("help-desk");
    let run = |arguments: &[&str]| run(&project, arguments);

    let version = concat!("new_project ", env!("CARGO_PKG_VERSION"), "\n");
    assert_eq!(run(&["--version"]), (Some(0), version.to_owned()));
    let asked = run(&["run", "--model", SCRIPT, "How many letters has onion?"]);
    assert_eq!(asked, (Some(0), "It has 5 letters.\n".to_owned()));
    let asked = run(&["run", "--card", "cards/helper.md", "--model", SCRIPT, "What is 41 + 1?"]);
    assert_eq!(asked, (Some(0), "It is 42.\n".to_owned()));
    assert_eq!(run(&["check"]), (Some(0), String::new()));

    // A card can name the tool in Rust.
    let card = "---\nfunction_tools: [\"crate::count_letters\"]\n---\nCount.\n";
    std::fs::write(project.join("cards/words.md"), card).unwrap();
    assert_eq!(run(&["check"]), (Some(0), String::new()));
}
