//! `chat` in a terminal, as a user has it with `--model` and `--base-url`: whole conversations over the wire.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::clean_cargo::clean_cargo;
use crate::mock::Mock;
use crate::screen::Terminal;
use crate::session::session;
use serde_json::Value;

/// The programs of the workspace: their names and paths. Cargo builds them for tests of their packages, as `cargo test --workspace` does, so
/// they are there already.
fn programs() -> &'static [(String, PathBuf)] {
    static BUILT: OnceLock<Vec<(String, PathBuf)>> = OnceLock::new();
    BUILT.get_or_init(|| {
        let build = ["test", "--workspace", "--no-run", "--message-format=json"];
        let tests = ["--test", "commands", "--test", "pmo"];
        let built = clean_cargo().args(build).args(tests).current_dir(root()).output().unwrap();
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
        let messages = built.stdout.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        let program = |message: &[u8]| {
            let message: Value = serde_json::from_slice(message).unwrap();
            Some((message["target"]["name"].as_str()?.to_owned(), message["executable"].as_str()?.into()))
        };
        messages.filter_map(program).collect()
    })
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn program(name: &str) -> &'static Path {
    &programs().iter().find(|(known, _)| known == name).unwrap().1
}

/// Starts a chat of a program with this model.
fn chat(mock: &Mock, name: &str, model: &str, arguments: &[&str]) -> Terminal {
    let address = format!("{}/v1", mock.address);
    let all = ["chat", "--model", model, "--base-url", &address, "--api-key-env", "CHAT_KEY"];
    let variables = [("NO_COLOR", "1"), ("CHAT_KEY", "key-of-the-chat")];
    let all = [&all[..], arguments].concat();
    Terminal::new(program(name).to_str().unwrap(), &root(), (90, 30), &variables, &all)
}

#[test]
fn a_a_card_over_openais_protocol() {
    let mock = Mock::new();
    let card = ["--card", "judges/cards/painter.md"];
    let mut chat = chat(&mock, "onionskin", "gpt-4o-mini", &card);
    chat.enter("Paint a door.");
    chat.until_shows("Gladly.\npainter: Which colour?\n");
    chat.types("deep red\r");
    let shown = chat.until_prompt("");
    assert!(
        shown.contains("The door is deep red now.\npainter · ") && shown.contains(" tokens\n└ ✓ human.input"),
        "{shown}"
    );
    // The conversation goes on, and the arrow key brings the input back.
    chat.types("And what did I choose?\r");
    chat.until_shows("You chose deep red.");
    chat.until_prompt("");
    chat.types("\u{1b}[A\u{1b}[A");
    chat.until_prompt("Paint a door.");
    chat.types("\u{3}\u{4}");
    assert_eq!(chat.code(), 0);
    assert!(!chat.output().contains("key-of-the-chat"));
}

#[test]
fn a_a_new_user_makes_a_project_and_chats_with_its_card() {
    let mock = Mock::new();
    let folder = tempfile::tempdir().unwrap();
    let facade = root().join("runtime").canonicalize().unwrap();
    let address = format!("{}/v1", mock.address);
    let variables = [("BASE", &*address), ("CHAT_KEY", "key-of-the-chat")];
    let model = "--model gpt-4o-mini --base-url $BASE --api-key-env CHAT_KEY";
    let shown = session(program("onionskin"), &facade, folder.path(), model, &variables);
    // It is the session with a scripted model, but for the command.
    let chat = "onionskin chat --card cards/helper.md";
    let scripted = include_str!("../../../runtime/cli/tests/chat/session.txt");
    assert_eq!(
        shown,
        scripted.replace(&format!("{chat} --model script:script.yaml"), &format!("{chat} {model}")),
        "{shown}"
    );
}

#[test]
fn a_agents_and_an_approval_over_anthropics_protocol() {
    let mock = Mock::new();
    let mut chat = chat(&mock, "shop", "claude-haiku-4-5", &[]);
    chat.enter("Where are my parcels?");
    chat.until_shows("└ and 1 more Carrier, 1 running");
    let shown = chat.until_prompt("");
    assert!(shown.contains("All three are in the van.\nClerk · "), "{shown}");
    chat.types("I want my money back.\r");
    chat.until_shows(
        "Clerk: refund {\"order\":7,\"cents\":3900}\ny, a (always with these arguments), n [reason]> ",
    );
    chat.types("y\r");
    let shown = chat.until_prompt("");
    assert!(shown.contains("You get 39.00 back."), "{shown}");
    chat.leave();
    assert!(!chat.output().contains("key-of-the-chat"));
}
