//! The limit for the rate of notifications from a server.

use std::time::Duration;

use tokio::time::Instant;

/// The number of notifications that are read at once in a window. A tool that reports progress needs a few in a second.
const MOST: u32 = 500;
const WINDOW: Duration = Duration::from_millis(100);

/// Counts notifications. Beyond the limit, they wait in the server's own pipe.
pub(crate) struct Pace {
    window: Instant,
    count: u32,
}

impl Pace {
    pub(crate) fn new() -> Self {
        Self { window: Instant::now(), count: 0 }
    }

    pub(crate) fn count(&mut self) {
        let now = Instant::now();
        if now.duration_since(self.window) >= WINDOW {
            self.window = now;
            self.count = 0;
        }
        self.count += 1;
    }

    /// Until when nothing is read.
    pub(crate) fn pause(&self) -> Option<Instant> {
        (self.count >= MOST).then(|| self.window + WINDOW).filter(|until| *until > Instant::now())
    }
}
