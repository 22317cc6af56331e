//! `Deadline` says when a run has to end.

use std::time::Duration;

use tokio::time::Instant;

/// The time when a run must end, and the limit that set it: its own or that of a run above.
#[derive(Debug, Clone, Copy)]
pub struct Deadline {
    /// When the run must be over.
    pub at: Instant,
    /// The limit that set it.
    pub limit: Duration,
}

impl Deadline {
    /// The earlier of `limit` from now and `other`. A limit that no clock can represent counts as no limit.
    pub fn sooner(limit: Option<Duration>, other: Option<Self>) -> Option<Self> {
        let own = limit.and_then(|limit| Some(Self { at: Instant::now().checked_add(limit)?, limit }));
        own.into_iter().chain(other).min_by_key(|deadline| deadline.at)
    }
}
