//! The deadline of a run.

use std::time::Duration;

use tokio::time::Instant;

/// The time when a run must end, and the limit that set it: the run's own or a parent run's.
#[derive(Debug, Clone, Copy)]
pub struct Deadline {
    /// When the run must end.
    pub at: Instant,
    /// The limit that set it.
    pub limit: Duration,
}

impl Deadline {
    /// Returns the earlier of `limit` from now and `other`. A limit beyond the range of the clock counts as
    /// no limit.
    pub fn sooner(limit: Option<Duration>, other: Option<Self>) -> Option<Self> {
        let own = limit.and_then(|limit| Some(Self { at: Instant::now().checked_add(limit)?, limit }));
        own.into_iter().chain(other).min_by_key(|deadline| deadline.at)
    }
}
