//! A chat that continues a stored session.

use nix::sys::signal::Signal;

use crate::DESK;
use crate::folder::{Folder, Ran};
use crate::screen::{Terminal, until};

/// An agent that counts its turns.
fn counter() -> Folder {
    let turns = [1, 2, 3, 4].map(|turn| format!("  - say: \"Turn {turn}: {{input}}\"\n"));
    Folder::asker("", &turns.concat())
}

fn chat(folder: &Folder, lines: &str) -> Ran {
    folder.pipe(lines.as_bytes(), &[&DESK[..], &["--session", "a"]].concat())
}

fn shows(folder: &Folder) -> String {
    folder.run(&["sessions", "show", "a"]).out
}

#[test]
fn a12_a_chat_continues_a_stored_session() {
    let folder = counter();
    let ran = chat(&folder, "one\n");
    assert!(ran.out.starts_with("Turn 1: one\n"), "{ran:?}");
    assert!(ran.words.starts_with("note: the session `a` is new, in `"), "{ran:?}");
    let ran = chat(&folder, "two\n/usage\n");
    assert!(ran.code == 0 && ran.out.starts_with("Turn 2: two\n"), "{ran:?}");
    assert!(ran.out.lines().last().unwrap().starts_with("session `a`: "), "{ran:?}");
    // What is taken out is taken out of the store.
    let ran = chat(&folder, "/retry\n/undo\n/undo\n/undo\n");
    assert!(ran.out.starts_with("Turn 2: two\n"), "{ran:?}");
    assert!(ran.out.ends_with("taken out: one\nthe conversation has 0 messages\n"), "{ran:?}");
    assert_eq!(ran.words, "error: there is nothing to undo\n");
    assert!(!shows(&folder).contains("one"), "{}", shows(&folder));
    assert!(chat(&folder, "three\n").out.starts_with("Turn 1: three\n"));
    // Nothing else keeps it.
    assert!(!folder.path(".state/onionskin/onionskin/conversations").exists());

    let words = "error: the chat is the stored session `a`: leave, and name another id with `--session`\n";
    for command in ["/clear", "/load x.json"] {
        assert_eq!(chat(&folder, &format!("{command}\n")).words, words);
    }
    let both = folder.run(&[&DESK[..], &["--session", "a", "--continue"]].concat());
    both.failed(&["cannot be used with"]);
}

#[test]
fn u2_a_chat_asks_the_questions_of_its_stored_session_again_or_gives_them_up() {
    let folder = Folder::asker(
        "",
        "  - say: Hello.\n  - calls: [{ tool: human_input, args: { question: Which colour? } }]\n  - say: \"I take {last}.\"\n",
    );
    assert_eq!(chat(&folder, "hello\n").code, 0);
    let waits =
        "the run is paused, because it waits for answers:\n  asker: Which colour?\n`/resume` asks again\n";
    let ran = chat(&folder, "paint it\n");
    assert_eq!((ran.code, &*ran.words), (2, waits), "{ran:?}");
    // An input is not sent, and nothing is lost.
    let ran = chat(&folder, "hello?\n");
    assert_eq!(
        ran.words,
        format!(
            "{waits}error: the input is not sent, because a run is paused: `/resume` asks its questions again, `/undo` gives it up\n"
        )
    );
    assert_eq!(folder.run(&["sessions", "fork", "a", "b"]).out, "b has 2 messages\n");
    let ran = chat(&folder, "/resume\nred\n");
    assert!(ran.code == 0 && ran.out.contains("\nI take red.\n"), "{ran:?}");
    assert!(shows(&folder).contains("  I take red.\n"));

    assert_eq!(folder.run(&["sessions", "rewind", "a", "--to", "2"]).code, 0);
    assert_eq!(chat(&folder, "paint it again\n").code, 2);
    let ran = chat(&folder, "/undo\n");
    assert_eq!(ran.out, "taken out: paint it again\nthe conversation has 2 messages\n", "{ran:?}");
    assert_eq!((chat(&folder, "").words, shows(&folder).contains("waits")), (String::new(), false));
}

/// A chat in a terminal.
fn chat_in(folder: &Folder) -> Terminal {
    let state = folder.path(".state");
    let arguments = [&DESK[..], &["--session", "a"]].concat();
    let variables = [("XDG_STATE_HOME", state.to_str().unwrap())];
    Terminal::new(env!("CARGO_BIN_EXE_onionskin"), &folder.path(""), (100, 30), &variables, &arguments)
}

