//! `KnowledgeError` says why a knowledge base failed.

use rusqlite::ErrorCode;

use crate::cut;

/// Characters of an error of `SQLite`.
const REASON: usize = 300;

/// The reason why a [`KnowledgeBase`](super::KnowledgeBase) failed. The model gets the text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[cfg(feature = "knowledge-base")]
pub enum KnowledgeError {
    /// The file cannot be opened.
    #[error("the knowledge base `{file}` cannot be opened: {reason}")]
    #[non_exhaustive]
    Open {
        /// The file.
        file: String,
        /// Why, in 300 characters at most.
        reason: String,
    },
    /// The file has another format, or was written by a later version.
    #[error("`{file}` is not a knowledge base of this version; it was left as it is: give another path")]
    #[non_exhaustive]
    Foreign {
        /// The file.
        file: String,
    },
    /// The document does not exist.
    #[error("no document has the id {id}; `search` returns the ids of documents")]
    #[non_exhaustive]
    NoDocument {
        /// The id.
        id: i64,
    },
    /// The query has no word.
    #[error("the query holds no word: search for words that the document may hold, such as its subject")]
    NoWords,
    /// The document is too long.
    #[error(
        "{field} is too long: {most} {unit} at most, found {found}; nothing was kept, split it into several documents"
    )]
    #[non_exhaustive]
    TooLong {
        /// The field that is too long.
        field: &'static str,
        /// The unit of the numbers.
        unit: &'static str,
        /// The limit.
        most: usize,
        /// The number in the document.
        found: usize,
    },
    /// It was opened for reading, or the file cannot be written.
    #[error("this knowledge base can only be read: nothing was changed")]
    ReadOnly,
    /// The disk, or what [`max_size`](super::KnowledgeBase::max_size) allows, is full.
    #[error(
        "the storage is full, so nothing was changed: delete documents that are not needed, or tell the user"
    )]
    Full,
    /// Another program was writing for longer than a call waits.
    #[error("another program is writing to this knowledge base: nothing was changed; try again later")]
    Busy,
    /// Another error of `SQLite`.
    #[error("the knowledge base failed: {reason}")]
    #[non_exhaustive]
    Storage {
        /// Its text, at most 300 characters.
        reason: String,
    },
}

impl KnowledgeError {
    /// No `From`: a public conversion would make each version of rusqlite a version of this crate.
    pub(super) fn from_sqlite(error: &rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::ReadOnly) => Self::ReadOnly,
            Some(ErrorCode::DiskFull) => Self::Full,
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Busy,
            _ => Self::Storage { reason: reason(error) },
        }
    }
}

/// An error of `SQLite` contains words of the file, such as a table's name, which would go to the model. So it is cut to one
/// short line.
pub(super) fn reason(error: &rusqlite::Error) -> String {
    let said = error.to_string();
    let is_space = |c: char| c.is_whitespace() || c.is_control();
    let words: Vec<_> = said.split(is_space).filter(|word| !word.is_empty()).collect();
    cut(&words.join(" "), REASON)
}
