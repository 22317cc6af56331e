//! Contexts of clients, and the sessions behind them. A client chooses the ids of its contexts, so each user has their own.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use onionskin_core::sessions::SessionError;
use onionskin_core::{AgentHandle, Session};
use tokio::sync::OnceCell;

use super::task::TaskCell;

/// One context of one user. It exists as long as one of its tasks is kept.
pub(super) struct Conversation {
    owner: Option<Arc<str>>,
    context_id: String,
    session: OnceCell<Session>,
    newest: Mutex<Weak<TaskCell>>,
    bytes: AtomicUsize,
}

impl Conversation {
    pub(super) fn new(owner: Option<Arc<str>>, context_id: String) -> Self {
        Self {
            owner,
            context_id,
            session: OnceCell::new(),
            newest: Mutex::new(Weak::new()),
            bytes: AtomicUsize::new(0),
        }
    }

    pub(super) fn owner(&self) -> Option<&Arc<str>> {
        self.owner.as_ref()
    }

    pub(super) fn context_id(&self) -> &str {
        &self.context_id
    }

    /// The newest task, if it has not ended.
    pub(super) fn open_task(&self) -> Option<Arc<TaskCell>> {
        let newest = self.newest.lock().unwrap_or_else(PoisonError::into_inner).upgrade();
        newest.filter(|task| !task.state().is_terminal())
    }

    pub(super) fn set_newest(&self, task: &Arc<TaskCell>) {
        *self.newest.lock().unwrap_or_else(PoisonError::into_inner) = Arc::downgrade(task);
    }

    /// Counts bytes that its session keeps, and returns their sum.
    pub(super) fn add_bytes(&self, bytes: usize) -> usize {
        self.bytes.fetch_add(bytes, Ordering::Relaxed) + bytes
    }

    /// The session: a stored one, if the agent has a store.
    pub(super) async fn session(&self, agent: &AgentHandle) -> Result<&Session, SessionError> {
        let open = async || match agent.open_session(self.session_id(agent.name())).await {
            Err(SessionError::NotStored { .. }) => Ok(agent.session()),
            opened => opened,
        };
        self.session.get_or_try_init(open).await
    }

    /// The id in the store. The length tells where the user ends, because both parts can contain anything.
    fn session_id(&self, agent: &str) -> String {
        match &self.owner {
            Some(user) => format!("a2a/{agent}/{}/{user}/{}", user.len(), self.context_id),
            None => format!("a2a/{agent}/-/{}", self.context_id),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn o6_no_two_users_have_one_session() {
        let id = |owner: Option<&str>, context: &str| {
            Conversation::new(owner.map(Arc::from), context.to_owned()).session_id("Clerk")
        };
        assert_ne!(id(Some("a"), "b/c"), id(Some("a/b"), "c"));
        assert_ne!(id(None, "1/a/b"), id(Some("a"), "b"));
    }
}
