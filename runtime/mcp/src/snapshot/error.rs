//! `SnapshotError` says why a snapshot cannot be used, and `TakeError` why it cannot be taken.

use std::fmt;

use crate::error::McpError;

/// The reason why a snapshot cannot be read or written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SnapshotError {
    /// The file cannot be read.
    #[error("cannot read `{file}`: {reason}; run `onionskin mcp lock` to write it")]
    #[non_exhaustive]
    Read {
        /// The file.
        file: String,
        /// The reason.
        reason: String,
    },
    /// The file cannot be written.
    #[error("cannot write `{file}`: {reason}")]
    #[non_exhaustive]
    Write {
        /// The file.
        file: String,
        /// The reason.
        reason: String,
    },
    /// The file is not a snapshot.
    #[error("{file}:{line}:{column}: {reason}; run `onionskin mcp lock` to rewrite the file")]
    #[non_exhaustive]
    Format {
        /// The file.
        file: String,
        /// The line, counted from 1.
        line: usize,
        /// The column, counted from 1, in bytes.
        column: usize,
        /// The mistake.
        reason: String,
    },
    /// A later version of onionskin wrote the file.
    #[error(
        "`{file}` has version {version}, and this onionskin reads version {known}: update onionskin, or run `onionskin mcp lock` \
         to rewrite the file"
    )]
    #[non_exhaustive]
    TooNew {
        /// The file.
        file: String,
        /// The version of the file.
        version: u64,
        /// The version that this program reads.
        known: u64,
    },
    /// The file is too large.
    #[error(
        "`{file}` has more than {most} bytes: lock fewer servers, by their names: `onionskin mcp lock SERVER..`"
    )]
    #[non_exhaustive]
    TooLarge {
        /// The file.
        file: String,
        /// The maximum.
        most: usize,
    },
}

/// The servers of which no snapshot could be taken, each with its reason.
#[derive(Debug, Clone)]
pub struct TakeError {
    pub(crate) errors: Vec<McpError>,
}

impl TakeError {
    /// The reasons, one for each server. Each names its server, or the place of its configuration.
    pub fn errors(&self) -> &[McpError] {
        &self.errors
    }
}

impl fmt::Display for TakeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (nth, error) in self.errors.iter().enumerate() {
            write!(f, "{}{error}", if nth == 0 { "" } else { "\n" })?;
        }
        Ok(())
    }
}

impl std::error::Error for TakeError {}
