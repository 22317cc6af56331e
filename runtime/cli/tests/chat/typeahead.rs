//! Lines that are typed before the chat asks for one.

use crate::chat_in;
use crate::folder::Folder;

/// An agent that asks after a while, and tells each input.
fn asker() -> Folder {
    Folder::new(&[
        ("cards/asker.md", "---\nruntime: [shell.execute, human.input]\napproval: []\n---\nAsk.\n"),
        (
            "script.yaml",
            r#"
asker:
  - calls: [{ tool: shell_execute, args: { command: "while [ ! -e go ]; do sleep 0.05; done" } }]
  - calls: [{ tool: human_input, args: { question: Which colour? } }]
  - say: I take {last}.
  - say: "One: {input}."
  - say: "Two: {input}."
"#,
        ),
    ])
}

#[test]
fn o1_lines_that_are_typed_before_a_question_do_not_answer_it() {
    for variables in [&[][..], &[("TERM", "dumb")]] {
        let folder = asker();
        let mut chat = chat_in(&folder, (80, 24), variables);
        chat.enter("ask");
        chat.until("the call", |shown| shown.contains("shell.execute"));
        chat.types("blue\rgr");
        std::thread::sleep(std::time::Duration::from_millis(200));
        folder.write("go", "");
        let shown = chat.until_shows("decline> ");
        assert!(shown.contains("(dropped, because it was typed before the question: blue gr)"), "{shown}");
        chat.types_until("red\r", "I take red.");
        chat.leave();
    }
}

#[test]
fn o1_lines_that_come_together_are_inputs_in_their_order() {
    let folder = asker();
    folder.write("go", "");
    let mut chat = chat_in(&folder, (80, 40), &[]);
    chat.until_prompt("");
    // The later lines are not answers either.
    chat.types_until("ask\raa\rbb\r", "decline> ");
    let shown = chat.types_until("red\r", "Two: bb.");
    let at = |part: &str| shown.find(part).unwrap_or_else(|| panic!("`{part}` in {shown}"));
    assert!(at("I take red.") < at("One: aa.") && at("One: aa.") < at("Two: bb."), "{shown}");
    chat.leave();
}

#[test]
fn o1_lines_that_are_typed_in_a_run_are_inputs_in_their_order() {
    let folder = Folder::new(&[
        ("cards/slow.md", "---\nruntime: [shell.execute]\napproval: []\n---\nWait.\n"),
        (
            "script.yaml",
            r#"
slow:
  - calls: [{ tool: shell_execute, args: { command: "while [ ! -e go ]; do sleep 0.05; done" } }]
  - say: Went.
  - say: "One: {input}."
  - say: "Two: {input}."
"#,
        ),
    ]);
    let mut chat = chat_in(&folder, (80, 40), &[]);
    chat.enter_until("go", "shell.execute");
    chat.types("aa\r");
    chat.types("bb\r");
    std::thread::sleep(std::time::Duration::from_millis(200));
    folder.write("go", "");
    let shown = chat.until_shows("Two: bb.");
    assert!(shown.contains("One: aa."), "{shown}");
    chat.leave();
}
