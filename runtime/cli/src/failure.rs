//! Why a command ends without a result.

use std::fmt::Display;
use std::process::ExitCode;

use crate::output;

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
    #[cfg(feature = "mcp")]
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Shows the failure, and gives its exit code.
    pub(crate) fn report(&self) -> ExitCode {
        if !self.text.is_empty() {
            output::error(&self.text);
        }
        ExitCode::from(self.code)
    }
}
