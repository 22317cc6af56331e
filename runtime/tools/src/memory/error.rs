//! Errors of stores of memories.

use std::sync::Arc;

use onionskin_definitions::error::BoxError;

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
    #[error("the memories cannot be read or written: {0}")]
    Storage(#[source] Arc<dyn std::error::Error + Send + Sync>),
    /// A tool for the memories of a user was called in a run without a user.
    #[error("this conversation has no user whose memories these could be")]
    NoUser,
}

impl MemoryError {
    /// The storage failed.
    pub fn storage(source: impl Into<BoxError>) -> Self {
        Self::Storage(source.into().into())
    }
}
