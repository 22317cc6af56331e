//! What a person typed is not lost, and what they take back is gone.

use std::time::{Duration, Instant};

use crate::folder::Folder;
use crate::screen::{Terminal, until};
use crate::{chat_in, sleeper};

/// An agent that takes these turns, in a window of so many columns.
fn chat_with(turns: &str, columns: u16) -> (Folder, Terminal) {
    let folder = Folder::asker("", turns);
    let chat = chat_in(&folder, (columns, 30), &[]);
    chat.until_prompt("");
    (folder, chat)
}

const ASKS: &str =
    "  - calls: [{ tool: human_input, args: { question: Which? } }]\n  - say: I take {last}.\n";

#[test]
fn o1_an_input_does_not_replace_a_paused_run() {
    let (_folder, mut chat) = chat_with(ASKS, 100);
    chat.types_until("ask\r", "decline> ");
    chat.types_until("\u{4}", "`/resume` asks again");
    chat.enter_until("go on", "the input is not sent, because a run is paused: `/resume` asks its questions");
    chat.types("/resume\r");
    chat.until("the question again", |shown| shown.matches("decline> ").count() == 2);
    chat.types_until("this\r", "I take this.");
    chat.leave();
}

#[test]
fn o1_a_paused_run_is_given_up_with_undo() {
    let (_folder, mut chat) = chat_with(ASKS, 100);
    chat.types_until("ask\r", "decline> ");
    chat.types_until("\u{4}", "`/resume` asks again");
    chat.enter_until("/undo", "taken out: ask\nthe conversation has 0 messages");
    chat.enter_until("/resume", "no run is paused");
    chat.enter("again");
    chat.until("the question again", |shown| shown.matches("decline> ").count() == 2);
    chat.types_until("that\r", "I take that.");
    chat.leave();
}

#[test]
fn o1_a_paused_run_that_is_not_kept_is_named() {
    let (_folder, mut chat) = chat_with(ASKS, 100);
    chat.types_until("ask\r", "decline> ");
    chat.types_until("\u{4}", "`/resume` asks again");
    let words = "the paused run is not kept; it waits for answers:\n  asker: Which?\n";
    chat.enter_until("/save chat.json", words);
    chat.enter("/quit");
    chat.until("the words again", |shown| shown.matches(words.trim_end()).count() == 2);
    assert_eq!(chat.code(), 0);

    let folder = Folder::asker("", ASKS);
    let ran = folder.pipe(b"ask\n", &crate::DESK);
    assert!(ran.words.ends_with(words), "{ran:?}");
}

#[test]
fn o1_undo_says_that_approvals_stay() {
    let folder = Folder::new(&[
        ("cards/clerk.md", "---\nruntime: [shell.execute]\n---\nRun it.\n"),
        (
            "script.yaml",
            "clerk:\n  - calls: [{ tool: shell_execute, args: { command: echo hello } }]\n  - say: \"{last}\"\n",
        ),
    ]);
    let note = "(calls that you allowed with `a` stay allowed)";
    let mut chat = chat_in(&folder, (100, 30), &[]);
    chat.enter_until("go", "y, a (always with these arguments), n [reason]> ".trim_end());
    chat.types("y\r");
    chat.enter_until("/undo", "taken out: go\nthe conversation has 0 messages\nyou> ".trim_end());
    chat.enter("go");
    chat.until("the question again", |shown| shown.matches("n [reason]> ").count() == 2);
    chat.types("a\r");
    chat.enter_until("/undo", note);
    // The same call again.
    chat.enter("go");
    chat.until("the result", |shown| shown.matches("→ hello").count() == 3);
    assert_eq!(chat.shows().matches("n [reason]> ").count(), 2, "{}", chat.shows());
    chat.leave();
}

#[test]
fn o1_words_of_the_chat_stay_whole() {
    for columns in [40, 60] {
        let (_folder, mut chat) = chat_with("  - fail: 401\n", columns);
        let help = chat.types_until("/help\r", "another line of the input.");
        assert!(help.contains("\n              "), "{columns}: {help}");
        chat.enter_until("/loud", "with two:");
        let shown = chat.until_prompt("");
        let (_, error) = shown.split_once("error: ").unwrap();
        let words = error.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.starts_with("there is no command `/loud`; did you mean `/load`? An input that begins with a slash is written with two: `//loud`"), "{columns}: {shown}");
        assert!(shown.lines().all(|line| line.len() <= usize::from(columns)), "{shown}");
        chat.leave();
    }
}

#[test]
fn o1_lines_that_are_typed_in_a_run_outlive_ctrl_c() {
    let folder = sleeper();
    let mut chat = chat_in(&folder, (100, 30), &[]);
    chat.enter("sleep");
    until("the command", || folder.path("child").exists());
    chat.types("hello\rand th");
    std::thread::sleep(Duration::from_millis(200));
    chat.types("\u{3}");
    let shown = chat.until_shows("Good morning.");
    assert!(shown.contains(" · cancelled\n") && shown.contains("you> hello\n"), "{shown}");
    chat.until_prompt("and th");
    chat.types_to_prompt("\u{3}");
    chat.leave();
}

#[test]
fn o1_a_byte_that_is_not_text_drops_its_line_only() {
    let (_folder, mut chat) = chat_with("  - say: \"You say: {input}\"\n", 100);
    // The byte of another encoding, and the end of its line.
    chat.types_bytes(b"na\xefve\r");
    chat.until_shows("error: the line is not UTF-8 text: it is dropped\n");
    chat.enter_until("hello", "You say: hello");
    chat.leave();
}

