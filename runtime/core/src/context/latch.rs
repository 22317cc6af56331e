//! The abort latch: once set, nothing a hook returns can undo it.

use std::sync::OnceLock;

use tokio_util::sync::CancellationToken;

use crate::error::Abort;

/// Set by the first abort of a run; it cancels everything beneath the run.
#[derive(Default)]
pub(crate) struct Latch {
    abort: OnceLock<Abort>,
    token: CancellationToken,
}

impl Latch {
    /// A latch that cancels `token` when it is set.
    pub(crate) fn new(token: CancellationToken) -> Self {
        Self { abort: OnceLock::new(), token }
    }

    /// The first abort stays.
    pub(crate) fn set(&self, abort: Abort) {
        let _ = self.abort.set(abort);
        self.token.cancel();
    }

    #[inline]
    pub(crate) fn get(&self) -> Option<&Abort> {
        self.abort.get()
    }

    /// Cancelled by an abort, or by whoever cancels the run.
    pub(crate) fn token(&self) -> &CancellationToken {
        &self.token
    }
}
