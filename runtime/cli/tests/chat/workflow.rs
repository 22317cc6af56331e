//! A chat with a workflow folder in a terminal.

use serde_json::json;

use crate::folder::Folder;
use crate::screen::Terminal;

fn intake(message: &str) -> Folder {
    Folder::new(&[
        (
            "Intake/orchestrator.json",
            &json!({ "start_agent": "Reception", "initial_message": message }).to_string(),
        ),
        (
            "Intake/agents.json",
            r#"{ "Clerk": { "instruction": "Take notes." }, "Reception": { "instruction": "Welcome the customer." } }"#,
        ),
        ("Intake/tools.json", r#"{ "agent_tools": { "Reception": [{ "path": "tools.add_one.add_one" }] } }"#),
        (
            "Intake/tools/add_one.rhai",
            "/// Adds one to a number.\n/// Args:\n///     x (int): The number.\nfn add_one(x) {\n    x + 1\n}\n",
        ),
        (
            "script.yaml",
            "Reception:\n  - calls: [{ tool: add_one, args: { x: 41 } }]\n  - say: \"{input} It is {last}.\"\n",
        ),
    ])
}

const CHAT: [&str; 5] = ["chat", "--workflow", "Intake", "--model", "script:script.yaml"];

fn chat_in(folder: &Folder) -> Terminal {
    Terminal::new(env!("CARGO_BIN_EXE_onionskin"), &folder.path(""), (80, 24), &[], &CHAT)
}

#[test]
fn c4_a_chat_with_a_workflow_offers_its_initial_message() {
    let folder = intake("How many?");
    let chat = &mut chat_in(&folder);
    let shown = chat.until_prompt("");
    assert_eq!(
        shown.trim_end(),
        "Chat with Reception. `/help` shows the commands.\nThe up arrow brings the initial message: How many?\nyou>"
    );
    chat.types("\u{1b}[A");
    chat.until_prompt("How many?");
    let shown = chat.types_to_prompt("\r");
    assert!(shown.contains("How many? It is 42.\n") && shown.contains("add_one"), "{shown}");
    chat.enter_until("/tools", "add_one  Adds one to a number.");
    chat.leave();
    assert!(chat.is_as_it_was());
}

#[test]
fn c4_an_initial_message_controls_no_terminal() {
    for message in ["two\nlines", "a\u{9b}31mb"] {
        let folder = intake(message);
        let chat = &mut chat_in(&folder);
        let shown = chat.until_prompt("");
        assert!(!shown.contains("initial message"), "{shown}");
        chat.types("\u{1b}[A");
        std::thread::sleep(std::time::Duration::from_millis(300));
        chat.leave();
        assert!(!chat.output().contains('\u{9b}'));
    }
}

#[test]
fn c4_a_chat_with_a_workflow_through_pipes_begins_with_the_first_line() {
    let ran = intake("How many?").pipe(b"Hello.\n", &CHAT);
    assert_eq!((ran.code, &*ran.words), (0, ""), "{ran:?}");
    assert!(ran.out.contains("Hello. It is 42.\n") && !ran.out.contains("How many?"), "{ran:?}");
}