#[test]
fn o1_a_paste_of_300_kb_is_an_input() {
    let (folder, mut chat) = chat_with("  - say: Read.\n", 100);
    let begun = Instant::now();
    chat.types_until(&format!("\u{1b}[200~{}\u{1b}[201~\r", "word ".repeat(60_000)), "Read.\n");
    chat.enter_until("/save chat.json", "2 messages saved");
    assert!(begun.elapsed() < Duration::from_mins(1), "{:?}", begun.elapsed());
    assert!(folder.read("chat.json").len() > 290_000);
    chat.leave();
}

#[test]
fn o1_a_flood_of_characters_is_refused_and_not_shortened() {
    for columns in [40, 100] {
        let (_folder, mut chat) = chat_with("  - say: \"You say: {input}\"\n", columns);
        let begun = Instant::now();
        chat.types(&"word ".repeat(60_000));
        chat.types("\r");
        chat.until_shows("error: the line has more than 32 KiB");
        assert!(begun.elapsed() < Duration::from_mins(1), "{:?}", begun.elapsed());
        chat.enter_until("hello", "You say: hello");
        chat.leave();
    }
}

#[test]
fn o1_the_input_of_a_failed_run_is_sent_again_or_taken_out() {
    let (_folder, mut chat) = chat_with("  - fail: 401\n  - say: \"You say: {input}\"\n", 100);
    let shown = chat.types_until("one\r", "`/retry` sends it again, `/undo` takes it out\n");
    assert!(shown.contains("error: the agent `asker` got no answer from its model"), "{shown}");
    chat.enter_until("/undo", "taken out: one\nthe conversation has 0 messages\n");
    chat.enter_until("/undo", "error: there is nothing to undo\n");
    chat.enter_until("/retry", "error: there is no input to send again\n");
    chat.leave();
}

#[test]
fn o1_the_input_of_a_cancelled_run_is_sent_again() {
    let folder = sleeper();
    let mut chat = chat_in(&folder, (100, 30), &[]);
    chat.enter("sleep");
    until("the command", || folder.path("child").exists());
    let shown = chat.types_to_prompt("\u{3}");
    assert!(shown.contains("\nthe input stays in the conversation: `/retry` sends it again"), "{shown}");
    std::fs::remove_file(folder.path("child")).unwrap();
    chat.enter("/retry");
    until("the command again", || folder.path("child").exists());
    chat.types_to_prompt("\u{3}");
    chat.enter_until("/undo", "taken out: sleep\nthe conversation has 0 messages\n");
    chat.leave();
}

#[test]
fn o1_a_new_conversation_is_begun_and_the_last_one_brought_back() {
    let ran = Folder::asker(
        "",
        "  - say: \"One: {input}\"\n  - say: \"Two: {input}\"\n  - say: \"Three: {input}\"\n",
    )
    .pipe(b"a\nb\n/undo\nc\n/clear\nd\n/undo\n/undo\ne\n/clear now\n", &crate::DESK);
    let lines: Vec<_> = ran.out.lines().filter(|line| !line.starts_with("asker ends")).collect();
    let wanted = [
        "One: a",
        "Two: b",
        "taken out: b",
        "the conversation has 2 messages",
        "Two: c",
        "the conversation is empty; `/undo` brings the last one back",
        "One: d",
        "taken out: d",
        "the conversation has 0 messages",
        "the conversation has 4 messages",
        "Three: e",
    ];
    assert_eq!(lines, wanted, "{ran:?}");
    assert_eq!(ran.words, "error: `/clear` takes nothing after it\n");
}

#[test]
fn o1_an_input_has_several_lines() {
    for columns in [40, 100] {
        let (_folder, mut chat) = chat_with(&"  - say: \"You say: <{input}>\"\n".repeat(2), columns);
        chat.types("one\\\rtwo\u{1b}\rthree");
        chat.types_until("\r", "You say: <one\ntwo\nthree>\n");
        // The arrow keys bring it back as it was.
        chat.until_prompt("");
        chat.types("\u{1b}[A");
        chat.until("the input", |shown| shown.trim_end().ends_with("you> one\ntwo\nthree"));
        chat.types_to_prompt("\u{3}");
        chat.types_until("\u{1b}[200~four\nfive\u{1b}[201~\r", "You say: <four\nfive>\n");
        chat.leave();
    }
}

#[test]
fn o1_a_choice_is_named_by_its_number_or_brought_by_the_arrow_keys() {
    let call = "  - calls: [{ tool: human_input, args: { question: Which?, choices: [red, dark blue] } }]\n  - say: I take {last}.\n";
    for columns in [40, 100] {
        let (_folder, mut chat) = chat_with(&call.repeat(3), columns);
        let asks = "asker: Which?\n  1 red\n  2 dark blue\n1 to 2, or nothing to decline> ";
        chat.types_until("ask\r", asks.trim_end());
        chat.types_until("2\r", "I take dark blue.");
        chat.enter("ask");
        chat.until("the question again", |shown| shown.matches(asks).count() == 2);
        // The first one comes first.
        chat.types_until("\u{1b}[A", "decline> red");
        chat.types_until("\u{1b}[A", "decline> dark blue");
        chat.types("\u{1b}[B");
        chat.types_until("\r", "I take red.");
        chat.leave();
    }
}

#[test]
fn o1_a_question_comes_after_what_led_to_it() {
    let turns = "  - say: Look at the two.\n    calls: [{ tool: human_input, args: { question: Which? } }]\n  - say: I take {last}.\n";
    for columns in [40, 100] {
        let (_folder, mut chat) = chat_with(turns, columns);
        let shown = chat.types_until("ask\r", "decline> ");
        assert!(shown.contains("Look at the two.\nasker: Which?\n"), "{shown}");
        let shown = chat.types_to_prompt("this\r");
        assert_eq!(shown.matches("Look at the two.").count(), 1, "{shown}");
        chat.leave();
    }
}
