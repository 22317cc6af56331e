//! Lists the tools again after a server reports that they changed (`notifications/tools/list_changed`).

use std::ops::ControlFlow;
use std::sync::Weak;
use std::time::Duration;

use tokio::time::Instant;

use super::announced::Changes;
use super::connection::Connection;
use super::list_tools::{self, Listed};

/// The time between two lists of a server whose tools change. It doubles while they keep changing.
const SHORTEST: Duration = Duration::from_millis(100);
const LONGEST: Duration = Duration::from_secs(30);

/// Calls `listed` with the new list, or with the reason why it could not be read, after each change. Ends when the
/// connection ends, or when `listed` asks for it. The more often the tools change, the longer it waits.
pub(super) async fn follow(
    connection: Weak<Connection>,
    changes: Changes,
    mut listed: impl FnMut(Result<Listed, String>) -> ControlFlow<()>,
) {
    let (mut announced, done) = changes.follow();
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
