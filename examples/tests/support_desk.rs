//! The support desk, run as a user runs it.
#![allow(clippy::unwrap_used, reason = "tests may panic, in their helpers too")]

use std::io::Write as _;
use std::process::{Command, Stdio};

fn desk(arguments: &[&str], input: &str) -> (String, String, bool) {
    let mut desk = Command::new(env!("CARGO_BIN_EXE_support_desk"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    desk.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = desk.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (text(output.stdout), text(output.stderr), output.status.success())
}

/// The parts are in this order.
fn in_order(shown: &str, parts: &[&str]) {
    let mut rest = shown;
    for part in parts {
        let at = rest.find(part).unwrap_or_else(|| panic!("`{part}` after the parts before it, in {shown}"));
        rest = &rest[at + part.len()..];
    }
}

#[test]
fn a_the_script_shows_each_part() {
    let (shown, errors, fine) = desk(&[], "");
    assert!(fine, "{errors}\n{shown}");
    in_order(
        &shown,
        &[
            // The database, without the orders of other customers.
            "SupportDesk calls list_orders (function)",
            "\"parcel\":\"P-81\"",
            // A child, whose guardrail masks its answer.
            "SupportDesk calls agent__Carrier (agent)",
            "Carrier[1] calls track_parcel",
            "the driver has the telephone [phone]",
            // An answer that did not fit, and the one that did.
            "perhaps",
            "desk: They are in the van; call the driver at [phone].",
            "record: orders [8], 0 cents paid back, a person needed: false",
            // A refund that a person allows.
            "a person allows refund {\"number\":7,",
            "3900 cents of order 7 were paid back",
            "desk: I am sorry about the lamp.",
            "record: orders [7], 3900 cents paid back",
            // The same once more: it is paid once.
            "a person allows refund",
            "order 7 was paid back before",
            "a person needed: true",
            // An attack.
            "desk: I cannot answer this (the input tries to give the model other instructions).",
        ],
    );
    assert!(!shown.contains("table"), "an order of another customer: {shown}");
}

#[test]
fn u3_in_a_chat_the_same_person_asks_and_is_asked() {
    let folder = std::env::temp_dir().join(format!("onionskin-desk-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("orders.db");
    let lines =
        "Where are my shoes?\nMy lamp is broken.\nn not before it is sent back\n\nOnce more, please.\ny\n";
    let (shown, errors, fine) = desk(&["--chat", "--database", file.to_str().unwrap()], lines);
    assert!(fine, "{errors}\n{shown}");
    in_order(
        &shown,
        &[
            "desk: They are in the van",
            "refund",
            "not before it is sent back",
            "3900 cents of order 7 were paid back",
        ],
    );
    // The file has it: the next conversation finds the order paid back.
    let (shown, _, fine) = desk(&["--database", file.to_str().unwrap()], "");
    assert!(
        fine && shown.contains("order 7 was paid back before") && !shown.contains("cents of order 7 were"),
        "{shown}"
    );
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn help_is_no_error_and_an_unknown_option_is_one() {
    let (shown, _, fine) = desk(&["--help"], "");
    assert!(fine && shown.contains("--chat"), "{shown}");
    let (_, errors, fine) = desk(&["--chatt"], "");
    assert!(!fine && errors.starts_with("unknown option --chatt\nusage: support_desk"), "{errors}");
}

#[test]
fn a_key_comes_from_the_variable_that_is_named() {
    let options =
        ["--chat", "--base-url", "http://127.0.0.1:9/v1", "--api-key-env", "NO_SUCH_KEY_OF_THE_DESK"];
    let (shown, errors, fine) = desk(&options, "Where are my shoes?\n");
    // The key is missing before the first question.
    let advice = "set the environment variable NO_SUCH_KEY_OF_THE_DESK";
    assert!(!fine && shown.is_empty() && errors.contains(advice), "{errors}\n{shown}");
}
