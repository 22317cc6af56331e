//! The connections of a server whose requests carry credentials of runs: one for each value.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::time::Instant;

use crate::mutex::lock;

/// Connections that are open at a time.
const MAX_CONNECTIONS: usize = 256;
/// A connection without a call is closed after this time, when another one is asked for.
const IDLE: Duration = Duration::from_mins(10);

/// What the requests of a run are allowed by.
#[derive(Clone, Default, PartialEq, Eq)]
pub(crate) struct Credentials {
    /// The values of the headers that runs give.
    pub(crate) headers: BTreeMap<String, String>,
    /// The user who logged in.
    #[cfg(feature = "mcp-auth")]
    pub(crate) user: Option<String>,
}

/// The connections, the one that was used last at the end.
pub(crate) struct Pool<S>(Mutex<VecDeque<Entry<S>>>);

impl<S> Default for Pool<S> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

struct Entry<S> {
    credentials: Credentials,
    server: Arc<S>,
    used: Instant,
}

impl<S> Entry<S> {
    /// Whether a call uses the connection.
    fn is_busy(&self) -> bool {
        Arc::strong_count(&self.server) > 1
    }
}

impl<S> Pool<S> {
    /// The connection with these credentials, which `make` makes. Those that nobody used for long are given to `close`.
    ///
    /// # Errors
    /// Returns the number of connections if all of them are in use, and no more may be opened.
    pub(crate) fn get(
        &self,
        credentials: Credentials,
        make: impl FnOnce() -> Arc<S>,
        close: impl Fn(Arc<S>),
    ) -> Result<Arc<S>, usize> {
        let now = Instant::now();
        let mut entries = lock(&self.0);
        let known = entries.iter().position(|entry| entry.credentials == credentials);
        let mut entry = match known.and_then(|at| entries.remove(at)) {
            Some(entry) => entry,
            None => {
                while let Some(at) = entries.iter().position(|entry| !entry.is_busy())
                    && (entries.len() >= MAX_CONNECTIONS || now.duration_since(entries[at].used) >= IDLE)
                {
                    if let Some(entry) = entries.remove(at) {
                        close(entry.server);
                    }
                }
                if entries.len() >= MAX_CONNECTIONS {
                    return Err(MAX_CONNECTIONS);
                }
                Entry { credentials, server: make(), used: now }
            }
        };
        entry.used = now;
        let server = Arc::clone(&entry.server);
        entries.push_back(entry);
        Ok(server)
    }

    /// Takes out all connections.
    pub(crate) fn take(&self) -> Vec<Arc<S>> {
        lock(&self.0).drain(..).map(|entry| entry.server).collect()
    }
}
