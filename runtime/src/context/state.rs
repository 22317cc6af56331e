//! State of a session: the program's own type, and dynamic values under dotted keys.

use std::any::{Any, type_name};
use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::ToolContext;
use crate::error::{Exit, ToolResult};

/// The session's state behind its type.
pub(crate) type StateHandle = Arc<dyn Any + Send + Sync>;

/// Holds the newest snapshot. No lock is held across an await.
pub(crate) struct StateCell<S> {
    newest: Mutex<Arc<S>>,
    /// Held while an update runs, so that updates wait for each other and readers do not wait for them.
    updating: Mutex<()>,
    /// Where an update runs.
    updater: Mutex<Option<ThreadId>>,
}

impl<S: Send + Sync + 'static> StateCell<S> {
    pub(crate) fn handle(state: S) -> StateHandle {
        Arc::new(Self {
            newest: Mutex::new(Arc::new(state)),
            updating: Mutex::default(),
            updater: Mutex::default(),
        })
    }

    fn snapshot(&self) -> Arc<S> {
        Arc::clone(&lock(&self.newest))
    }

    /// Waits for its turn to update.
    fn begin_update(&self) -> Update<'_> {
        let this = Some(thread::current().id());
        // Only this thread writes its own id, so nobody changes the answer meanwhile.
        assert!(
            *lock(&self.updater) != this,
            "`State::update` was called inside of an update of the same state, which would wait for itself: make both \
             changes in one update"
        );
        let updating = lock(&self.updating);
        *lock(&self.updater) = this;
        Update { updater: &self.updater, _updating: updating }
    }
}

/// An update that runs; dropping it, also by a panic, lets the next one in.
struct Update<'c> {
    updater: &'c Mutex<Option<ThreadId>>,
    _updating: MutexGuard<'c, ()>,
}

impl Drop for Update<'_> {
    fn drop(&mut self) {
        *lock(self.updater) = None;
    }
}

/// A panic leaves nothing half done behind these locks.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
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
    /// `change` should be short. While it runs, [`Self::latest`] is the state as it was before.
    ///
    /// # Panics
    /// If `change` updates the same state again: it would wait for itself. If `change` panics, the state stays as it
    /// was.
    pub fn update<R>(&self, change: impl FnOnce(&mut S) -> R) -> R {
        let _update = self.cell.begin_update();
        let mut copy = S::clone(&self.cell.snapshot());
        let result = change(&mut copy);
        *lock(&self.cell.newest) = Arc::new(copy);
        result
    }
}

impl<S: Clone + Send + Sync + 'static> StateCell<S> {
    /// The newest snapshot behind a handle.
    pub(crate) fn newest(handle: &StateHandle) -> Option<Arc<S>> {
        let cell = Arc::clone(handle).downcast::<Self>().ok()?;
        Some(cell.snapshot())
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
///
/// Clones share the state. [`Self::replace`] sets all of it at once.
#[derive(Clone, Default)]
pub struct SessionState(Arc<Mutex<Arc<Value>>>);

impl SessionState {
    /// A state of these values: a JSON object.
    pub fn new(values: impl Into<Value>) -> Self {
        Self(Arc::new(Mutex::new(Arc::new(values.into()))))
    }

    /// Replaces the whole state, for everybody who shares it.
    pub fn replace(&self, values: impl Into<Value>) {
        *lock(&self.0) = Arc::new(values.into());
    }

    /// All values as they are now.
    pub fn to_value(&self) -> Value {
        match &**lock(&self.0) {
            Value::Null => Value::Object(serde_json::Map::new()),
            values => values.clone(),
        }
    }

    /// The same values in a state of its own. They are copied when one of the two changes.
    #[must_use]
    pub fn fork(&self) -> Self {
        Self(Arc::new(Mutex::new(Arc::clone(&lock(&self.0)))))
    }

    /// The value under a dotted key.
    pub fn get(&self, key: &str) -> Option<Value> {
        let root = lock(&self.0);
        key.split('.').try_fold(&**root, |value, part| value.get(part)).cloned()
    }

    /// Sets the value under a dotted key. Whatever stands in the way of the key and is not an object is
    /// replaced by one.
    pub fn set(&self, key: &str, value: impl Into<Value>) {
        let mut root = lock(&self.0);
        let mut place = Arc::make_mut(&mut root);
        for part in key.split('.') {
            if !place.is_object() {
                *place = Value::Object(serde_json::Map::new());
            }
            place = &mut place[part];
        }
        *place = value.into();
    }
}

/// The value of a parameter that is bound to a key of the session's state. What is wrong is told without the value,
/// which may be a secret.
///
/// # Errors
/// If the key is missing and has no default, or its value is of another type.
#[doc(hidden)]
pub fn bound<T: DeserializeOwned>(
    cx: &ToolContext,
    key: &'static str,
    default: Option<fn() -> T>,
) -> ToolResult<T> {
    let problem = match (cx.run().session_state().get(key), default) {
        (Some(value), _) => match T::deserialize(value) {
            Ok(value) => return Ok(value),
            Err(_) => format!("is no `{}`", type_name::<T>()),
        },
        (None, Some(default)) => return Ok(default()),
        (None, None) => "is not there; set it, or give the parameter a default".to_owned(),
    };
    Err(Exit::tool(format!("`{}` needs `{key}` of the session's state, which {problem}", cx.tool_name())))
}

impl fmt::Debug for SessionState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SessionState").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;
    use crate::context::Inject as _;

    fn count() -> State<u32> {
        State::inject(&ToolContext::detached_with_state("count", 0_u32)).unwrap()
    }

    #[test]
    fn t7_reading_inside_of_an_update_sees_the_state_before_it() {
        let state = count();
        let before = state.update(|count| {
            *count += 1;
            *state.latest()
        });
        assert_eq!((before, *state.latest()), (0, 1));
    }

    #[test]
    fn t7_an_update_inside_of_itself_panics_in_words_and_waits_for_nobody() {
        let state = count();
        let inner = state.clone();
        let update = AssertUnwindSafe(|| state.update(|_| inner.update(|count| *count += 1)));
        let panic = catch_unwind(update).unwrap_err();
        assert!(panic.downcast_ref::<&str>().unwrap().contains("inside of an update of the same state"));
        // Another state is another matter, and this one goes on.
        let other = count();
        state.update(|count| *count += other.update(|count| *count + 1));
        assert_eq!(*state.latest(), 1);
    }

    #[test]
    fn t7_a_panic_in_an_update_changes_nothing_and_lets_the_next_one_in() {
        let state = count();
        let update = AssertUnwindSafe(|| {
            state.update(|count| {
                *count = 7;
                panic!("oh");
            });
        });
        assert!(catch_unwind(update).is_err());
        assert_eq!(*state.latest(), 0);
        state.update(|count| *count += 1);
        assert_eq!(*state.latest(), 1);
    }

    #[test]
    fn t7_updates_of_several_threads_lose_nothing() {
        let state = count();
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..1_000).for_each(|_| state.update(|count| *count += 1)));
            }
        });
        assert_eq!(*state.latest(), 4_000);
    }
}
