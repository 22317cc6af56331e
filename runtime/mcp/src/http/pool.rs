//! The connections of a server whose requests carry credentials of runs: one for each value.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::time::Instant;

use crate::mutex::lock;
use crate::server::Server;

/// Connections that are open at a time.
const MAX_CONNECTIONS: usize = 256;
/// A connection without a call is closed after this time, when another one is asked for.
const IDLE: Duration = Duration::from_mins(10);

/// The values of the headers that runs give.
pub(crate) type Credentials = BTreeMap<String, String>;

/// The connections, the one that was used last at the end.
#[derive(Default)]
pub(crate) struct Pool(Mutex<VecDeque<Entry>>);

struct Entry {
    credentials: Credentials,
    server: Arc<Server>,
    used: Instant,
}

impl Entry {
    /// Whether a call uses the connection.
    fn is_busy(&self) -> bool {
        Arc::strong_count(&self.server) > 1
    }
}

impl Pool {
    /// The connection with these credentials, which `make` makes. Those that nobody used for long are closed.
    ///
    /// # Errors
    /// Returns the number of connections if all of them are in use, and no more may be opened.
    pub(crate) fn get(
        &self,
        credentials: Credentials,
        make: impl FnOnce() -> Arc<Server>,
    ) -> Result<Arc<Server>, usize> {
        let now = Instant::now();
        let mut entries = lock(&self.0);
        let known = entries.iter().position(|entry| entry.credentials == credentials);
        let mut entry = match known.and_then(|at| entries.remove(at)) {
            Some(entry) => entry,
            None => {
                while let Some(at) = entries.iter().position(|entry| !entry.is_busy())
                    && (entries.len() >= MAX_CONNECTIONS || now.duration_since(entries[at].used) >= IDLE)
                {
                    close(entries.remove(at));
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
    pub(crate) fn take(&self) -> Vec<Arc<Server>> {
        lock(&self.0).drain(..).map(|entry| entry.server).collect()
    }
}

/// Ends a connection, and its session on the server.
fn close(entry: Option<Entry>) {
    if let Some(Entry { server, .. }) = entry {
        tokio::spawn(async move { server.end().await });
    }
}
