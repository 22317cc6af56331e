//! Sessions that go on in another process: their ids have what the client said when it initialized, so no store is shared.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use rmcp::transport::streamable_http_server::session::{SessionState, SessionStore, SessionStoreError};
use serde::{Deserialize, Serialize};

/// The maximum number of bytes of a state in an id, which is a header.
const MAX_STATE: usize = 2048;
/// How long a session can go on elsewhere, in seconds.
const LIFETIME: u64 = 24 * 60 * 60;

/// A state in an id.
#[derive(Serialize, Deserialize)]
struct Carried {
    /// Seconds since 1970.
    expires: u64,
    state: SessionState,
}

/// The maximum number of ended sessions that are remembered, so that they do not go on in this process.
const MAX_ENDED: usize = 100_000;

#[derive(Default)]
pub(crate) struct Handover {
    /// The states of the requests in progress, by the ids of their sessions.
    states: Mutex<HashMap<String, SessionState>>,
    /// The sessions that their clients have ended, and when they could no longer go on.
    ended: Mutex<HashMap<String, u64>>,
}

impl Handover {
    fn states(&self) -> std::sync::MutexGuard<'_, HashMap<String, SessionState>> {
        self.states.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn ended(&self) -> std::sync::MutexGuard<'_, HashMap<String, u64>> {
        self.ended.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The state of a session that has begun, for its id; `None` if it is too long.
    pub(crate) fn take(&self, id: &str) -> Option<Vec<u8>> {
        let state = self.states().remove(id)?;
        let carried = Carried { expires: now() + LIFETIME, state };
        serde_json::to_vec(&carried).ok().filter(|state| state.len() <= MAX_STATE)
    }

    /// Brings the state in an id, until the guard is dropped. A session that another process began can then be restored. `None` if its day
    /// is over, or if its client has ended it here.
    pub(crate) fn bring<'h>(&'h self, id: &str, state: &[u8]) -> Option<Brought<'h>> {
        let Carried { expires, state } = serde_json::from_slice(state).ok()?;
        if expires < now() || self.ended().contains_key(id) {
            return None;
        }
        self.states().insert(id.to_owned(), state);
        Some(Brought { handover: self, id: id.to_owned() })
    }
}

/// A state that a request has brought.
pub(crate) struct Brought<'h> {
    handover: &'h Handover,
    id: String,
}

impl Drop for Brought<'_> {
    fn drop(&mut self) {
        self.handover.states().remove(&self.id);
    }
}

#[async_trait::async_trait]
impl SessionStore for Handover {
    async fn load(&self, session_id: &str) -> Result<Option<SessionState>, SessionStoreError> {
        Ok(self.states().get(session_id).cloned())
    }

    async fn store(&self, session_id: &str, state: &SessionState) -> Result<(), SessionStoreError> {
        self.states().insert(session_id.to_owned(), state.clone());
        Ok(())
    }

    async fn delete(&self, session_id: &str) -> Result<(), SessionStoreError> {
        let mut ended = self.ended();
        if ended.len() >= MAX_ENDED {
            let now = now();
            ended.retain(|_, until| *until >= now);
        }
        if ended.len() < MAX_ENDED {
            ended.insert(session_id.to_owned(), now() + LIFETIME);
        }
        Ok(())
    }
}

/// Seconds since 1970.
fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}
