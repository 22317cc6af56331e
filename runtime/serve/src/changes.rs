//! Changes of what a server offers, for the clients that listen.

use std::sync::{Mutex, PoisonError};

use rmcp::model::{ResourceUpdatedNotificationParam, SubscriptionFilter};
use rmcp::service::{Peer, RoleServer, SubscriptionSink};
use tokio::sync::broadcast;

/// The number of changes that a slow listener may be behind. It is then notified of a change of each list.
const CAPACITY: usize = 64;

/// A change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Change {
    Tools,
    Prompts,
    Resources,
    /// The content of the resource with this URI.
    Resource(String),
}

/// Reports changes to listeners.
#[derive(Debug)]
pub(crate) struct Changes(broadcast::Sender<Change>);

impl Default for Changes {
    fn default() -> Self {
        Self(broadcast::Sender::new(CAPACITY))
    }
}

impl Changes {
    pub(crate) fn publish(&self, change: Change) {
        // Without listeners nobody has to know.
        let _ = self.0.send(change);
    }

    pub(crate) fn listen(&self) -> Listener {
        Listener(self.0.subscribe())
    }
}

/// A listener, until it is dropped.
pub(crate) struct Listener(broadcast::Receiver<Change>);

impl Listener {
    /// The next changes; `None` if the server is gone.
    async fn next(&mut self) -> Option<Vec<Change>> {
        match self.0.recv().await {
            Ok(change) => Some(vec![change]),
            Err(broadcast::error::RecvError::Lagged(_)) => {
                Some(vec![Change::Tools, Change::Prompts, Change::Resources])
            }
            Err(broadcast::error::RecvError::Closed) => None,
        }
    }

    /// Notifies the client of a session, until it is gone. `watched` has the resources that it watches.
    pub(crate) async fn notify_session(mut self, peer: &Peer<RoleServer>, watched: &Mutex<Vec<String>>) {
        while let Some(changes) = self.next().await {
            for change in changes {
                let sent = match change {
                    Change::Tools => peer.notify_tool_list_changed().await,
                    Change::Prompts => peer.notify_prompt_list_changed().await,
                    Change::Resources => peer.notify_resource_list_changed().await,
                    Change::Resource(uri) => {
                        let is_watched =
                            watched.lock().unwrap_or_else(PoisonError::into_inner).contains(&uri);
                        if !is_watched {
                            continue;
                        }
                        peer.notify_resource_updated(ResourceUpdatedNotificationParam::new(uri)).await
                    }
                };
                if sent.is_err() {
                    return;
                }
            }
        }
    }

    /// Notifies a subscription of what it asked for, until it is gone.
    pub(crate) async fn notify_subscription(mut self, sink: &SubscriptionSink) {
        while let Some(changes) = self.next().await {
            for change in changes.into_iter().filter(|change| is_accepted(change, sink.accepted())) {
                let sent = match change {
                    Change::Tools => sink.notify_tool_list_changed().await,
                    Change::Prompts => sink.notify_prompt_list_changed().await,
                    Change::Resources => sink.notify_resource_list_changed().await,
                    Change::Resource(uri) => sink.notify_resource_updated(uri).await,
                };
                if sent.is_err() {
                    return;
                }
            }
        }
    }
}

fn is_accepted(change: &Change, filter: &SubscriptionFilter) -> bool {
    match change {
        Change::Tools => filter.tools_list_changed == Some(true),
        Change::Prompts => filter.prompts_list_changed == Some(true),
        Change::Resources => filter.resources_list_changed == Some(true),
        Change::Resource(uri) => {
            filter.resource_subscriptions.as_ref().is_some_and(|uris| uris.contains(uri))
        }
    }
}
