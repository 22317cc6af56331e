//! When a run must be over.

use std::time::Duration;

use tokio::time::Instant;

/// When a run must be over, and the limit that says so: its own, or one from above.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Deadline {
    pub(crate) at: Instant,
    pub(crate) limit: Duration,
}

impl Deadline {
    /// The sooner one of `limit`, from now, and `other`. A limit beyond all clocks is none.
    pub(crate) fn sooner(limit: Option<Duration>, other: Option<Self>) -> Option<Self> {
        let own = limit.and_then(|limit| Some(Self { at: Instant::now().checked_add(limit)?, limit }));
        own.into_iter().chain(other).min_by_key(|deadline| deadline.at)
    }
}
