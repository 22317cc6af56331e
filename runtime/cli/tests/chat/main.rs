//! `chat` as a user has it: in a terminal, and through pipes.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "tests say what they expect")]

mod flood;
#[path = "../commands/folder.rs"]
#[allow(dead_code, reason = "other tests use the rest")]
mod folder;
mod leaving;
mod lost;
mod newcomer;
mod opened;
mod pipes;
mod saved;
mod screen;
mod session;
mod stored;
mod terminal;
mod text;
mod typeahead;
mod workflow;

use folder::Folder;
use screen::Terminal;

/// A desk that calls a tool and an agent, asks, and goes on.
fn desk() -> Folder {
    Folder::new(&[
        (
            "cards/desk.md",
            "---\ndefault: true\nagents: [helper]\nruntime: [shell.execute, human.input]\napproval: []\n---\nServe the customer.\n",
        ),
        (
            "cards/helper.md",
            "---\ndescription: Looks things up.\nruntime: [shell.execute]\napproval: []\n---\nHelp.\n",
        ),
        (
            "script.yaml",
            r#"
desk:
  - say: Let me see.
    calls:
      - { tool: shell_execute, args: { command: "echo one" } }
      - { tool: agent__helper, args: { input: "Look." } }
  - say: "All is well:\nyours, \e[31mthe desk."
  - calls: [{ tool: human_input, args: { question: Which colour? } }]
  - say: I take {last}.
helper:
  - calls: [{ tool: shell_execute, args: { command: "while [ ! -e go ]; do sleep 0.05; done" } }]
  - say: Looked.
"#,
        ),
    ])
}

/// An agent whose first call does not end.
fn sleeper() -> Folder {
    Folder::new(&[
        ("cards/sleeper.md", "---\nruntime: [shell.execute]\napproval: []\n---\nSleep.\n"),
        (
            "script.yaml",
            r#"
sleeper:
  - calls: [{ tool: shell_execute, args: { command: "echo $$ > pid; sleep 600 & echo $! > child; wait" } }]
  - say: Good morning.
"#,
        ),
    ])
}

const DESK: [&str; 5] = ["chat", "--card", "cards", "--model", "script:script.yaml"];

/// A chat in a terminal, in a window of so many columns and rows.
fn chat_in(folder: &Folder, window: (u16, u16), variables: &[(&str, &str)]) -> Terminal {
    Terminal::new(env!("CARGO_BIN_EXE_onionskin"), &folder.path(""), window, variables, &DESK)
}
