//! Our end of the protocol: what a server may send us unasked.

use std::collections::HashMap;
use std::sync::Arc;

use rmcp::ClientHandler;
use rmcp::model::{
    ClientCapabilities, ClientConfig, Implementation, ProgressNotificationParam, ProgressToken,
};
use rmcp::service::{NotificationContext, RoleClient};
use tokio::sync::{Mutex, mpsc};

/// Progress reports that may wait for their call to look at them; further ones are dropped.
const WAITING: usize = 64;

/// The calls that wait for progress reports.
#[derive(Clone, Default)]
pub(super) struct Listeners(Arc<Mutex<Calls>>);

type Calls = HashMap<ProgressToken, mpsc::Sender<ProgressNotificationParam>>;

impl Listeners {
    /// Makes a call and listens to its progress. The token is known only when the request is on its way, so
    /// reports wait until that is done.
    pub(super) async fn listen<T, E>(
        &self,
        sending: impl Future<Output = Result<T, E>>,
        token: impl FnOnce(&T) -> ProgressToken,
    ) -> Result<(T, mpsc::Receiver<ProgressNotificationParam>), E> {
        let mut calls = self.0.lock().await;
        calls.retain(|_, call| !call.is_closed());
        let sent = sending.await?;
        let (sender, receiver) = mpsc::channel(WAITING);
        calls.insert(token(&sent), sender);
        Ok((sent, receiver))
    }
}

/// Takes what a server sends: progress, and that its tools changed. All else is left to the library, which
/// declines it.
pub(super) struct Client {
    pub(super) listeners: Listeners,
    /// Holds one message at most: that the tools changed once is as good as twice.
    pub(super) tools_changed: mpsc::Sender<()>,
}

impl ClientHandler for Client {
    fn get_info(&self) -> ClientConfig {
        let implementation = Implementation::new("onionskin", env!("CARGO_PKG_VERSION"));
        ClientConfig::new(ClientCapabilities::default(), implementation)
    }

    async fn on_progress(&self, report: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        if let Some(call) = self.listeners.0.lock().await.get(&report.progress_token) {
            let _ = call.try_send(report);
        }
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        let _ = self.tools_changed.try_send(());
    }
}
