//! The terminal of the chat: whether there is one, its size and its modes.

use std::ffi::OsString;
use std::io::{self, IsTerminal as _};

use terminal_size::{Height, Width, terminal_size};

use crate::text;

/// The columns and rows of a terminal that does not say them.
const USUAL: (usize, usize) = (80, 24);

/// The standard streams of the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Streams {
    /// Lines are edited, and the tree is redrawn in place.
    pub(super) is_live: bool,
    /// A person types.
    pub(super) is_typed: bool,
    pub(super) has_colours: bool,
}

impl Streams {
    pub(super) fn process() -> Self {
        let (input, output) = (io::stdin().is_terminal(), io::stdout().is_terminal());
        Self::detect(input, output, |variable| std::env::var_os(variable))
    }

    fn detect(input: bool, output: bool, variable: impl Fn(&str) -> Option<OsString>) -> Self {
        let is_dumb = variable("TERM").is_none_or(|term| term.is_empty() || term == "dumb") && !cfg!(windows);
        let has_no_colours = variable("NO_COLOR").is_some_and(|value| !value.is_empty());
        let is_live = input && output && !is_dumb;
        Self { is_live, is_typed: input, has_colours: is_live && !has_no_colours }
    }
}

/// The columns and rows of the terminal now.
pub(super) fn size() -> (usize, usize) {
    match terminal_size() {
        Some((Width(columns), Height(rows))) if columns > 0 && rows > 0 => (columns.into(), rows.into()),
        _ => USUAL,
    }
}

/// The text with whole words in the rows of the terminal, if there is one.
pub(super) fn fitted(text: &str) -> String {
    if Streams::process().is_live { text::fitted(text, size().0) } else { text.to_owned() }
}

/// The modes of the terminal as they were. They are set again when this is dropped.
#[derive(Debug)]
pub(super) struct Modes {
    #[cfg(unix)]
    before: Option<nix::sys::termios::Termios>,
}

#[cfg(unix)]
impl Modes {
    pub(super) fn keep() -> Self {
        Self { before: nix::sys::termios::tcgetattr(io::stdin()).ok() }
    }

    /// Shows no typed characters until the value is dropped. They are kept for the next line, also when Ctrl-C comes.
    pub(super) fn without_echo() -> Self {
        use nix::sys::termios::{LocalFlags, SetArg, tcsetattr};

        let modes = Self::keep();
        if let Some(mut quiet) = modes.before.clone() {
            quiet.local_flags.remove(LocalFlags::ECHO);
            quiet.local_flags.insert(LocalFlags::NOFLSH);
            let _ = tcsetattr(io::stdin(), SetArg::TCSADRAIN, &quiet);
        }
        modes
    }
}

#[cfg(unix)]
impl Drop for Modes {
    fn drop(&mut self) {
        use nix::sys::termios::{SetArg, tcsetattr};

        // A terminal that is gone has no modes.
        if let Some(before) = &self.before {
            let _ = tcsetattr(io::stdin(), SetArg::TCSADRAIN, before);
        }
    }
}

#[cfg(not(unix))]
impl Modes {
    pub(super) fn keep() -> Self {
        Self {}
    }

    pub(super) fn without_echo() -> Self {
        Self {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn o1_colours_need_a_terminal_that_has_them_and_a_user_who_wants_them() {
        let streams = |input, output, variables: &[(&str, &str)]| {
            let value =
                |name: &str| variables.iter().find(|(key, _)| *key == name).map(|(_, value)| value.into());
            let Streams { is_live, has_colours, .. } = Streams::detect(input, output, value);
            (is_live, has_colours)
        };
        assert_eq!(streams(true, true, &[("TERM", "xterm")]), (true, true));
        assert_eq!(streams(true, true, &[("TERM", "xterm"), ("NO_COLOR", "1")]), (true, false));
        assert_eq!(streams(true, true, &[("TERM", "xterm"), ("NO_COLOR", "")]), (true, true));
        assert_eq!(streams(true, true, &[("TERM", "dumb")]), (false, false));
        assert_eq!(streams(true, true, &[]), (false, false));
        assert_eq!(streams(false, true, &[("TERM", "xterm")]), (false, false));
        assert_eq!(streams(true, false, &[("TERM", "xterm")]), (false, false));
    }
}
