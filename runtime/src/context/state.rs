//! State of a session: the program's own type, and dynamic values under dotted keys.

use std::any::{Any, type_name};
use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;

use super::ToolContext;

/// The session's state behind its type.
pub(crate) type StateHandle = Arc<dyn Any + Send + Sync>;

/// Holds the newest snapshot. The lock is never held across an await.
pub(crate) struct StateCell<S> {
    newest: Mutex<Arc<S>>,
}

impl<S: Send + Sync + 'static> StateCell<S> {
    pub(crate) fn handle(state: S) -> StateHandle {
        Arc::new(Self { newest: Mutex::new(Arc::new(state)) })
    }

    fn snapshot(&self) -> Arc<S> {
        Arc::clone(&self.newest.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The agent's typed state, injected into tools and hooks by its type.
///
/// It reads as the snapshot that was newest when the call began; [`State::update`] makes a newer one,
/// which the next call sees.
///
/// ```
/// use onionskin::{State, ToolContext, Inject};
/// #[derive(Clone)]
/// struct Counter { calls: u32 }
/// let cx = ToolContext::detached_with_state("count", Counter { calls: 1 });
/// let state: State<Counter> = State::inject(&cx).unwrap();
/// state.update(|counter| counter.calls += 1);
/// assert_eq!(state.calls, 1, "the snapshot stays");
/// assert_eq!(state.latest().calls, 2);
/// ```
pub struct State<S> {
    cell: Arc<StateCell<S>>,
    snapshot: Arc<S>,
}

impl<S: Clone + Send + Sync + 'static> State<S> {
    pub(crate) fn from_context(cx: &ToolContext) -> Result<Self, StateError> {
        let cell = Arc::clone(cx.run().state())
            .downcast::<StateCell<S>>()
            .map_err(|_| StateError { agent: cx.agent_name().to_owned(), wanted: type_name::<S>() })?;
        let snapshot = cell.snapshot();
        Ok(Self { cell, snapshot })
    }

    /// The newest state.
    pub fn latest(&self) -> Arc<S> {
        self.cell.snapshot()
    }

    /// Changes a copy of the newest state and makes it the newest. Updates wait for each other, so
    /// `change` should be short.
    pub fn update<R>(&self, change: impl FnOnce(&mut S) -> R) -> R {
        let mut newest = self.cell.newest.lock().unwrap_or_else(PoisonError::into_inner);
        let mut copy = S::clone(&newest);
        let result = change(&mut copy);
        *newest = Arc::new(copy);
        result
    }
}

impl<S> Deref for State<S> {
    type Target = S;

    fn deref(&self) -> &S {
        &self.snapshot
    }
}

impl<S> Clone for State<S> {
    fn clone(&self) -> Self {
        Self { cell: Arc::clone(&self.cell), snapshot: Arc::clone(&self.snapshot) }
    }
}

impl<S: fmt::Debug> fmt::Debug for State<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("State").field(&self.snapshot).finish()
    }
}

/// The agent's state is of another type than a tool or a hook asks for.
#[derive(Debug, Clone, thiserror::Error)]
#[error("the agent `{agent}` has no state of type `{wanted}`: give it one with `state: {wanted}`")]
pub struct StateError {
    agent: String,
    wanted: &'static str,
}

/// Dynamic state of a session: JSON values under dotted keys such as `config.api.key`.
///
/// ```
/// let state = onionskin::SessionState::default();
/// state.set("user.name", "Ada");
/// assert_eq!(state.get("user.name"), Some("Ada".into()));
/// assert_eq!(state.get("user.age"), None);
/// ```
#[derive(Clone, Default)]
pub struct SessionState(Arc<Mutex<Value>>);

impl SessionState {
    /// The value under a dotted key.
    pub fn get(&self, key: &str) -> Option<Value> {
        let root = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        key.split('.').try_fold(&*root, |value, part| value.get(part)).cloned()
    }

    /// Sets the value under a dotted key. Whatever stands in the way of the key and is not an object is
    /// replaced by one.
    pub fn set(&self, key: &str, value: impl Into<Value>) {
        let mut root = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut place = &mut *root;
        for part in key.split('.') {
            if !place.is_object() {
                *place = Value::Object(serde_json::Map::new());
            }
            place = &mut place[part];
        }
        *place = value.into();
    }
}

impl fmt::Debug for SessionState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SessionState").finish_non_exhaustive()
    }
}
