//! The abort latch: once it is set, no hook can undo the abort. And the token that ends with its call.

use std::sync::OnceLock;
use std::sync::atomic::Ordering;

use tokio_util::sync::CancellationToken;

use super::ToolContext;
use crate::error::Abort;

/// Set by the first abort of a run. It cancels everything beneath the run.
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

    /// Sets the latch. The first abort is kept.
    pub(crate) fn set(&self, abort: Abort) {
        let _ = self.abort.set(abort);
        self.token.cancel();
    }

    #[inline]
    pub(crate) fn get(&self) -> Option<&Abort> {
        self.abort.get()
    }

    /// The token that an abort or the run's cancellation cancels.
    pub(crate) fn token(&self) -> &CancellationToken {
        &self.token
    }
}

impl ToolContext {
    /// Aborts the run, and records that this call did it.
    #[cold]
    pub(crate) fn abort(&self, abort: &Abort) {
        self.extra().aborted.store(true, Ordering::Relaxed);
        self.run().abort(abort);
    }

    pub(crate) fn has_aborted(&self) -> bool {
        self.extra_if_any().is_some_and(|extra| extra.aborted.load(Ordering::Relaxed))
    }
}

/// The call's own token. The context that made it cancels it when the call ends.
pub(super) struct CallToken {
    pub(super) token: CancellationToken,
    pub(super) owner: bool,
}

impl Drop for CallToken {
    fn drop(&mut self) {
        if self.owner {
            self.token.cancel();
        }
    }
}
