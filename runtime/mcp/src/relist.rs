//! Lists the tools again after a server reports that they changed (`notifications/tools/list_changed`).

use std::ops::ControlFlow;
use std::sync::Weak;
use std::time::Duration;

use tokio::time::Instant;

use super::announced::{Changes, Follower};
use super::connection::Connection;
use super::list_tools::{self, Listed};

/// The time between two lists of a server whose tools change. It doubles while they keep changing.
const SHORTEST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
/// How many of these times in a [`WINDOW`] a turn that waits for the list can end.
pub(super) const HURRIES: u32 = 30;
const WINDOW: Duration = Duration::from_mins(1);

/// Calls `listed` with the new list, or with the reason why it could not be read, after each change. Ends when the
/// connection ends, or when `listed` asks for it. The more often the tools change, the longer it waits, unless a turn waits for the list.
pub(super) async fn follow(
    connection: Weak<Connection>,
    changes: Changes,
    mut listed: impl FnMut(Result<Listed, String>) -> ControlFlow<()>,
) {
    let mut follower = changes.follow();
    let mut hurries = Hurries::new();
    let mut pause = SHORTEST_PAUSE;
    let mut quiet = Instant::now();
    while follower.announced.changed().await.is_ok() {
        let count = *follower.announced.borrow_and_update();
        if count <= *follower.listed.borrow() {
            continue;
        }
        pause = if quiet.elapsed() > pause { SHORTEST_PAUSE } else { (pause * 2).min(LONGEST_PAUSE) };
        {
            let Some(connection) = connection.upgrade() else { return };
            let tools = list_tools::all(&connection).await.map_err(|error| error.reason);
            // A restart lists the tools of a dead server.
            if tools.is_err() && !connection.is_alive() {
                return;
            }
            if listed(tools).is_break() {
                return;
            }
            follower.listed.send_replace(count);
        }
        hurries.rest(pause, &mut follower, count).await;
        quiet = Instant::now();
    }
}

/// How often a waiting turn has ended the time between two lists.
struct Hurries {
    window: Instant,
    count: u32,
}

impl Hurries {
    fn new() -> Self {
        Self { window: Instant::now(), count: 0 }
    }

    /// Waits for the pause after the list of this many changes, or until a turn waits for the next one.
    async fn rest(&mut self, pause: Duration, follower: &mut Follower, listed: u64) {
        let end = Instant::now() + pause;
        tokio::select! {
            // An error says that the connection ended.
            _ = follower.wanted.wait_for(|wanted| *wanted > listed) => {}
            () = tokio::time::sleep_until(end) => return,
        }
        if self.window.elapsed() >= WINDOW {
            *self = Self::new();
        }
        if self.count < HURRIES {
            self.count += 1;
            return;
        }
        follower.hold(true);
        tokio::time::sleep_until(end).await;
        follower.hold(false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a4_a_turn_that_waits_ends_the_pause_a_number_of_times_a_minute() {
        let changes = Changes::default();
        let mut follower = changes.clone().follow();
        let mut hurries = Hurries::new();
        let begun = Instant::now();
        hurries.rest(LONGEST_PAUSE, &mut follower, 0).await;
        assert_eq!(begun.elapsed(), LONGEST_PAUSE, "nobody waits");
        // A turn waits for the first change, and is given up.
        changes.announce();
        assert!(tokio::time::timeout(Duration::ZERO, changes.listed()).await.is_err());
        let begun = Instant::now();
        for _ in 0..HURRIES {
            hurries.rest(LONGEST_PAUSE, &mut follower, 0).await;
        }
        assert_eq!(begun.elapsed(), Duration::ZERO);
        let looks = async {
            tokio::time::sleep(LONGEST_PAUSE / 2).await;
            changes.are_held()
        };
        let ((), is_held) = tokio::join!(hurries.rest(LONGEST_PAUSE, &mut follower, 0), looks);
        assert_eq!((begun.elapsed(), is_held, changes.are_held()), (LONGEST_PAUSE, true, false));
        hurries.rest(LONGEST_PAUSE, &mut follower, 1).await;
        let begun = Instant::now();
        hurries.rest(LONGEST_PAUSE, &mut follower, 0).await;
        assert_eq!(begun.elapsed(), Duration::ZERO, "a minute later");
    }
}
