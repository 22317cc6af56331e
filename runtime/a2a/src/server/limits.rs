//! What a server of an agent keeps and takes at most.

use std::time::Duration;

/// What a [`Server`](super::Server) keeps and takes at most. Beyond it, the oldest tasks that have ended are removed, and
/// requests are refused.
///
/// ```
/// use onionskin::a2a::ServerLimits;
///
/// let mut limits = ServerLimits::default();
/// limits.running = 4;
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ServerLimits {
    /// The tasks that are kept. The default is 1,000.
    pub tasks: usize,
    /// The tasks that are kept of one user. The default is 250.
    pub tasks_of_user: usize,
    /// The bytes of messages and answers of the tasks that are kept. The default is 128 MiB.
    pub stored_bytes: usize,
    /// The tasks that work at the same time. The default is 32.
    pub running: usize,
    /// The streams that are open at the same time. The default is 256.
    pub streams: usize,
    /// How long a task is kept after its end. The default is 1 hour.
    pub keep: Duration,
    /// How long a task waits for an answer to its question; it is canceled then. The default is 24 hours.
    pub wait: Duration,
    /// The bytes of a request. The default is 1 MiB.
    pub body_bytes: usize,
    /// The parts of a message. The default is 32.
    pub parts: usize,
    /// The bytes of an answer; a longer one is a failed task. The default is 1 MiB, and clients read no more.
    pub answer_bytes: usize,
    /// The bytes of messages and answers in one context; a full one takes no more messages. The default is 8 MiB.
    pub context_bytes: usize,
}

impl Default for ServerLimits {
    fn default() -> Self {
        Self {
            tasks: 1_000,
            tasks_of_user: 250,
            stored_bytes: 128 << 20,
            running: 32,
            streams: 256,
            keep: Duration::from_hours(1),
            wait: Duration::from_hours(24),
            body_bytes: 1 << 20,
            parts: 32,
            answer_bytes: 1 << 20,
            context_bytes: 8 << 20,
        }
    }
}

/// The messages in the history of a task, and their bytes. Older ones are left out.
pub(super) const HISTORY: usize = 64;
pub(super) const HISTORY_BYTES: usize = 1 << 20;
/// The bytes of an id of a client.
pub(super) const ID_BYTES: usize = 100;
/// The pieces of an answer in one turn of a task. Clients read at most 1,000 events, and the last piece has the rest.
pub(super) const PIECES: usize = 900;
