//! A `Fault` says why a server had to be ended.

use std::sync::{Arc, OnceLock};

use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// Ends a server that cannot go on, and keeps why.
#[derive(Clone)]
pub(crate) struct Fault(Arc<Inner>);

struct Inner {
    how: OnceLock<Arc<str>>,
    raised: CancellationToken,
    kill: Arc<Notify>,
}

impl Fault {
    /// `kill` ends the server's process.
    pub(crate) fn new(kill: Arc<Notify>) -> Self {
        Self(Arc::new(Inner { how: OnceLock::new(), raised: CancellationToken::new(), kill }))
    }

    /// Ends the server; the first reason counts.
    pub(crate) fn end(&self, how: String) {
        if self.0.how.set(how.into()).is_ok() {
            self.0.raised.cancel();
            self.0.kill.notify_one();
        }
    }

    /// Why the server was ended, if it was.
    pub(crate) fn how(&self) -> Option<Arc<str>> {
        self.0.how.get().cloned()
    }

    pub(super) async fn raised(&self) {
        self.0.raised.cancelled().await;
    }
}
