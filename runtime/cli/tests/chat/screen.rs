//! A program in a terminal, and what its screen shows.

use std::io::{Read as _, Write as _};
use std::num::NonZeroU16;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::Child;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::sys::termios::{LocalFlags, tcgetattr};
use nix::unistd::Pid;
use pty_process::Size;
use pty_process::blocking::{Command, Pty, open};

/// How long something may take on a busy machine.
const LONG: Duration = Duration::from_secs(30);

pub(crate) struct Terminal {
    pty: Arc<Pty>,
    program: Child,
    seen: Arc<Mutex<Recorded>>,
    /// Chats keep their state here.
    _state: tempfile::TempDir,
}

struct Recorded {
    screen: vt100::Parser,
    bytes: Vec<u8>,
}

fn cells(count: u16) -> NonZeroU16 {
    NonZeroU16::new(count).unwrap()
}

impl Terminal {
    /// Starts a program in a folder, in a window of this size.
    pub(crate) fn new(
        program: &str,
        folder: &Path,
        (columns, rows): (u16, u16),
        variables: &[(&str, &str)],
        arguments: &[&str],
    ) -> Self {
        let (pty, end) = open().unwrap();
        pty.resize(Size::new(rows, columns)).unwrap();
        let mut command = Command::new(program).args(arguments).current_dir(folder);
        command = command.env("TERM", "xterm-256color").env_remove("NO_COLOR");
        let state = tempfile::tempdir().unwrap();
        command = command.env("XDG_STATE_HOME", state.path()).env("XDG_CONFIG_HOME", state.path());
        for (name, value) in variables {
            command = command.env(name, value);
        }
        let program = command.spawn(end).unwrap();
        let (pty, screen) = (Arc::new(pty), vt100::Parser::new(cells(rows), cells(columns), 0));
        let seen = Arc::new(Mutex::new(Recorded { screen, bytes: Vec::new() }));
        let (reads, sees) = (Arc::clone(&pty), Arc::clone(&seen));
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            // When the program has ended, reading ends with an error.
            while let Ok(count @ 1..) = (&*reads).read(&mut buffer) {
                let mut seen = sees.lock().unwrap();
                seen.screen.process(&buffer[..count]);
                seen.bytes.extend_from_slice(&buffer[..count]);
            }
        });
        Self { pty, program, seen, _state: state }
    }

    pub(crate) fn types(&self, keys: &str) {
        self.types_bytes(keys.as_bytes());
    }

    pub(crate) fn types_bytes(&self, keys: &[u8]) {
        (&*self.pty).write_all(keys).unwrap();
    }

    /// What the screen shows now.
    pub(crate) fn shows(&self) -> String {
        self.seen.lock().unwrap().screen.screen().contents()
    }

    /// All that was written to the terminal.
    pub(crate) fn output(&self) -> String {
        String::from_utf8_lossy(&self.seen.lock().unwrap().bytes).into_owned()
    }

    /// Waits until the screen is like this.
    pub(crate) fn until(&self, what: &str, is_so: impl Fn(&str) -> bool) -> String {
        let begun = Instant::now();
        loop {
            let shown = self.shows();
            if is_so(&shown) {
                return shown;
            }
            assert!(begun.elapsed() < LONG, "waited in vain for {what}; the screen shows:\n{shown}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Waits until the screen has this text.
    pub(crate) fn until_shows(&self, text: &str) -> String {
        self.until(&format!("`{text}`"), |shown| shown.contains(text))
    }

    /// Waits for the prompt, with this text behind it.
    pub(crate) fn until_prompt(&self, text: &str) -> String {
        let line = format!("you> {text}");
        self.until(&format!("the prompt `{line}`"), |shown| {
            shown.trim_end().lines().last().is_some_and(|last| last.trim_end() == line.trim_end())
        })
    }

    /// Writes a line at the prompt, and waits until the screen shows something of it: the prompt before it is not taken for the next one.
    pub(crate) fn enter(&self, line: &str) {
        self.until_prompt("");
        let before = self.byte_count();
        self.types(&format!("{line}\r"));
        self.until("what was typed", |_| self.byte_count() > before);
    }

    /// The number of bytes that were written to the terminal.
    fn byte_count(&self) -> usize {
        self.seen.lock().unwrap().bytes.len()
    }

    /// Types, and waits until the screen has this text.
    pub(crate) fn types_until(&self, keys: &str, text: &str) -> String {
        self.types(keys);
        self.until_shows(text)
    }

    /// Types, and waits for the prompt.
    pub(crate) fn types_to_prompt(&self, keys: &str) -> String {
        self.types(keys);
        self.until_prompt("")
    }

    /// Writes a line at the prompt, and waits until the screen has this text.
    pub(crate) fn enter_until(&self, line: &str, text: &str) -> String {
        self.enter(line);
        self.until_shows(text)
    }

    /// Leaves at the prompt.
    pub(crate) fn leave(&mut self) {
        self.until_prompt("");
        self.types("\u{4}");
        assert_eq!(self.code(), 0);
    }

    pub(crate) fn resize(&self, columns: u16, rows: u16) {
        self.seen.lock().unwrap().screen.screen_mut().set_size(cells(rows), cells(columns));
        self.pty.resize(Size::new(rows, columns)).unwrap();
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill(Pid::from_raw(self.program.id().try_into().unwrap()), signal).unwrap();
    }

    /// The ids of the processes that the program has started, and that run.
    #[allow(dead_code, reason = "not each program that is tested starts some")]
    pub(crate) fn children(&self) -> Vec<String> {
        let id = self.program.id().to_string();
        let listed = std::process::Command::new("ps").args(["-o", "pid=", "--ppid", &id]).output().unwrap();
        String::from_utf8(listed.stdout).unwrap().split_whitespace().map(str::to_owned).collect()
    }

    /// Whether typed characters are shown and lines are edited by the system, as for a shell's command.
    pub(crate) fn is_as_it_was(&self) -> bool {
        let modes = tcgetattr(&*self.pty).unwrap().local_flags;
        modes.contains(LocalFlags::ECHO | LocalFlags::ICANON | LocalFlags::ISIG)
    }

    /// Waits for the end of the program, and gives its exit code.
    pub(crate) fn code(&mut self) -> i32 {
        let begun = Instant::now();
        loop {
            if let Some(status) = self.program.try_wait().unwrap() {
                return status.code().unwrap_or_else(|| panic!("it was killed: {:?}", status.signal()));
            }
            assert!(begun.elapsed() < LONG, "it does not end; the screen shows:\n{}", self.shows());
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Terminal {
    /// A test that failed leaves nothing running.
    fn drop(&mut self) {
        let _ = self.program.kill();
        let _ = self.program.wait();
    }
}

/// Whether the process of this id runs.
pub(crate) fn runs(pid: &str) -> bool {
    Pid::from_raw(pid.trim().parse().unwrap()) > Pid::from_raw(1) && is_alive(pid.trim())
}

fn is_alive(pid: &str) -> bool {
    let state = std::process::Command::new("ps").args(["-o", "stat=", "-p", pid]).output().unwrap().stdout;
    !state.is_empty() && !state.starts_with(b"Z")
}

/// Waits until something is so.
pub(crate) fn until(what: &str, is_so: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < LONG, "waited in vain for {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}
