//! State for tools and hooks: the agent's state by type, the session's state by key.

use std::any::type_name;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use serde::de::DeserializeOwned;

use super::depth::Entered;
use super::{RunContext, ToolContext};
use crate::state::{SessionState, StateCell, StateCodec};
use onionskin_definitions::definition::missing;
use onionskin_definitions::error::{BoxError, Exit};
use onionskin_definitions::on_drop::OnDrop;
use onionskin_definitions::requirements::StateType;
use onionskin_definitions::secret::{NotAsSecret, OnlyAsSecret, Secret, made_during, texts};

/// The agent's typed state, injected into tools and hooks.
///
/// It dereferences to the newest snapshot at the start of the call. [`State::update`] creates a newer
/// snapshot for later calls.
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
    /// The run whose session registers the secrets of an update.
    run: RunContext,
}

impl<S: Clone + Send + Sync + 'static> State<S> {
    pub(crate) fn from_context(cx: &ToolContext) -> Result<Self, StateError> {
        let state = Self::newest(cx.run()).ok_or_else(|| StateError::for_call(cx, type_name::<S>()))?;
        cx.note_state_read(|| {
            let read = Arc::downgrade(&state.snapshot);
            move |cx| Self::cell(cx.run()).is_some_and(|cell| read.ptr_eq(&Arc::downgrade(&cell.snapshot())))
        });
        Ok(state)
    }

    /// The state of a run's agent.
    ///
    /// # Errors
    /// Returns an error if the run has no such state.
    pub fn from_run(run: &RunContext) -> Result<Self, StateError> {
        Self::newest(run).ok_or_else(|| StateError::for_agent(run.agent().name(), type_name::<S>()))
    }

    fn newest(run: &RunContext) -> Option<Self> {
        let cell = Self::cell(run)?;
        let snapshot = cell.observe(run.state_codec().map(StateCodec::form));
        Some(Self { cell, snapshot, run: run.clone() })
    }

    fn cell(run: &RunContext) -> Option<Arc<StateCell<S>>> {
        Arc::clone(run.state()).downcast().ok()
    }

    /// The newest state.
    pub fn latest(&self) -> Arc<S> {
        self.cell.observe(self.run.state_codec().map(StateCodec::form))
    }

    /// Changes a copy of the newest state, which becomes the newest state. Updates are sequential, so
    /// `change` should be short. While it runs, [`Self::latest`] returns the state before the update.
    ///
    /// The session registers new secrets before the state becomes visible: secrets that the state lists
    /// (`VisitSecrets`), and secrets that `change` creates.
    ///
    /// # Panics
    /// Panics if `change` updates the same state, because it would wait for itself. If `change` panics, the
    /// state is unchanged.
    pub fn update<R>(&self, change: impl FnOnce(&mut S) -> R) -> R {
        let changed = |before: &S| {
            made_during(|| {
                let mut copy = before.clone();
                let result = change(&mut copy);
                (copy, result)
            })
        };
        if let Some((before, recorded)) =
            self.cell.recorded_change(self.run.state_codec().map(StateCodec::form))
        {
            // The code runs again for its result, on the state that it changed then. The recorded change is
            // applied.
            let ((_, result), secrets) = changed(&before);
            self.run.register_secrets(&secrets);
            self.run.repeat_read(&[recorded]);
            return result;
        }
        let _update = self.cell.begin_update();
        let ((copy, result), mut secrets) = changed(&self.cell.snapshot());
        secrets.extend(self.cell.secrets(&copy));
        self.run.register_secrets(&secrets);
        self.cell.set_recorded(copy, self.run.state_codec().map(StateCodec::writer));
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
        Self { cell: Arc::clone(&self.cell), snapshot: Arc::clone(&self.snapshot), run: self.run.clone() }
    }
}

impl<S: fmt::Debug> fmt::Debug for State<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("State").field(&self.snapshot).finish()
    }
}

/// The agent has no state of the type that a tool or a hook takes, or the tool was called without an agent
/// and without a state.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{who} has no state of type `{wanted}`: give it one with `{with}`")]
pub struct StateError {
    who: String,
    wanted: &'static str,
    with: String,
}

impl StateError {
    #[cold]
    fn for_call(cx: &ToolContext, wanted: &'static str) -> Self {
        if !cx.run().is_detached() {
            return Self::for_agent(cx.agent_name(), wanted);
        }
        let who = format!("the tool `{}`, called without an agent,", cx.tool_name());
        Self { who, wanted, with: ".with_state(..)".to_owned() }
    }

    #[cold]
    fn for_agent(agent: &str, wanted: &'static str) -> Self {
        Self { who: format!("the agent `{agent}`"), wanted, with: format!("state: {wanted}") }
    }
}

/// A context with values for bound parameters: of a call, or of a run.
pub trait HasKeys {
    /// The error for a value that is missing or has another type.
    type Error;

    /// The state to look the key up in.
    fn state_of_key(&self, key: &str) -> SessionState;

    /// The run whose session registers the secrets in the values.
    fn run_of_keys(&self) -> &RunContext;

    /// Notes that the value under the key was read.
    fn note_key(&self, _: &str) {}

