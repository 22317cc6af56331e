//! What a chat leaves for later ones, and cards that change while it goes on.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use crate::DESK;
use crate::folder::Folder;
use crate::screen::Terminal;

const SECRET: &str = "k-0123456789";

/// An agent that counts its turns.
fn counter() -> Folder {
    let turns = [1, 2, 3, 4].map(|turn| format!("  - say: \"Turn {turn}: {{input}}\"\n"));
    Folder::asker("", &turns.concat())
}

/// A chat whose state is in the folder.
fn chat_in(folder: &Folder, columns: u16, more: &[&str]) -> Terminal {
    let state = folder.path("state");
    let variables = [("XDG_STATE_HOME", state.to_str().unwrap()), ("SHOP_API_KEY", SECRET)];
    let arguments = [&DESK[..], more].concat();
    Terminal::new(env!("CARGO_BIN_EXE_onionskin"), &folder.path(""), (columns, 30), &variables, &arguments)
}

const INPUTS: &str = "state/onionskin/onionskin/inputs";

#[test]
fn o1_the_arrow_keys_bring_inputs_of_earlier_chats() {
    let folder = counter();
    for (columns, turn) in [(100, "first"), (40, "second")] {
        let mut chat = chat_in(&folder, columns, &[]);
        chat.until_prompt("");
        if turn == "second" {
            chat.types("\u{1b}[A");
            chat.until("the input of before", |shown| shown.trim_end().ends_with("you> one\ntwo"));
            // Nothing is before it.
            chat.types("\u{1b}[A\u{1b}[A");
            chat.types_to_prompt("\u{3}");
        }
        chat.enter_until(&format!(" {turn} hidden"), &format!("Turn 1: {turn} hidden"));
        chat.enter_until(&format!("the key is {SECRET}"), "Turn 2: ");
        chat.enter_until("one\\\rtwo", "Turn 3: one\ntwo");
        chat.leave();
        let file = folder.path(INPUTS);
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        let kept = folder.read(INPUTS);
        assert!(kept.lines().all(|line| line == "\"one\\ntwo\""), "{kept}");
    }
}

#[test]
fn o1_the_inputs_of_earlier_chats_are_bounded_and_control_no_terminal() {
    let folder = counter();
    let line = format!("\"{}\"\nnot JSON\n\"\\u001b[2J\"\n", "x".repeat(1_000));
    folder.write(INPUTS, &line.repeat(2_000));
    let mut chat = chat_in(&folder, 100, &[]);
    chat.enter_until("one", "Turn 1: one");
    chat.until_prompt("");
    chat.types("\u{1b}[A\u{1b}[A\u{1b}[A");
    chat.until("the old input", |shown| shown.contains(&"x".repeat(90)));
    chat.types_to_prompt("\u{3}");
    chat.leave();
    assert!(!chat.output().contains("\u{1b}[2J"), "{:?}", chat.output());
    let kept = folder.read(INPUTS);
    assert!(kept.len() < 1 << 20 && kept.ends_with("\"one\"\n"), "{} bytes", kept.len());
}

#[test]
fn o1_the_last_conversation_goes_on() {
    let folder = counter();
    let mut chat = chat_in(&folder, 100, &[]);
    chat.enter_until("one", "Turn 1: one");
    chat.leave();
    let mut chat = chat_in(&folder, 40, &["--continue"]);
    chat.until_shows("The last conversation goes on: 2\nmessages\n");
    chat.enter_until("two", "Turn 2: two");
    // A conversation with a secret of the environment is not kept.
    chat.enter_until(&format!("use {SECRET}"), "`SHOP_API_KEY`");
    chat.leave();
    let mut chat = chat_in(&folder, 100, &["-c"]);
    chat.until_shows("The last conversation goes on: 4 messages\n");
    // What was there before the chat can be taken out too.
    chat.enter_until("/retry", "Turn 2: two");
    chat.enter_until("/undo", "taken out: two\nthe conversation has 2 messages");
    chat.enter_until("/undo", "taken out: one\nthe conversation has 0 messages");
    chat.enter_until("/undo", "error: there is nothing to undo");
    chat.leave();
}

#[test]
fn a14_a_conversation_goes_on_for_its_user_alone() {
    let folder = counter();
    let mut chat = chat_in(&folder, 100, &["--user", "ada"]);
    chat.enter_until("one", "Turn 1: one");
    chat.leave();
    fs::rename(folder.path("state"), folder.path(".state")).unwrap();
    let go_on = |more: &[&str]| folder.pipe(b"two\n", &[&DESK[..], &["--continue"], more].concat());
    let words = "for the user `bob` with this agent in this folder";
    go_on(&["--user", "bob"]).failed(&[&format!("there is no conversation {words}: leave `--continue` out")]);
    go_on(&[]).failed(&["there is no conversation with this agent in this folder: leave `--continue` out"]);
    assert!(go_on(&["--user", "ada"]).out.starts_with("Turn 2: two\n"));
}

/// The conversations that are stored.
fn conversations(folder: &Folder) -> usize {
    fs::read_dir(folder.path("state/onionskin/onionskin/conversations")).map_or(0, Iterator::count)
}

#[test]
fn o1_a_new_chat_leaves_the_conversations_of_others() {
    let folder = counter();
    for input in ["one", "two"] {
        let mut chat = chat_in(&folder, 100, &[]);
        chat.enter_until(input, &format!("Turn 1: {input}"));
        chat.enter_until("again", "Turn 2: again");
        chat.leave();
    }
    assert_eq!(conversations(&folder), 2);
    // The newest goes on, in its own file.
    let mut chat = chat_in(&folder, 100, &["-c"]);
    chat.enter_until("/undo", "taken out: again");
    chat.enter_until("/undo", "taken out: two");
    chat.leave();
    assert_eq!(conversations(&folder), 1);
    let mut chat = chat_in(&folder, 100, &["-c"]);
    chat.until_shows("The last conversation goes on: 4 messages\n");
    chat.leave();
}

