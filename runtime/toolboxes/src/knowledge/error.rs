//! Why a knowledge base did not do what it was asked for.

use rusqlite::ErrorCode;

use crate::cut;

/// Characters of what `SQLite` says.
const REASON: usize = 300;

/// Why a [`KnowledgeBase`](super::KnowledgeBase) did not do what it was asked for. The model is told the text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KnowledgeError {
    /// The file cannot be opened.
    #[error("the knowledge base `{file}` cannot be opened: {reason}")]
    Open {
        /// The file.
        file: String,
        /// Why, in 300 characters at most.
        reason: String,
    },
    /// The file is something else, or was written by a later version.
    #[error("`{file}` is not a knowledge base of this version; it was left as it is: give another path")]
    Foreign {
        /// The file.
        file: String,
    },
    /// There is no such document.
    #[error("there is no document {id}; `search` gives the ids of those that there are")]
    NoDocument {
        /// The id.
        id: i64,
    },
    /// There is nothing to search for.
    #[error("the query holds no word: search for words that the document may hold, such as its subject")]
    NoWords,
    /// More than a document holds.
    #[error(
        "{field} is too long: {most} {unit} at most, found {found}; nothing was kept, split it into several documents"
    )]
    TooLong {
        /// What is too long.
        field: &'static str,
        /// What is counted.
        unit: &'static str,
        /// How many there may be.
        most: usize,
        /// How many there are.
        found: usize,
    },
    /// It was opened for reading, or the file cannot be written.
    #[error("this knowledge base can only be read: nothing was changed")]
    ReadOnly,
    /// The disk, or what [`max_size`](super::KnowledgeBase::max_size) allows, is full.
    #[error(
        "there is no room left for this: nothing was changed; delete documents that nobody needs, or tell the user"
    )]
    Full,
    /// Somebody else was writing for longer than a call waits.
    #[error("another program is writing to this knowledge base: nothing was changed; try again later")]
    Busy,
    /// Anything else that `SQLite` says.
    #[error("the knowledge base failed: {reason}")]
    Storage {
        /// What it says, 300 characters at most.
        reason: String,
    },
}

impl From<rusqlite::Error> for KnowledgeError {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::ReadOnly) => Self::ReadOnly,
            Some(ErrorCode::DiskFull) => Self::Full,
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Busy,
            _ => Self::Storage { reason: reason(&error) },
        }
    }
}

/// What `SQLite` says holds words of the file's own, such as a table's name, and a model would be told them: one line, no
/// longer than it takes to know what is wrong.
pub(super) fn reason(error: &rusqlite::Error) -> String {
    let said = error.to_string();
    let is_space = |c: char| c.is_whitespace() || c.is_control();
    let words: Vec<_> = said.split(is_space).filter(|word| !word.is_empty()).collect();
    cut(&words.join(" "), REASON)
}
