//! What a server of an agent keeps and takes at most.

use std::time::Duration;

/// What a [`Server`](super::Server) keeps and takes at most. Beyond it, the oldest tasks that have ended are removed, and
/// requests are refused. Requests without a user are those of one user.
///
/// A task is in memory: while its run works, as long as the limits of the agent allow; while it waits, for [`wait`](Self::wait);
/// after its end, for [`keep`](Self::keep), or until there is no room for another one. Tasks whose time is up are removed
/// by the next request.
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
    /// The bytes of messages, answers and questions of the tasks that are kept. The default is 128 MiB.
    pub stored_bytes: usize,
    /// Those of the tasks of one user. The default is 32 MiB.
    pub stored_bytes_of_user: usize,
    /// The tasks that work at the same time. The default is 32.
    pub running: usize,
    /// Those of one user. The default is 16.
    pub running_of_user: usize,
    /// The streams that are open at the same time. The default is 256.
    pub streams: usize,
    /// Those of one user. The default is 64.
    pub streams_of_user: usize,
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
            stored_bytes_of_user: 32 << 20,
            running: 32,
            running_of_user: 16,
            streams: 256,
            streams_of_user: 64,
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
/// The values in a request. Each takes many times the memory of its text.
pub(super) const VALUES: usize = 100_000;
/// The bytes of an id of a client.
pub(super) const ID_BYTES: usize = 100;
/// The pieces of an answer in one turn of a task. Clients read at most 1,000 events, and the last piece has the rest.
pub(super) const PIECES: usize = 900;
