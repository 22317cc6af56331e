//! Why cards could not be loaded again.

use onionskin_core::BuildError;

use crate::error::LoadError;

/// Why cards could not be loaded. Then the agents stay what they were.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReloadError {
    /// The cards have mistakes.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// Their agents could not be built.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// Code of the program panicked while the cards were loaded: the function that makes the app, for example.
    #[error("code of the program panicked while its cards were loaded: {0}")]
    Panicked(String),
}
