//! A chat without a terminal: lines in, lines out.

use crate::folder::Folder;
use crate::{DESK, desk};

#[test]
fn o1_a_chat_through_pipes_is_lines() {
    let folder = desk();
    folder.write("go", "");
    // The third line answers the question of the second one.
    let ran = folder.pipe(b"hello\npaint it\nred\n/usage\n", &DESK);
    assert_eq!((ran.code, &*ran.words), (0, ""), "{ran:?}");
    let lines: Vec<_> = ran.out.lines().collect();
    assert_eq!(lines[0], "Let me see.");
    for line in [
        "desk calls shell.execute {\"command\":\"echo one\"}",
        "helper[1] begins {\"input\":\"Look.\"}",
        "yours, \\u{1b}[31mthe desk.",
        "desk: Which colour?",
        "I take red.",
    ] {
        assert!(lines.contains(&line), "{line}: {}", ran.out);
    }
    assert!(!ran.out.contains('\u{1b}') && !ran.out.contains("you>"), "{}", ran.out);
    assert!(lines.last().unwrap().starts_with("conversation: "), "{}", ran.out);
}

#[test]
fn o1_an_answer_that_is_missing_is_neither_yes_nor_no() {
    let folder = desk();
    folder.write("go", "");
    let ran = folder.pipe(b"hello\npaint it\n", &DESK);
    assert_eq!(ran.code, 2);
    assert!(
        ran.words.starts_with(
            "the run is paused, because it waits for answers:\n  desk: Which colour?\n`/resume` asks again"
        ),
        "{ran:?}"
    );
    assert!(!ran.out.contains("I take"), "{ran:?}");
}

#[test]
fn o1_the_words_of_other_programs_do_not_reach_the_model() {
    let ran = desk().pipe(b"exit\nquit\n", &DESK);
    assert_eq!((ran.code, &*ran.out, &*ran.words), (2, "", "`/quit` leaves\n`/quit` leaves\n"));
}

#[test]
fn o1_a_run_that_fails_through_pipes_fails_the_chat() {
    let folder =
        Folder::new(&[("cards/a.md", "---\n{}\n---\nBe.\n"), ("script.yaml", "a:\n  - fail: 401\n")]);
    let ran = folder.pipe("hello\n/nothing\n\u{fc}\n".as_bytes(), &DESK);
    assert_eq!(ran.code, 2);
    assert!(ran.words.contains("error: the agent `a` got no answer from its model"), "{ran:?}");
    assert!(ran.words.contains("error: there is no command `/nothing`"), "{ran:?}");
    // A chat without a line is not a failure.
    assert_eq!(folder.pipe(b"", &DESK).code, 0);
}
