//! Lists the tools again after a server reports that they changed (`notifications/tools/list_changed`).

use std::ops::ControlFlow;
use std::sync::Weak;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;

use super::connection::Connection;
use super::list_tools::{self, Listed};

/// The time between two lists of a server whose tools change. It doubles while they keep changing.
const SHORTEST: Duration = Duration::from_millis(100);
const LONGEST: Duration = Duration::from_secs(30);

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
}

/// Calls `listed` with the new list, or with the reason why it could not be read, after each change. Ends when the
/// connection ends, or when `listed` asks for it. The more often the tools change, the longer it waits.
pub(super) async fn follow(
    connection: Weak<Connection>,
    changes: Changes,
    mut listed: impl FnMut(Result<Listed, String>) -> ControlFlow<()>,
) {
    // Without a sender for itself, so that it ends with the connection.
    let (mut announced, done) = (changes.announced.subscribe(), changes.listed.clone());
    drop(changes);
    announced.mark_changed();
    let mut pause = SHORTEST;
    let mut quiet = Instant::now();
    while announced.changed().await.is_ok() {
        let count = *announced.borrow_and_update();
        if count <= *done.borrow() {
            continue;
        }
        pause = if quiet.elapsed() > pause { SHORTEST } else { (pause * 2).min(LONGEST) };
        {
            let Some(connection) = connection.upgrade() else { return };
            let tools = list_tools::all(&connection).await;
            // A restart lists the tools of a dead server.
            if tools.is_err() && !connection.is_alive() {
                return;
            }
            if listed(tools).is_break() {
                return;
            }
            done.send_replace(count);
        }
        tokio::time::sleep(pause).await;
        quiet = Instant::now();
    }
}