    fn no_value(&self, key: &str, problem: &str) -> Self::Error;
}

impl HasKeys for ToolContext {
    type Error = Exit;

    fn state_of_key(&self, key: &str) -> SessionState {
        state_with(self, key)
    }

    fn run_of_keys(&self) -> &RunContext {
        self.run()
    }

    fn note_key(&self, key: &str) {
        // The state of a tool value belongs to this value.
        if self.data_if_any(|data| !data.bound.is_empty()).unwrap_or(false) {
            return self.note_own_state_read();
        }
        self.note_state_read(|| {
            let (key, state) = (key.to_owned(), self.run().session_state());
            let (value, secret) = (state.get(&key), state.secret(&key));
            move |cx| {
                let state = cx.run().session_state();
                let now = state.secret(&key);
                let is_same_secret =
                    now.as_deref().map(Secret::expose) == secret.as_deref().map(Secret::expose);
                is_same_secret && state.get(&key) == value
            }
        });
    }

    fn no_value(&self, key: &str, problem: &str) -> Exit {
        Exit::tool(format!("`{}` needs `{key}` of the session's state, which {problem}", self.tool_name()))
    }
}

impl HasKeys for RunContext {
    type Error = BoxError;

    fn state_of_key(&self, _: &str) -> SessionState {
        self.session_state().clone()
    }

    fn run_of_keys(&self) -> &RunContext {
        self
    }

    fn no_value(&self, key: &str, problem: &str) -> BoxError {
        format!("it needs `{key}` of the session's state, which {problem}").into()
    }
}

/// Reads a bound parameter from the tool value's state or the session's state. Errors omit the value, which
/// may be a secret.
///
/// # Errors
/// Returns an error if the key is missing, there is no default and the type is not an `Option`, or if the
/// value has another type.
pub fn bound<T: DeserializeOwned, C: HasKeys>(
    cx: &C,
    key: &str,
    default: Option<fn() -> T>,
) -> Result<T, C::Error> {
    let state = cx.state_of_key(key);
    cx.note_key(key);
    let (read, secrets) = made_during(|| match (state.secret(key), state.get(key)) {
        (Some(secret), _) => {
            Some(T::deserialize(OnlyAsSecret(secret.expose())).map_err(|wrong| match wrong {
                NotAsSecret::Exposed => "is a secret: take it as `Secret<..>`".to_owned(),
                NotAsSecret::Other => format!("is not a `{}`", type_name::<T>()),
            }))
        }
        (None, Some(value)) => {
            Some(T::deserialize(value).map_err(|_| format!("is not a `{}`", type_name::<T>())))
        }
        // Types such as `Option` can be deserialised from a missing value.
        (None, None) => default.map(|default| default()).or_else(missing).map(Ok),
    });
    cx.run_of_keys().register_secrets(&secrets);
    let problem = match read {
        Some(Ok(value)) => return Ok(value),
        Some(Err(problem)) => problem,
        None => "is not there; set it, or give the parameter a default".to_owned(),
    };
    Err(cx.no_value(key, &problem))
}

/// Registers the secrets that `list` visits with the session.
#[inline]
pub fn conceal(cx: &impl HasKeys, list: impl FnOnce(&mut dyn FnMut(&[u8]))) {
    cx.run_of_keys().register_secrets(&texts(list));
}

/// The agent state that a tool, a hook or a guardrail takes: `State<S>`, or `()` for none.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the state of a tool or a hook",
    label = "write `State<{Self}>` for the agent's state `{Self}`",
    note = "a tool writes `type State = State<S>` if it takes the agent's state `S`, and `type State = ()` if it takes none; a hook \
            and a guardrail write the same as parameter of their `Made`"
)]
pub trait Works {
    /// All states, as nested pairs. The compiler checks these against an agent's state, so that its errors
    /// name only these types.
    type All;

    /// Appends the types of the states to `into`.
    fn on(into: &mut Vec<StateType>);
}

impl Works for () {
    type All = ();

    fn on(_: &mut Vec<StateType>) {}
}

impl<S: 'static> Works for State<S> {
    type All = Self;

    fn on(into: &mut Vec<StateType>) {
        into.push(StateType::new::<S>());
    }
}

/// A call inside a tool value, whose state fills bound parameters before the session's state does.
pub(crate) fn in_state<'a, F: Future>(
    call: F,
    cx: &'a ToolContext,
    state: &'a SessionState,
) -> impl Future<Output = F::Output> {
    Entered::new(call, move || {
        change_bound(cx, |states| states.push(state.clone()));
        OnDrop(move || {
            change_bound(cx, |states| {
                states.pop();
            });
        })
    })
}

fn change_bound(cx: &ToolContext, change: impl FnOnce(&mut Vec<SessionState>)) {
    cx.data(|data| change(&mut data.bound));
}

/// The state with a value for a key: the innermost running tool value's, else the session's.
fn state_with(cx: &ToolContext, key: &str) -> SessionState {
    let own = cx.data_if_any(|data| data.bound.iter().rev().find(|state| state.has(key)).cloned());
    own.flatten().unwrap_or_else(|| cx.run().session_state().clone())
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::thread;

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
        // An update of another state does not wait for this one.
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
