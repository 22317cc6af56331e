//! A run in a terminal.

use std::fs::File;
use std::io::{Read as _, Write as _};

use nix::pty::openpty;

use crate::folder::{Folder, PAINT};

/// Runs the program in a terminal in which a person writes lines, each once a text is shown, and gives its exit code and all that the
/// terminal shows.
pub(crate) fn in_terminal(folder: &Folder, typed: &[(&str, &str)], arguments: &[&str]) -> (i32, String) {
    let ends = openpty(None, None).unwrap();
    let (mut person, terminal) = (File::from(ends.master), File::from(ends.slave));
    let mut command = folder.command(arguments);
    command.stdin(terminal.try_clone().unwrap()).stdout(terminal.try_clone().unwrap()).stderr(terminal);
    let mut program = command.spawn().unwrap();
    // The program alone holds the other end now.
    drop(command);
    let (mut shown, mut typed) = (Vec::new(), typed.iter());
    let mut next = typed.next();
    loop {
        while let Some((_, line)) = next.filter(|(text, _)| String::from_utf8_lossy(&shown).contains(text)) {
            person.write_all(line.as_bytes()).unwrap();
            next = typed.next();
        }
        let mut part = [0; 4096];
        // When the other end is closed, reading ends with an error.
        let Ok(count @ 1..) = person.read(&mut part) else { break };
        shown.extend_from_slice(&part[..count]);
    }
    (program.wait().unwrap().code().unwrap(), String::from_utf8(shown).unwrap().replace("\r\n", "\n"))
}

#[test]
fn o1_a_terminal_shows_the_text_and_asks_questions() {
    let folder = Folder::asker(
        "",
        "  - say: \"One \\e[31mquestion.\"\n    calls: [{ tool: human_input, args: { question: Which colour? } }]\n  - say: \"I take {last}.\"\n",
    );
    let (code, shown) = in_terminal(&folder, &[("decline> ", "red\n")], &PAINT);
    assert_eq!(code, 0, "{shown}");
    for part in ["One \\u{1b}[31mquestion.\n", "Which colour?", "I take red.\n"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert_eq!(shown.matches("I take red.").count(), 1, "{shown}");
    assert!(!shown.contains('\u{1b}'), "{shown}");
}

#[test]
fn o1_a_wrong_answer_in_a_terminal_says_what_fits() {
    let folder = Folder::asker(
        "",
        "  - calls: [{ tool: human_input, args: { question: Which colour?, choices: [red, blue] } }]\n  - say: \"I take {last}.\"\n",
    );
    let typed = [("decline> ", "green\n"), ("does not fit", "1\n")];
    let (code, shown) = in_terminal(&folder, &typed, &PAINT);
    assert_eq!(code, 0, "{shown}");
    for part in [
        "asker: Which colour?\n  1 red\n  2 blue\n1 to 2, or nothing to decline> ",
        "\nthis does not fit: expected one of ",
        "I take red.\n",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert!(!shown.contains("human.input") && !shown.contains("turn 1"), "{shown}");
}

#[test]
fn o1_a_terminal_without_an_input_says_what_to_write() {
    let (code, shown) = in_terminal(
        &Folder::adder(),
        &[],
        &["run", "--card", "cards/adder.md", "--model", "script:script.yaml"],
    );
    assert_eq!(code, 2);
    assert!(shown.contains("there is no input: write it behind the options, or pipe it"), "{shown}");
}

#[test]
fn o1_a_line_that_is_typed_before_a_question_does_not_answer_it() {
    let folder = Folder::asker(
        "",
        "  - wait_ms: 1000\n    say: Wait.\n    calls: [{ tool: human_input, args: { question: Which colour? } }]\n  - say: \"I take {last}.\"\n",
    );
    let (code, shown) = in_terminal(&folder, &[("", "blue\ngr"), ("decline> ", "red\n")], &PAINT);
    assert_eq!(code, 0, "{shown}");
    assert!(shown.contains("dropped, because it was typed before the question: blue gr\n"), "{shown}");
    assert!(shown.contains("I take red.\n"), "{shown}");
}

#[test]
fn c4_a_workflow_begins_in_a_terminal_and_asks_there() {
    let folder = Folder::new(&[
        ("Intake/orchestrator.json", r#"{ "start_agent": "Desk", "initial_message": "Paint." }"#),
        ("Intake/agents.json", r#"{ "Desk": { "instruction": "Ask.", "runtime": ["human.input"] } }"#),
        (
            "script.yaml",
            "Desk:\n  - say: \"{input}\"\n    calls: [{ tool: human_input, args: { question: Which colour? } }]\n  - say: \"I take {last}.\"\n",
        ),
    ]);
    let arguments = ["run", "--workflow", "Intake", "--model", "script:script.yaml"];
    let (code, shown) = in_terminal(&folder, &[("decline> ", "red\n")], &arguments);
    assert_eq!(code, 0, "{shown}");
    for part in ["Paint.\n", "Which colour?", "I take red.\n"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
}
