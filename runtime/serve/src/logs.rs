//! The logs of a request in a session, on their way to the stream of the request. The protocol library would send them to another one.

use std::fmt;
use std::sync::{Arc, OnceLock};

use rmcp::model::ServerJsonRpcMessage;

type Store = dyn Fn(ServerJsonRpcMessage) + Send + Sync;

/// Known to the handler of the request, and to its stream.
#[derive(Clone, Default)]
pub(crate) struct RequestLogs(Arc<OnceLock<Box<Store>>>);

impl RequestLogs {
    /// Sets where the logs go, before the request is handled.
    pub(crate) fn go_to(&self, store: impl Fn(ServerJsonRpcMessage) + Send + Sync + 'static) {
        let _ = self.0.set(Box::new(store));
    }

    /// Sends a log, and lets the stream be read. Returns whether there is one.
    ///
    /// Cancel safety: the log is sent when the future is first polled.
    pub(crate) async fn send(&self, log: ServerJsonRpcMessage) -> bool {
        let Some(store) = self.0.get() else { return false };
        store(log);
        tokio::task::yield_now().await;
        true
    }
}

impl fmt::Debug for RequestLogs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RequestLogs").field("has_stream", &self.0.get().is_some()).finish()
    }
}
