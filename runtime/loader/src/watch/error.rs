//! Why cards could not be loaded again.

use std::fmt;

use onionskin_core::BuildError;

use crate::error::LoadError;

/// Why cards could not be loaded. Then the agents stay what they were. `Debug` gives the text of the error, as that of [`LoadError`] does.
#[derive(thiserror::Error)]
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

impl fmt::Debug for ReloadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
