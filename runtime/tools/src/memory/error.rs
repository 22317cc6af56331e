//! Errors of stores of memories.

use std::sync::Arc;

use onionskin_definitions::error::{BoxError, ToolError};

use crate::search::SearchTooLong;

/// What failed, without a reason.
const STORAGE: &str = "the memories cannot be read or written";

/// The reason why a store of memories did nothing.
///
/// ```
/// use onionskin::memory::MemoryError;
///
/// let error = MemoryError::storage("the disk is full");
/// assert_eq!(error.to_string(), "the memories cannot be read or written: the disk is full");
/// ```
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum MemoryError {
    /// The storage failed, for example because a disk is full or a file is damaged.
    #[error("{STORAGE}: {0}")]
    Storage(#[source] Arc<dyn std::error::Error + Send + Sync>),
    /// A tool for the memories of a user was called in a run without a user.
    #[error("this conversation has no user whose memories these could be")]
    NoUser,
    /// A tool added a memory to as many as it may store.
    #[error(
        "there are {max} memories already, and that is the limit: one must be forgotten before the next one is added"
    )]
    #[non_exhaustive]
    Full {
        /// The maximum number.
        max: usize,
    },
    /// The text to search for is too long.
    #[error(transparent)]
    SearchTooLong(#[from] SearchTooLong),
}

impl MemoryError {
    /// There are as many memories as a tool may store.
    pub fn full(max: usize) -> Self {
        Self::Full { max }
    }

    /// The storage failed.
    pub fn storage(source: impl Into<BoxError>) -> Self {
        Self::Storage(source.into().into())
    }
}

/// For tools: the model does not read why the storage failed, because the reason can name places of the machine. The program has
/// it as the source.
impl From<MemoryError> for ToolError {
    fn from(error: MemoryError) -> Self {
        match error {
            MemoryError::Storage(_) => Self::new(STORAGE).with_source(error),
            MemoryError::NoUser | MemoryError::Full { .. } | MemoryError::SearchTooLong(_) => {
                Self::from_source(error)
            }
        }
    }
}