#[test]
fn a12_a_chat_knows_what_other_programs_add_to_its_session() {
    let folder = counter();
    let mut chat = chat_in(&folder);
    chat.enter_until("one", "Turn 1: one");
    let run = ["run", "--card", "cards/asker.md", "--model", "script:script.yaml", "--session", "a", "two"];
    assert_eq!(folder.run(&run).out, "Turn 2: two\n");
    chat.enter_until("three", "(another program has changed the session: it has 4 messages)");
    chat.until_shows("Turn 3: three");
    // A changed card is loaded, and the session goes on.
    folder.write("cards/asker.md", "---\n{}\n---\nCount more.\n");
    chat.enter_until("four", "Turn 4: four");
    chat.leave();
    let mut chat = chat_in(&folder);
    chat.until_shows("The session `a` goes on: 8 messages");
    chat.enter_until("/undo", "taken out: four");
    // What others added last is not taken out before the user knows of it.
    assert_eq!(folder.run(&[&run[..7], &["five"]].concat()).out, "Turn 4: five\n");
    chat.enter_until(
        "/undo",
        "nothing is taken out: write it again for the last input that the session has now",
    );
    chat.enter_until("/retry", "Turn 4: five");
    chat.enter_until("/undo", "taken out: five");
    chat.leave();
}

#[test]
fn u2_a_question_that_is_open_when_a_chat_is_ended_stays_open() {
    let folder = Folder::asker(
        "",
        "  - calls: [{ tool: human_input, args: { question: Which colour? } }]\n  - say: \"I take {last}.\"\n",
    );
    let mut chat = chat_in(&folder);
    chat.enter_until("paint it", "decline> ");
    chat.signal(Signal::SIGTERM);
    assert_eq!(chat.code(), 143);
    let mut chat = chat_in(&folder);
    chat.until_shows("the run is paused, because it waits for answers:\n  asker: Which colour?\n");
    chat.enter_until("/resume", "decline> ");
    chat.types_until("red\r", "I take red.");
    chat.leave();
}

#[cfg(feature = "shell")]
#[test]
fn a12_a_signal_lets_a_chat_begin_no_call_behind_an_answered_question() {
    let shell = |command: &str| {
        format!("  - calls: [{{ tool: shell_execute, args: {{ command: \"{command}\" }} }}]\n")
    };
    let asks = "  - calls: [{ tool: human_input, args: { question: Which colour? } }]\n";
    let waits = shell("touch begun; while [ ! -e go ]; do sleep 0.05; done");
    let folder = Folder::new(&[
        ("cards/asker.md", "---\nruntime: [human.input, shell.execute]\napproval: []\n---\nWork.\n"),
        ("script.yaml", &format!("asker:\n{asks}{waits}{}  - say: Done.\n", shell("touch late"))),
    ]);
    let mut chat = chat_in(&folder);
    chat.enter_until("paint it", "decline> ");
    chat.types("red\r");
    until("the call", || folder.path("begun").exists());
    chat.signal(Signal::SIGTERM);
    std::thread::sleep(std::time::Duration::from_millis(100));
    folder.write("go", "");
    assert_eq!(chat.code(), 143);
    assert!(!folder.path("late").exists());
}

#[test]
fn a12_a_chat_says_what_others_did_with_its_run_and_its_session() {
    let folder = Folder::asker(
        "",
        "  - calls: [{ tool: human_input, args: { question: Which colour? } }]\n  - say: \"I take {last}.\"\n",
    );
    let first = chat_in(&folder);
    first.enter_until("paint it", "decline> ");
    first.types_until("\u{4}", "`/resume` asks again");
    assert_eq!(chat(&folder, "/resume\nred\n").code, 0);
    first.enter_until("/resume", "(another program has changed the session: it has 4 messages)");
    first.until_shows("error: no run is paused\n");
    assert!(!first.shows().contains("stays in the conversation"), "{}", first.shows());
    folder.run(&["sessions", "delete", "a", "--yes"]);
    first.enter_until("more", "error: the session `a` was deleted: it begins anew when it is opened again\n");
}

#[cfg(feature = "shell")]
#[test]
fn a12_a_chat_says_that_it_waits_for_another_run_and_what_a_killed_one_left() {
    let call = "calls: [{ tool: shell_execute, args: { command: \"touch begun; while [ ! -e go ]; do sleep 0.05; done\" } }]";
    let folder = Folder::new(&[
        ("cards/asker.md", "---\nruntime: [shell.execute]\napproval: []\n---\nWork.\n"),
        (
            "script.yaml",
            &format!("asker:\n  - {call}\n  - say: \"Turn 2: {{input}}\"\n  - say: \"Turn 3: {{input}}\"\n"),
        ),
    ]);
    let first = chat_in(&folder);
    first.enter("one");
    until("the call", || folder.path("begun").exists());
    let mut second = chat_in(&folder);
    second.until_shows("its last input has no answer yet: `/retry` sends it again, `/undo` takes it out\n");
    second.enter_until("two", "(waiting for another run of the session `a`; Ctrl-C ends the wait)");
    second.types("\u{3}");
    let words =
        "nothing was sent, because another run of the session is in progress; `/retry` sends it again\n";
    second.until_shows(words);
    assert!(!shows(&folder).contains("two"), "{}", shows(&folder));
    folder.write("go", "");
    first.until_shows("Turn 2: one");
    // What the other chat sent stays, and what was not sent is sent.
    second.enter_until("/retry", "(another program has changed the session: it has 4 messages)");
    second.until_shows("Turn 3: two");
    second.enter_until("/undo", "taken out: two\nthe conversation has 4 messages");
    second.leave();
}
