//! State of a session: the program's own type, and dynamic values under dotted keys.

use std::any::{Any, type_name};
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{RunContext, ToolContext};
use crate::definition::missing;
use crate::error::{Exit, ToolResult};
use crate::json;
use crate::secret::{Concealed, NotAsSecret, OnlyAsSecret, Secret, Sensitive, held_by, noted};
use crate::text::short;

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
    /// Whom an update tells of secrets.
    run: RunContext,
}

impl<S: Clone + Send + Sync + 'static> State<S> {
    pub(crate) fn from_context(cx: &ToolContext) -> Result<Self, StateError> {
        let cell = Arc::clone(cx.run().state())
            .downcast::<StateCell<S>>()
            .map_err(|_| StateError::of(cx, type_name::<S>()))?;
        let snapshot = cell.snapshot();
        Ok(Self { cell, snapshot, run: cx.run().clone() })
    }

    /// The newest state.
    pub fn latest(&self) -> Arc<S> {
        self.cell.snapshot()
    }

    /// Changes a copy of the newest state and makes it the newest. Updates wait for each other, so
    /// `change` should be short. While it runs, [`Self::latest`] is the state as it was before.
    ///
    /// The session knows the secrets of the new state before anybody reads it: a state that has anything to
    /// drop is copied once more to find them.
    ///
    /// # Panics
    /// If `change` updates the same state again: it would wait for itself. If `change` panics, the state stays as it
    /// was.
    pub fn update<R>(&self, change: impl FnOnce(&mut S) -> R) -> R {
        let _update = self.cell.begin_update();
        let mut copy = S::clone(&self.cell.snapshot());
        let result = change(&mut copy);
        let secrets = held_by(&copy);
        if !secrets.is_empty() {
            self.run.know(&secrets);
        }
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
        Self { cell: Arc::clone(&self.cell), snapshot: Arc::clone(&self.snapshot), run: self.run.clone() }
    }
}

impl<S: fmt::Debug> fmt::Debug for State<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("State").field(&self.snapshot).finish()
    }
}

/// The agent's state is of another type than a tool or a hook asks for, or a tool that is called without an agent was
/// not given it.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{who} has no state of type `{wanted}`: give it one with `{with}`")]
pub struct StateError {
    who: String,
    wanted: &'static str,
    with: String,
}

impl StateError {
    #[cold]
    fn of(cx: &ToolContext, wanted: &'static str) -> Self {
        let (who, with) = if cx.run().is_detached() {
            (format!("the tool `{}`, called without an agent,", cx.tool_name()), ".with_state(..)".to_owned())
        } else {
            (format!("the agent `{}`", cx.agent_name()), format!("state: {wanted}"))
        };
        Self { who, wanted, with }
    }
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
/// Clones share the state. [`Self::replace`] sets all of it at once. Secrets stand beside the values, under keys of the
/// same kind: see [`Self::set_secret`].
#[derive(Clone, Default)]
pub struct SessionState(Arc<Shared>);

#[derive(Default)]
struct Shared {
    kept: Mutex<Kept>,
    /// The secrets that must not show in runs of this session.
    concealed: Concealed,
}

#[derive(Clone, Default)]
struct Kept {
    values: Arc<Value>,
    secrets: BTreeMap<String, Arc<Secret<Value>>>,
}

/// What stands in the way of a value.
pub(crate) struct Taken {
    /// Where it stands; empty if it is the whole state.
    pub(crate) key: String,
    /// What it is, without its value.
    pub(crate) by: &'static str,
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "a null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// The most parts of a dotted key. Values are dropped, copied and written part by part, each inside of the one before.
const MOST_PARTS: usize = 64;

/// The key, if a state can hold it. It may be a text that a model wrote.
fn checked(key: &str) -> &str {
    let parts = key.split('.').count();
    assert!(
        parts <= MOST_PARTS,
        "the key `{}` of a state has {parts} parts; it can have {MOST_PARTS} at most",
        short(key, 60)
    );
    key
}

/// Whether a dotted key stands inside of what is under another one.
fn is_beneath(above: &str, key: &str) -> bool {
    key.strip_prefix(above).is_some_and(|rest| rest.starts_with('.'))
}

impl Kept {
    fn set(&mut self, key: &str, value: Value) {
        self.forget(key);
        let mut place = Arc::make_mut(&mut self.values);
        for part in key.split('.') {
            if !place.is_object() {
                *place = Value::Object(serde_json::Map::new());
            }
            place = &mut place[part];
        }
        *place = value;
    }

    /// Forgets the secrets under a key, and beneath it.
    fn forget(&mut self, key: &str) {
        self.secrets.retain(|other, _| other != key && !is_beneath(key, other));
    }
}

impl SessionState {
    /// A state of these values: a JSON object.
    pub fn new(values: impl Into<Value>) -> Self {
        let state = Self::default();
        state.replace(values);
        state
    }

    /// Replaces the whole state, secrets included, for everybody who shares it.
    pub fn replace(&self, values: impl Into<Value>) {
        *lock(&self.0.kept) = Kept { values: Arc::new(values.into()), secrets: BTreeMap::new() };
    }

    /// All values as they are now. Secrets are not among them.
    pub fn to_value(&self) -> Value {
        match &*lock(&self.0.kept).values {
            Value::Null => Value::Object(serde_json::Map::new()),
            values => values.clone(),
        }
    }

    /// The same values and secrets in a state of its own. They are copied when one of the two changes.
    #[must_use]
    pub fn fork(&self) -> Self {
        let kept = lock(&self.0.kept).clone();
        Self(Arc::new(Shared { kept: Mutex::new(kept), concealed: self.0.concealed.clone() }))
    }

