//! A model that writes faster than a terminal shows.

use std::time::{Duration, Instant};

use crate::chat_in;
use crate::folder::Folder;

/// An agent that counts to this number, a line for each, sleeps, and then says little.
fn counter(lines: usize) -> Folder {
    let count: String =
        (1..=lines).fold(String::new(), |text, line| text + &format!("      {line} of many\n"));
    let sleep = "    calls: [{ tool: shell_execute, args: { command: sleep 600 } }]";
    Folder::new(&[
        ("cards/counter.md", "---\nruntime: [shell.execute]\napproval: []\n---\nCount.\n"),
        ("script.yaml", &format!("counter:\n  - say: |\n{count}{sleep}\n  - say: Enough.\n")),
    ])
}

#[test]
fn o1_a_flood_of_text_is_shown_whole_and_soon() {
    let folder = counter(50_000);
    let mut chat = chat_in(&folder, (60, 20), &[]);
    chat.until_prompt("");
    let begun = Instant::now();
    chat.types_until("count\r", "• shell.execute");
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
    let written = chat.output();
    assert!((1..=50_000).step_by(997).all(|line| written.contains(&format!("{line} of many\r"))));
    let shown = chat.types_to_prompt("\u{3}");
    assert!(shown.contains("\n50000 of many\ncounter · "), "{shown}");
    chat.leave();
}

#[test]
fn o1_ctrl_c_ends_a_flood_of_text() {
    let folder = counter(50_000);
    let mut chat = chat_in(&folder, (60, 20), &[]);
    chat.enter_until("count", "of many\n");
    let begun = Instant::now();
    let shown = chat.types_to_prompt("\u{3}");
    assert!(shown.contains("counter · ") && shown.contains(" · cancelled\n"), "{shown}");
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    chat.types_until("and now?\r", "Enough.\ncounter · ");
    chat.leave();
}
