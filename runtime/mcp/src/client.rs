//! Our end of the protocol: handles what a server sends without a request.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard};

use rmcp::ClientHandler;
use rmcp::model::{
    ClientCapabilities, ClientConfig, Implementation, ProgressNotificationParam, ProgressToken,
};
use tokio::sync::mpsc;

use super::announced::Changes;
use super::visible::visible;
use crate::mutex::lock;

/// Progress reports that may wait for their call to look at them; further ones are dropped.
const WAITING: usize = 64;

/// The receivers of what a server sends without a request.
#[derive(Clone)]
pub(super) struct Unasked {
    listeners: Listeners,
    changes: Changes,
}

impl Unasked {
    pub(super) fn new(listeners: Listeners, changes: Changes) -> Self {
        Self { listeners, changes }
    }

    pub(super) fn progress(&self, mut report: ProgressNotificationParam) {
        report.message = report.message.map(|message| visible(&message));
        let mut listeners = self.listeners.lock();
        match listeners.calls.get(&report.progress_token) {
            Some(call) => drop(call.try_send(report)),
            // The first report may be faster than the call that begins to listen.
            None => {
                if listeners.early.len() == WAITING {
                    listeners.early.pop_front();
                }
                listeners.early.push_back(report);
            }
        }
    }

    pub(super) fn tools_changed(&self) {
        self.changes.announce();
    }
}

/// The calls that wait for progress reports.
#[derive(Clone, Default)]
pub(super) struct Listeners(Arc<Mutex<Calls>>);

#[derive(Default)]
struct Calls {
    calls: HashMap<ProgressToken, mpsc::Sender<ProgressNotificationParam>>,
    /// Reports for calls that do not listen yet, or no longer.
    early: VecDeque<ProgressNotificationParam>,
}

impl Listeners {
    /// Listens to the progress of a call that was just sent.
    pub(super) fn listen(&self, token: &ProgressToken) -> mpsc::Receiver<ProgressNotificationParam> {
        let (sender, receiver) = mpsc::channel(WAITING);
        let mut listeners = self.lock();
        listeners.calls.retain(|_, call| !call.is_closed());
        let (mine, others) = std::mem::take(&mut listeners.early)
            .into_iter()
            .partition(|report| report.progress_token == *token);
        listeners.early = others;
        for report in mine {
            let _ = sender.try_send(report);
        }
        listeners.calls.insert(token.clone(), sender);
        receiver
    }

    fn lock(&self) -> MutexGuard<'_, Calls> {
        lock(&self.0)
    }
}

/// The client side of a connection, with its description for the server.
pub(super) struct Client;

impl ClientHandler for Client {
    fn get_info(&self) -> ClientConfig {
        let implementation = Implementation::new("onionskin", env!("CARGO_PKG_VERSION"));
        ClientConfig::new(ClientCapabilities::default(), implementation)
    }
}
