//! Ctrl-C, signals, and what they leave: nothing.

use nix::sys::signal::Signal;

use crate::folder::Folder;
use crate::screen::{runs, until};
use crate::{chat_in, sleeper};

/// Waits until the command of the sleeper runs, and gives the ids of its processes.
fn asleep(folder: &Folder) -> Vec<String> {
    let read = |name: &str| std::fs::read_to_string(folder.path(name)).unwrap_or_default();
    until("the command", || read("child").ends_with('\n'));
    vec![read("pid"), read("child")]
}

fn until_gone(processes: &[String]) {
    for process in processes {
        until("the end of the command", || !runs(process));
    }
}

/// An agent that asks a question, and says this about the answer. `fields` are of its card.
fn asker(fields: &str, say: &str) -> Folder {
    let call = "calls: [{ tool: human_input, args: { question: Which? } }]";
    Folder::asker(fields, &format!("  - {call}\n  - say: \"{say}\"\n"))
}

#[test]
fn o1_ctrl_c_cancels_the_run_and_the_chat_goes_on() {
    let folder = sleeper();
    let mut chat = chat_in(&folder, (60, 20), &[]);
    chat.enter("sleep");
    let processes = asleep(&folder);
    assert!(processes.iter().all(|process| runs(process)));
    let shown = chat.types_to_prompt("\u{3}");
    assert!(shown.contains(" · cancelled\n"), "{shown}");
    until_gone(&processes);
    chat.types_until("and now?\r", "Good morning.");
    chat.until_prompt("");
    chat.types("\u{3}");
    assert_eq!(chat.code(), 130);
    assert!(chat.is_as_it_was());
}

#[test]
fn o1_ctrl_c_twice_leaves_and_nothing_runs_on() {
    let folder = sleeper();
    let mut chat = chat_in(&folder, (60, 20), &[]);
    chat.enter("sleep");
    let processes = asleep(&folder);
    chat.types("\u{3}");
    // The system joins signals that come at the same time. This one comes while the run ends, or at the prompt.
    std::thread::sleep(std::time::Duration::from_millis(50));
    chat.types("\u{3}");
    assert_eq!(chat.code(), 130);
    until_gone(&processes);
    assert!(chat.is_as_it_was());
}

#[test]
fn o1_ctrl_c_at_a_question_cancels_the_run() {
    let folder = asker("", "Well.");
    let mut chat = chat_in(&folder, (60, 20), &[]);
    chat.enter_until("ask", "decline> ");
    let shown = chat.types_to_prompt("\u{3}");
    assert!(shown.contains(" · cancelled\n"), "{shown}");
    chat.types_until("go on\r", "Well.");
    chat.enter("/quit");
    assert_eq!(chat.code(), 0);
}

#[test]
fn o1_an_open_question_pauses_the_run_and_is_asked_again() {
    let folder = asker("", "I take {last}.");
    let chat = chat_in(&folder, (60, 20), &[]);
    chat.enter_until("ask", "decline> ");
    let shown = chat.types_to_prompt("\u{4}");
    assert!(shown.contains("the run is paused, because it waits for answers:"), "{shown}");
    chat.types("/resume\r");
    chat.until("the question again", |shown| shown.matches("decline> ").count() == 2);
    chat.types_until("this\r", "I take this.");
    chat.enter_until("/resume", "no run is paused");
}

#[test]
fn o1_a_line_that_is_typed_for_a_question_that_is_closed_is_no_input() {
    let folder = asker("limits: { time_sec: 1 }\n", "You say: {input}");
    let mut chat = chat_in(&folder, (70, 20), &[]);
    chat.enter_until("ask", "decline> ");
    chat.types("re");
    // The time of the run is over, and the line that was begun is still there.
    let shown = chat.until_shows("the question is closed: the next line is dropped, press Enter");
    assert!(shown.trim_end().ends_with("decline> re"), "{shown}");
    let shown = chat.types_to_prompt("d\r");
    assert!(shown.contains("error: the agent `asker` reached its limit of"), "{shown}");
    chat.types_until("hello\r", "You say: hello");
    chat.leave();
}

#[test]
fn o1_signals_end_a_chat_and_leave_the_terminal_as_it_was() {
    for (signal, code) in [(Signal::SIGTERM, 143), (Signal::SIGHUP, 129)] {
        // At the prompt, where the terminal has other modes.
        let folder = sleeper();
        let mut chat = chat_in(&folder, (60, 20), &[]);
        chat.until_prompt("");
        chat.signal(signal);
        assert_eq!(chat.code(), code);
        assert!(chat.is_as_it_was());
        // In a run.
        let mut chat = chat_in(&folder, (60, 20), &[]);
        chat.enter("sleep");
        let processes = asleep(&folder);
        chat.signal(signal);
        assert_eq!(chat.code(), code);
        until_gone(&processes);
        assert!(chat.is_as_it_was());
    }
}