    /// The value under a dotted key; none if it is a secret.
    pub fn get(&self, key: &str) -> Option<Value> {
        let kept = lock(&self.0.kept);
        key.split('.').try_fold(&*kept.values, |value, part| value.get(part)).cloned()
    }

    /// Whether a value or a secret is under a dotted key.
    pub(super) fn has(&self, key: &str) -> bool {
        let kept = lock(&self.0.kept);
        let is_value = || key.split('.').try_fold(&*kept.values, |value, part| value.get(part)).is_some();
        kept.secrets.contains_key(key) || is_value()
    }

    /// Sets the value under a dotted key. Whatever stands in the way of the key and is not an object is
    /// replaced by one; a secret under the key, or beneath it, is forgotten.
    ///
    /// # Panics
    /// If the key has more than 64 parts.
    pub fn set(&self, key: &str, value: impl Into<Value>) {
        let (key, value) = (checked(key), value.into());
        lock(&self.0.kept).set(key, value);
    }

    /// Sets the value under a dotted key where nothing is, not even a secret.
    ///
    /// # Errors
    /// If another value would have to go for it; nothing is changed then.
    pub(crate) fn set_default(&self, key: &str, value: &Value) -> Result<(), Taken> {
        let (key, mut kept) = (checked(key), lock(&self.0.kept));
        if kept.secrets.contains_key(key) {
            return Ok(());
        }
        let in_the_way = |other: &&String| is_beneath(key, other) || is_beneath(other, key);
        if let Some(secret) = kept.secrets.keys().find(in_the_way) {
            return Err(Taken { key: secret.clone(), by: "a secret" });
        }
        let (mut place, mut above) = (&*kept.values, String::new());
        for part in key.split('.') {
            match place {
                Value::Object(fields) => match fields.get(part) {
                    Some(field) => place = field,
                    None => break,
                },
                Value::Null if above.is_empty() => break,
                other => return Err(Taken { key: above, by: kind_of(other) }),
            }
            if !above.is_empty() {
                above.push('.');
            }
            above.push_str(part);
        }
        if above != key {
            kept.set(key, value.clone());
        }
        Ok(())
    }

    /// Keeps a secret under a dotted key, in place of what stood there. [`Self::get`] and [`Self::to_value`] do not show
    /// it; a tool takes it with `#[bind("key")] key: Secret<String>`. Runs of the session take it out of whatever lets it
    /// out by accident, from now on and for as long as the session lives.
    ///
    /// ```
    /// use onionskin::{Secret, SessionState};
    /// let state = SessionState::default();
    /// state.set_secret("api.key", Secret::new("hunter2".to_owned()));
    /// assert_eq!((state.get("api.key"), state.has_secret("api.key")), (None, true));
    /// assert_eq!(state.to_value(), serde_json::json!({}));
    /// ```
    ///
    /// # Panics
    /// If the key has more than 64 parts.
    pub fn set_secret<T: Sensitive + Clone + Into<Value>>(&self, key: &str, secret: impl Into<Secret<T>>) {
        let key = checked(key);
        let (secret, noted) = noted(|| Secret::new(secret.into().expose().clone().into()));
        self.0.concealed.add(&noted);
        let mut kept = lock(&self.0.kept);
        if key.split('.').try_fold(&*kept.values, |value, part| value.get(part)).is_some() {
            let (parent, last) = key.rsplit_once('.').unwrap_or(("", key));
            let parts = parent.split('.').filter(|part| !part.is_empty());
            let parent = parts.fold(Arc::make_mut(&mut kept.values), |value, part| &mut value[part]);
            if let Some(fields) = parent.as_object_mut() {
                json::remove(fields, last);
            }
        }
        kept.forget(key);
        kept.secrets.insert(key.to_owned(), Arc::new(secret));
    }

    /// Whether a secret stands under a dotted key.
    pub fn has_secret(&self, key: &str) -> bool {
        lock(&self.0.kept).secrets.contains_key(key)
    }

    pub(crate) fn secret(&self, key: &str) -> Option<Arc<Secret<Value>>> {
        lock(&self.0.kept).secrets.get(key).cloned()
    }

    #[inline]
    pub(crate) fn concealed(&self) -> &Concealed {
        &self.0.concealed
    }
}

/// The value of a parameter that is bound to a key of the tool value's state, or of the session's. What is wrong is told without the value,
/// which may be a secret.
///
/// # Errors
/// If the key is missing, has no default and the type is no `Option`, or its value is of another type.
#[doc(hidden)]
pub fn bound<T: DeserializeOwned>(
    cx: &ToolContext,
    key: &'static str,
    default: Option<fn() -> T>,
) -> ToolResult<T> {
    let state = cx.state_with(key);
    let (read, secrets) = noted(|| match (state.secret(key), state.get(key)) {
        (Some(secret), _) => {
            Some(T::deserialize(OnlyAsSecret(secret.expose())).map_err(|wrong| match wrong {
                NotAsSecret::Exposed => "is a secret: take it as `Secret<..>`".to_owned(),
                NotAsSecret::Other => format!("is no `{}`", type_name::<T>()),
            }))
        }
        (None, Some(value)) => {
            Some(T::deserialize(value).map_err(|_| format!("is no `{}`", type_name::<T>())))
        }
        // What reads a value that is left out as nothing does so here.
        (None, None) => default.map(|default| default()).or_else(missing).map(Ok),
    });
    if !secrets.is_empty() {
        cx.run().know(&secrets);
    }
    let problem = match read {
        Some(Ok(value)) => return Ok(value),
        Some(Err(problem)) => problem,
        None => "is not there; set it, or give the parameter a default".to_owned(),
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
