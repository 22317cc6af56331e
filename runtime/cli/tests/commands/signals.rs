//! Signals in a run.

use std::fs;
use std::process::Stdio;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::folder::Folder;
use crate::processes::{runs, wait_until};

#[test]
fn o1_a_signal_ends_a_run_and_what_it_started() {
    for (signal, code) in [(Signal::SIGINT, 130), (Signal::SIGTERM, 143)] {
        let folder = Folder::new(&[
            ("sleeper.md", "---\nruntime: [shell.execute]\napproval: []\n---\nSleep.\n"),
            (
                "script.yaml",
                "sleeper:\n  - calls: [{ tool: shell_execute, args: { command: \"echo $$ > pid; sleep 600 & echo $! > child; wait\" } }]\n  - say: Done.\n",
            ),
        ]);
        let arguments = ["run", "--card", "sleeper.md", "--model", "script:script.yaml", "Sleep."];
        let mut program = folder.command(&arguments).stdout(Stdio::null()).spawn().unwrap();
        let pid = |name: &str| fs::read_to_string(folder.path(name)).unwrap_or_default();
        wait_until("the command", || pid("child").ends_with('\n'));
        kill(Pid::from_raw(program.id().try_into().unwrap()), signal).unwrap();
        assert_eq!(program.wait().unwrap().code(), Some(code));
        for name in ["pid", "child"] {
            wait_until("the end of the command", || !runs(pid(name).trim()));
        }
    }
}

#[test]
fn o1_a_signal_ends_a_run_that_waits_for_its_input() {
    let folder = Folder::adder();
    let mut command = folder.command(&["run", "--card", "cards/adder.md", "--model", "script:script.yaml"]);
    let mut program = command.stdin(Stdio::piped()).spawn().unwrap();
    // Waiting for the program would close it.
    let input = program.stdin.take();
    // The program takes the signal once its handler is there.
    let caught = || {
        let status = fs::read_to_string(format!("/proc/{}/status", program.id())).unwrap_or_default();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:\t")).unwrap_or("0").to_owned();
        u64::from_str_radix(&mask, 16).unwrap() & (1 << (Signal::SIGINT as u32 - 1)) != 0
    };
    wait_until("the handler", caught);
    kill(Pid::from_raw(program.id().try_into().unwrap()), Signal::SIGINT).unwrap();
    assert_eq!(program.wait().unwrap().code(), Some(130));
    drop(input);
}
