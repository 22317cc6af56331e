//! Counts the changes of its tools that a server announced (`notifications/tools/list_changed`).

use tokio::sync::watch;

/// The changes that a server announced, counted, and how many of them were listed.
#[derive(Clone, Default)]
pub(super) struct Changes {
    announced: watch::Sender<u64>,
    listed: watch::Sender<u64>,
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

    /// Waits for the list of the changes until now.
    pub(super) async fn listed(&self) {
        let announced = *self.announced.borrow();
        // The sender is this value's own, so the wait cannot fail.
        let _ = self.listed.subscribe().wait_for(|listed| *listed >= announced).await;
    }

    /// The counts of announced and listed changes, for the task that lists them. It does not keep the first one open, so it
    /// ends with the connection. The first look at it is a change.
    pub(super) fn follow(self) -> (watch::Receiver<u64>, watch::Sender<u64>) {
        let mut announced = self.announced.subscribe();
        announced.mark_changed();
        (announced, self.listed)
    }
}
