//! A chat in a terminal.

use crate::folder::Folder;
use crate::{chat_in, desk};

#[test]
fn o1_a_conversation_in_a_terminal() {
    let folder = desk();
    let mut chat = chat_in(&folder, (80, 24), &[]);
    chat.enter("hello");
    // The text is there, and the tree below it is alive.
    let shown = chat.until_shows("  └ • shell.execute · 0.3 s");
    let at = |part: &str| shown.find(part).unwrap_or_else(|| panic!("`{part}` in {shown}"));
    assert!(at("Let me see.") < at("desk · 0."), "{shown}");
    assert!(at("desk · 0.") < at("├ ✓ shell.execute · 0.0 s  {\"command\":\"echo one\"} → one"), "{shown}");
    assert!(at("→ one") < at("└ • helper[1] · 0.") && shown.contains("tokens"), "{shown}");
    folder.write("go", "");

    // The tree stays, and the terminal is the user's again.
    let shown = chat.until_prompt("");
    let end = shown.split("All is well:\nyours, \\u{1b}[31mthe desk.\n").nth(1).expect(&shown);
    let lines: Vec<_> = end.lines().collect();
    assert!(lines[0].starts_with("desk · ") && lines[0].ends_with(" tokens"), "{shown}");
    assert!(
        lines[2].starts_with("└ ✓ helper[1] · ") && lines[2].contains("{\"input\":\"Look.\"} → Looked."),
        "{shown}"
    );
    assert!(lines[3].starts_with("  └ ✓ shell.execute · "), "{shown}");
    assert_eq!(lines.len(), 5, "{shown}");

    // A question is asked in place; while it is open, the tree does not write over it.
    let shown = chat.types_until("paint it\r", "Which colour?\na text, or nothing to decline> ");
    assert!(shown.contains("desk: Which colour?\n") && !shown.contains("{\"question\""), "{shown}");
    chat.types("red");
    std::thread::sleep(std::time::Duration::from_millis(300));
    assert!(chat.shows().trim_end().ends_with("decline> red"), "{}", chat.shows());
    let shown = chat.types_to_prompt("\r");
    assert!(shown.contains("I take red.\n"), "{shown}");

    // The arrow keys bring inputs back, and no answers.
    chat.types("\u{1b}[A");
    chat.until_prompt("paint it");
    chat.types("\u{1b}[A");
    chat.until_prompt("hello");
    chat.types("\u{1b}[B");
    chat.until_prompt("paint it");
    // Ctrl-C drops a line that was begun, and does not end the chat.
    chat.types_to_prompt("\u{3}");

    let shown = chat.types_until("/usage\r", "conversation: ");
    assert!(shown.contains("last run: ") && shown.contains("model turns: 2, tool calls: 1"), "{shown}");
    chat.types_until("/tools\r", "agent__helper  Looks things up.\n");
    chat.types_until("/system\r", "Serve the customer.\n");
    chat.types_until("/tool\r", "there is no command `/tool`; did you mean `/tools`?");
    assert!(chat.is_as_it_was() || chat.shows().contains("you>"));
    chat.leave();
    assert!(chat.is_as_it_was());
    assert!(chat.output().contains("\u{1b}[32m"), "colours");
}

#[test]
fn o1_a_line_that_is_typed_in_a_run_comes_after_it() {
    let folder = desk();
    let mut chat = chat_in(&folder, (80, 24), &[]);
    chat.enter_until("hello", "  └ • shell.execute · 0.3 s");
    let shown = chat.types_until("/usage\r", "  └ • shell.execute · 0.6 s");
    assert!(!shown.contains("/usage"), "{shown}");
    folder.write("go", "");
    let shown = chat.until_shows("conversation: ");
    assert!(shown.contains("you> /usage\nlast run: "), "{shown}");
    chat.leave();
}

#[test]
fn o1_no_color_and_terminals_without_cursor_movement() {
    let folder = desk();
    folder.write("go", "");
    let mut chat = chat_in(&folder, (80, 24), &[("NO_COLOR", "1")]);
    chat.enter_until("hello", "└ ✓ helper[1]");
    chat.leave();
    let written = chat.output();
    let is_colour = |code: &str| {
        code.split_once('m')
            .is_some_and(|(digits, _)| digits.bytes().all(|b| b.is_ascii_digit() || b == b';'))
    };
    assert!(!written.split("\u{1b}[").skip(1).any(is_colour), "{written:?}");

    let mut chat = chat_in(&folder, (80, 24), &[("TERM", "dumb")]);
    chat.until_prompt("");
    chat.types_until("hello\n", "desk ends (");
    chat.leave();
    let written = chat.output();
    assert!(
        written.contains("helper[1] begins {\"input\":\"Look.\"}") && !written.contains('\u{1b}'),
        "{written:?}"
    );
}

#[test]
fn o1_a_narrow_window_and_one_that_changes() {
    let folder = desk();
    let mut chat = chat_in(&folder, (30, 12), &[]);
    let shown = chat.enter_until("hello", "  └ • shell.execute · 0.3 s");
    assert!(shown.contains("├ ✓ shell.execute · 0.0 s  {…\n"), "{shown}");
    let trees = |shown: &str| shown.matches("├ ✓ shell.execute").count();
    for (columns, rows) in [(60, 12), (22, 10), (100, 30)] {
        chat.resize(columns, rows);
        // It is drawn once, for the new size.
        let text: String = "├ ✓ shell.execute · 0.0 s  {\"command\":\"echo one\"} → one"
            .chars()
            .take(usize::from(columns) - 2)
            .collect();
        let shown = chat.until_shows(&text);
        assert_eq!(trees(&shown), 1, "{columns} x {rows}:\n{shown}");
    }
    folder.write("go", "");
    let shown = chat.until_prompt("");
    assert!(shown.contains("All is well:") && trees(&shown) == 1, "{shown}");
    chat.leave();
}

#[test]
fn o1_words_stay_whole_at_the_end_of_a_row() {
    let folder = Folder::new(&[
        ("cards/desk.md", "---\nfunction_tools: [tools.rhai:refund, tools.rhai:ask]\n---\nServe.\n"),
        (
            "cards/tools.rhai",
            "/// Gives the money of a parcel back to the customer.\nfn refund() { throw \"the owner of the shop has to look at each refund first\" }\n/// Asks.\nfn ask() { 1 }\n",
        ),
        ("script.yaml", "desk:\n  - calls: [{ tool: refund, args: {} }]\n  - say: No.\n"),
    ]);
    let mut chat = chat_in(&folder, (46, 24), &[]);
    chat.enter_until(
        "/tools",
        "refund  Gives the money of a parcel back to\n        the customer.\nask     Asks.\n",
    );
    let shown = chat.enter_until("Give it back.", "refund first\n");
    let words = "└ ✗ refund · 0.0 s  {}\n    the owner of the shop has to look at each\n    refund first\n";
    assert!(shown.contains(words), "{shown}");
    chat.enter_until("exit", "you> exit\n`/quit` leaves\n");
    chat.enter("/quit");
    assert_eq!(chat.code(), 0);
}