#[test]
fn o1_what_is_taken_out_does_not_come_back() {
    let folder = counter();
    for (command, words) in
        [("/undo", "the conversation has 0 messages"), ("/clear", "the conversation is empty")]
    {
        let mut chat = chat_in(&folder, 100, &[]);
        chat.enter_until("one", "Turn 1: one");
        chat.until_prompt("");
        assert_eq!(conversations(&folder), 1, "{command}");
        chat.enter_until(command, words);
        assert_eq!(conversations(&folder), 0, "{command}");
        if command == "/clear" {
            chat.enter_until("/undo", "the conversation has 2 messages");
            assert_eq!(conversations(&folder), 1);
            chat.enter("/clear");
            chat.until("the words again", |shown| shown.matches(words).count() == 2);
        }
        chat.leave();
        assert_eq!(conversations(&folder), 0, "{command}");
    }
}

#[test]
fn o1_a_loaded_conversation_has_a_file_of_its_own() {
    let folder = counter();
    let mut chat = chat_in(&folder, 100, &[]);
    chat.enter_until("one", "Turn 1: one");
    chat.enter_until("/save chat.json", "2 messages saved");
    chat.enter_until("/load chat.json", "2 messages loaded");
    chat.enter_until("two", "Turn 2: two");
    chat.until_prompt("");
    assert_eq!(conversations(&folder), 2);
    chat.leave();
}

#[test]
fn o1_two_chats_do_not_replace_the_conversation_of_each_other() {
    let folder = counter();
    let mut chat = chat_in(&folder, 100, &[]);
    chat.enter_until("one", "Turn 1: one");
    chat.leave();
    let chats = [chat_in(&folder, 100, &["-c"]), chat_in(&folder, 100, &["-c"])];
    for chat in &chats {
        chat.until_shows("The last conversation goes on: 2 messages\n");
    }
    chats[0].enter_until("two", "Turn 2: two");
    chats[0].until_prompt("");
    let note = "note: another chat has changed this conversation since this one read it: both are kept, as two\nconversations\n";
    chats[1].enter_until("three", note);
    chats[1].enter_until("four", "Turn 3: four");
    assert_eq!(chats[1].shows().matches("note: another chat").count(), 1, "{}", chats[1].shows());
    chats[0].enter_until("five", "Turn 3: five");
    assert!(!chats[0].shows().contains("note: another chat"), "{}", chats[0].shows());
    for mut chat in chats {
        chat.leave();
    }
    assert_eq!(conversations(&folder), 2);
}

#[test]
fn o1_a_conversation_goes_on_through_pipes_and_is_that_of_the_agent_and_the_folder() {
    let folder = counter();
    let none = folder.pipe(b"one\n", &[&DESK[..], &["--continue"]].concat());
    none.failed(&["there is no conversation with this agent in this folder: leave `--continue` out"]);
    // Without a person and the option, nothing is kept.
    folder.pipe(b"one\n", &DESK);
    assert!(!folder.path(".state").exists());

    let mut chat = chat_in(&folder, 100, &[]);
    chat.enter_until("one", "Turn 1: one");
    chat.leave();
    fs::rename(folder.path("state"), folder.path(".state")).unwrap();
    for (turn, input) in [(2, "two"), (3, "three")] {
        let ran = folder.pipe(format!("{input}\n").as_bytes(), &[&DESK[..], &["--continue"]].concat());
        assert!(ran.out.starts_with(&format!("Turn {turn}: {input}\n")), "{ran:?}");
    }
    folder.write("cards/other.md", "---\n{}\n---\nBe.\n");
    let ran = folder.pipe(b"two\n", &[&DESK[..], &["--agent", "other", "--continue"]].concat());
    ran.failed(&["there is no conversation with this agent"]);
}

#[test]
fn o1_a_changed_card_is_loaded_and_its_mistakes_leave_the_agent_as_it_was() {
    let card = |text: &str| format!("---\nfunction_tools: [tools.rhai:add_one]\n---\n{text}\n");
    let tool = |text: &str| format!("/// {text}\nfn add_one() {{ 1 }}\n");
    for columns in [40, 100] {
        let folder = counter();
        folder.write("cards/tools.rhai", &tool("Adds one."));
        folder.write("cards/asker.md", &card("Be kind."));
        let mut chat = chat_in(&folder, columns, &[]);
        chat.enter_until("one", "Turn 1: one");
        assert!(!chat.shows().contains("have changed"), "{}", chat.shows());

        folder.write("cards/asker.md", &card("Be very kind."));
        chat.enter_until("two", "(the files of the agent have");
        chat.until_shows("Turn 2: two");
        chat.enter_until("/system", "Be very kind.");

        folder.write("cards/asker.md", "---\nfunction_tols: []\n---\nBe rude.\n");
        chat.enter_until("three", "the agent stays as it was");
        // They are not loaded.
        assert_eq!(chat.shows().matches("and are").count(), 1, "{}", chat.shows());
        let shown = chat.until_shows("Turn 3: three");
        assert!(shown.contains("function_tols"), "{shown}");
        chat.enter_until("/system", "Be very kind.");

        // A script is a part of the agent.
        folder.write("cards/asker.md", &card("Be kind again."));
        folder.write("cards/tools.rhai", &tool("Adds exactly one."));
        chat.enter_until("four", "Turn 4: four");
        chat.enter_until("/tools", "Adds exactly one.");
        chat.leave();
    }
}
