//! Messages that the client has not read yet.

use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::Notify;

/// The maximum number of messages before runs wait for the client.
const MAX_MESSAGES: usize = 1_000;

/// Counts the messages between a run and the output: the protocol's crate keeps any number of them.
#[derive(Debug, Default)]
pub(crate) struct Backlog {
    count: AtomicUsize,
    written: Notify,
}

impl Backlog {
    pub(crate) fn add(&self) {
        self.count.fetch_add(1, Ordering::Relaxed);
    }

    /// A message was written. Answers and requests are not counted, so there may be none.
    pub(crate) fn remove(&self) {
        let _ = self.count.try_update(Ordering::Relaxed, Ordering::Relaxed, |count| count.checked_sub(1));
        self.written.notify_waiters();
    }

    /// Waits until there are few enough.
    ///
    /// Cancel safety: dropping the future has no effect.
    pub(crate) async fn wait(&self) {
        loop {
            let written = self.written.notified();
            if self.count.load(Ordering::Relaxed) <= MAX_MESSAGES {
                return;
            }
            written.await;
        }
    }
}
