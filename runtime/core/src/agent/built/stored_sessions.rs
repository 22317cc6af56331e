//! The stored sessions of a program. Each open session exists once, so that its runs in this process take turns.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use onionskin_definitions::lock::lock;
use onionskin_tools::session::{Session, SessionError, Sessions, WeakSession};
use onionskin_tools::session_store::SessionStore;

/// The store, and the open sessions.
pub(in crate::agent) struct StoredSessions {
    store: Arc<dyn SessionStore>,
    open: Mutex<HashMap<Arc<str>, WeakSession>>,
}

impl StoredSessions {
    pub(in crate::agent) fn new(store: Arc<dyn SessionStore>) -> Self {
        Self { store, open: Mutex::default() }
    }

    /// All sessions of the store.
    pub(in crate::agent) fn all(&self) -> Sessions {
        Sessions::new(Arc::clone(&self.store))
    }

    /// The open session with this id, or a new one, without what is stored of it.
    pub(in crate::agent) fn session(
        &self,
        id: Arc<str>,
        new: impl FnOnce() -> Session,
    ) -> Result<Session, SessionError> {
        let mut open = lock(&self.open);
        if let Some(session) =
            open.get(&id).and_then(WeakSession::upgrade).filter(|session| !session.is_deleted())
        {
            return Ok(session);
        }
        // Sessions that nobody uses leave when the map would grow.
        if open.len() == open.capacity() {
            open.retain(|_, session| session.upgrade().is_some());
        }
        let session = new();
        session.store_in(Arc::clone(&self.store), Arc::clone(&id))?;
        open.insert(id, session.downgrade());
        Ok(session)
    }
}
