//! Counts the changes of its tools that a server announced (`notifications/tools/list_changed`).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::watch;

/// The changes that a server announced, counted, and how many of them were listed.
#[derive(Clone, Default)]
pub(super) struct Changes {
    announced: watch::Sender<u64>,
    /// Up to which change a turn has waited for the list.
    wanted: watch::Sender<u64>,
    listed: watch::Sender<u64>,
    /// Whether the server is not asked yet because it was asked too often.
    is_held: Arc<AtomicBool>,
}

/// What the task that lists the changes knows of them. It does not keep the count of announced changes open, so it ends with the connection.
pub(super) struct Follower {
    /// The first look at it is a change.
    pub(super) announced: watch::Receiver<u64>,
    pub(super) wanted: watch::Receiver<u64>,
    pub(super) listed: watch::Sender<u64>,
    is_held: Arc<AtomicBool>,
}

impl Changes {
    /// Counts a change. A server that announces many in a row is listed once for all of them.
    pub(super) fn announce(&self) {
        self.announced.send_modify(|count| *count += 1);
    }

    /// Whether a change was announced and not listed yet.
    pub(super) fn are_pending(&self) -> bool {
        *self.listed.borrow() < *self.announced.borrow()
    }

    /// Whether the server is not asked for its changes yet because it was asked too often.
    pub(super) fn are_held(&self) -> bool {
        self.is_held.load(Ordering::Relaxed)
    }

    /// Waits for the list of the changes until now, which is made without a pause.
    pub(super) async fn listed(&self) {
        let announced = *self.announced.borrow();
        self.wanted.send_if_modified(|wanted| {
            let is_more = *wanted < announced;
            *wanted = announced.max(*wanted);
            is_more
        });
        // The sender is this value's own, so the wait cannot fail.
        let _ = self.listed.subscribe().wait_for(|listed| *listed >= announced).await;
    }

    /// The counts for the task that lists the changes.
    pub(super) fn follow(self) -> Follower {
        let mut announced = self.announced.subscribe();
        announced.mark_changed();
        let wanted = self.wanted.subscribe();
        Follower { announced, wanted, listed: self.listed, is_held: self.is_held }
    }
}

impl Follower {
    /// Says whether the server is not asked because it was asked too often.
    pub(super) fn hold(&self, is_held: bool) {
        self.is_held.store(is_held, Ordering::Relaxed);
    }
}
