//! The PMO report from the command line, as a user runs it.

#![allow(clippy::unwrap_used, reason = "tests may panic, in their helpers too")]

use std::path::Path;
use std::process::{Command, Output};

const SCRIPT: &str = "script:examples/src/bin/pmo/script.yaml";
const INPUT: &str = "Run PMO report and add 1 to 3";

/// The cards in the order of the program's agents.
const ONE_BY_ONE: [&str; 6] = [
    "--card",
    "examples/cards/pmo.md",
    "--card",
    "examples/cards/ny-project-manager.md",
    "--agent-cards",
    "examples/cards/london-project-manager.md",
];

/// What a program prints and says. It is started in the folder of the workspace, as the paths of the cards are.
fn run(program: &str, arguments: &[&str]) -> (String, String) {
    // The server of the program is beside it.
    assert!(Path::new(env!("CARGO_BIN_EXE_time_server")).exists());
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let Output { status, stdout, stderr } = Command::new(program)
        .args(arguments)
        .current_dir(root)
        .env_remove("OPENAI_API_KEY")
        .output()
        .unwrap();
    let words = String::from_utf8(stderr).unwrap();
    assert!(status.success(), "{words}");
    (String::from_utf8(stdout).unwrap(), words)
}

fn reports(arguments: &[&str]) -> (String, String) {
    run(env!("CARGO_BIN_EXE_reports"), arguments)
}

#[test]
fn o1_the_report_of_the_cards_is_that_of_the_program() {
    let (whole, _) = run(env!("CARGO_BIN_EXE_pmo"), &["--script"]);
    let (_, answer) = whole.split_once("--- answer ---\n").unwrap();
    let (answer, _) = answer.split_once("\n\n").unwrap();
    let pmo = "examples/cards/pmo.md";
    let project_managers =
        ["examples/cards/ny-project-manager.md", "examples/cards/london-project-manager.md"];
    let cards: [Vec<&str>; 3] = [
        vec!["--card", "examples/cards"],
        // It finds its children beside it.
        vec!["--card", pmo],
        vec!["--card", pmo, "--card", project_managers[0], "--agent-cards", project_managers[1]],
    ];
    for cards in cards {
        let (said, words) = reports(&[&["run", "-v", "--model", SCRIPT, INPUT], &*cards].concat());
        assert_eq!(said.trim_end(), answer);
        for call in
            ["calls agent__NY-Project-Manager", "calls time__get_current_time", "got shell.execute: denied: "]
        {
            assert!(words.contains(call), "{call}: {words}");
        }
        assert_eq!(words.matches("PMO-orchestrator calls agent__NY-Project-Manager").count(), 3, "{words}");
    }
    // Without a key, the program plays the script by itself.
    assert_eq!(reports(&["run", "--card", pmo, INPUT]).0.trim_end(), answer);
}

#[test]
fn o1_the_agents_of_the_cards_are_shown() {
    let (page, _) = reports(&[&["docs"], &ONE_BY_ONE[..]].concat());
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    assert_eq!(page, std::fs::read_to_string(root.join("docs/book/src/tutorial/pmo.md")).unwrap());
    let (list, _) = reports(&["list", "--card", "examples/cards"]);
    assert!(list.contains("time__get_current_time") && list.contains("tool hooks: audit"), "{list}");
    assert_eq!(reports(&["check", "examples/cards"]).0, "");
}
