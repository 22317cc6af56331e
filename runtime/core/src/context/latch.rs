//! The abort latch: once it is set, no hook can undo the abort. And the token that ends with its call.

use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};

use tokio_util::sync::CancellationToken;

use super::ToolContext;
use crate::error::Abort;
use crate::model::ModelError;

/// Set by the first abort of a run. It cancels everything beneath the run.
#[derive(Default)]
pub(crate) struct Latch {
    end: OnceLock<(Abort, Option<ScriptFault>)>,
    token: CancellationToken,
}

/// A fault in the script of an agent's model, which is a mistake in a test. It ends the run and all runs above it, so that
/// no other script passes over it.
#[derive(Debug, Clone)]
pub(crate) struct ScriptFault {
    /// The agent whose script it is.
    pub(crate) agent: Arc<str>,
    pub(crate) error: ModelError,
}

impl Latch {
    /// A latch that cancels `token` when it is set.
    pub(crate) fn new(token: CancellationToken) -> Self {
        Self { end: OnceLock::new(), token }
    }

    /// Sets the latch. The first abort is kept, with the fault that is its reason.
    pub(crate) fn set(&self, abort: Abort, fault: Option<ScriptFault>) {
        let _ = self.end.set((abort, fault));
        self.token.cancel();
    }

    #[inline]
    pub(crate) fn get(&self) -> Option<&Abort> {
        self.end.get().map(|(abort, _)| abort)
    }

    /// The fault that is the reason of the abort, if there is one.
    pub(crate) fn fault(&self) -> Option<&ScriptFault> {
        self.end.get().and_then(|(_, fault)| fault.as_ref())
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

    /// Aborts the run because of a fault in a script, and records that this call did it.
    #[cold]
    pub(crate) fn abort_for(&self, fault: ScriptFault) {
        self.extra().aborted.store(true, Ordering::Relaxed);
        self.run().abort_for(fault);
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
