//! The failure of a command and its exit code.

use std::fmt::Display;
use std::process::ExitCode;

/// The exit code of a command that found problems or a difference.
pub(crate) const FOUND: u8 = 1;

/// The exit code of a failure.
pub(crate) const FAILED: u8 = 2;

/// Why a command ends without a result.
#[derive(Debug)]
pub(crate) struct Failure {
    /// For the user; may be empty.
    text: String,
    code: u8,
}

impl Failure {
    pub(crate) fn new(error: impl Display) -> Self {
        Self { text: error.to_string(), code: FAILED }
    }

    /// A signal ended the command. Shells expect 128 and the signal's number.
    pub(crate) fn interrupted(signal: u8) -> Self {
        Self { text: String::new(), code: 128 + signal }
    }

    /// The words for the user.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn exit_code(&self) -> ExitCode {
        ExitCode::from(self.code)
    }
}
