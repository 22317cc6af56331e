//! Sessions: the history and the state of one conversation.

mod allowed;
mod chain;
mod checkpoint;
mod exclusive;
mod ids;
mod log;
mod saved;
mod threads;

use std::any::{TypeId, type_name};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock};

pub use chain::Chain;
pub use checkpoint::{Checkpoint, StateKeeper, StateKeepers};
pub(crate) use exclusive::Waiting;
pub use exclusive::{NoTurn, Wait};
pub use ids::CallIds;
pub use log::{
    LoggedRun, NotBegun, RunEnd, RunLease, SessionError, SessionExport, SessionLog, Sessions, StoredSession,
};
pub use saved::{SavedSession, SavedSessionError};
pub use threads::{Chosen, NoThread, Owner};

use self::allowed::Allowed;
use self::threads::Threads;
use crate::model::{History, HistoryError, Message, SentRequest};
use crate::state::{SessionState, StateCell, StateHandle};
use onionskin_definitions::debug_fields;
use onionskin_definitions::lock::lock;

/// One conversation with an agent: its history and its state. Cheap to clone; clones share it.
///
/// Runs in one session are sequential. Each starts with the history that the previous one left. The run of a
/// child in `agents: [..]` is part of its parent's run.
///
/// ```
/// use onionskin::{ScriptedModel, ScriptedTurn, agent};
///
/// agent! { Clerk { instruction: "Take notes." } }
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let model = ScriptedModel::turns([ScriptedTurn::say("I note it."), ScriptedTurn::say("It was a lamp.")]);
/// let clerk = Clerk::builder().model(model).build().await?;
///
/// let session = clerk.session();
/// clerk.request("A lamp, please.").session(&session).run().await?;
/// clerk.request("What was it?").session(&session).run().await?;
/// let history = session.history();
/// let texts: Vec<_> = history.iter().map(|message| message.to_text()).collect();
/// assert_eq!(texts, ["A lamp, please.", "I note it.", "What was it?", "It was a lamp."]);
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// # }).unwrap();
/// ```
#[derive(Clone)]
pub struct Session(Arc<Inner>);

struct Inner {
    /// Created on first use.
    id: OnceLock<Arc<str>>,
    history: Mutex<History>,
    /// The histories of children that keep their conversations (`HistoryMergeTarget::Child`), by name.
    children: Mutex<HashMap<Arc<str>, History>>,
    /// The states by type, or the panic message of a state that could not be cloned for this session.
    states: HashMap<TypeId, Result<StateHandle, String>>,
    dynamic: SessionState,
    allowed: Allowed,
    /// How the states are captured for a pause, and stored; empty for a session that no agent created.
    keepers: OnceLock<StateKeepers>,
    /// The conversations with agent tools.
    threads: Threads,
    /// The newest request of an outermost run, with its agent, if somebody reads the events or the spans.
    sent: Mutex<Option<(Arc<str>, Arc<SentRequest>)>>,
    /// The log of a stored session.
    log: OnceLock<SessionLog>,
    /// Locked by the run in progress.
    turn: tokio::sync::Mutex<()>,
    /// The sessions that the run in progress waits for.
    waits_for: Mutex<Vec<Session>>,
}

impl Session {
    /// The id of the session: that of a stored session, or 128 random bits as 32 hexadecimal digits. Do not use it as a
    /// secret.
    pub fn id(&self) -> &str {
        self.shared_id()
    }

    /// The calls that need no further approval.
    pub(crate) fn allowed(&self) -> &Allowed {
        &self.0.allowed
    }

    /// A snapshot of the messages so far. A run appends its messages when it ends.
    pub fn history(&self) -> History {
        lock(&self.0.history).clone()
    }

    /// Replaces the history. The next run starts with these messages. A run in progress does not see them: it
    /// continues with its own messages, and appends its new messages to this history when it ends.
    ///
    /// ```
    /// use onionskin::model::{HistoryError, Message, ModelResponse, ToolCall};
    /// use onionskin::{ScriptedModel, agent};
    ///
    /// agent! { Clerk { instruction: "Take notes." } }
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let session = Clerk::builder().model(ScriptedModel::new()).build().await.unwrap().session();
    /// session.set_history([Message::user("A lamp, please."), Message::assistant("I note it.")]).unwrap();
    ///
    /// let called = ModelResponse::tool_calls([ToolCall::new("call-1", "note", "{}")]);
    /// let error = session.set_history([Message::user("A chair."), called.into()]).unwrap_err();
    /// assert!(matches!(error, HistoryError::OpenCall { index: 1, .. }));
    /// assert_eq!(session.history().len(), 2);
    /// # });
    /// ```
    ///
    /// # Errors
    /// Returns an error if providers would reject the messages ([`History::check`]). The history is then
    /// unchanged.
    pub fn set_history(&self, messages: impl Into<History>) -> Result<(), HistoryError> {
        let messages = messages.into();
        messages.check()?;
        self.replace_history(messages);
        Ok(())
    }

    /// Replaces the history with a checked one.
    pub(crate) fn replace_history(&self, messages: History) {
        *lock(&self.0.history) = messages;
    }

    /// The values and secrets of the session under dotted keys, which tools take with `#[bind(..)]`. The next
    /// call sees a value that is set here.
    pub fn state(&self) -> &SessionState {
        &self.0.dynamic
    }

    /// The newest typed state; `None` if the session has no state of this type. Tools and hooks see it as
    /// `State<S>`.
    ///
    /// ```
    /// use onionskin::{ScriptedModel, ScriptedTurn, State, agent, tool};
    /// use serde_json::json;
    ///
    /// #[derive(Clone)]
    /// struct Till(u32);
    ///
    /// /// Takes money.
    /// #[tool]
    /// fn take(amount: u32, till: State<Till>) {
    ///     till.update(|till| till.0 += amount);
    /// }
    ///
    /// agent! { Clerk { instruction: "Take the money.", state: Till, function_tools: [take] } }
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let model = ScriptedModel::turns([ScriptedTurn::call("take", json!({ "amount": 5 })), ScriptedTurn::say("Thank you.")]);
    /// let clerk = Clerk::builder().state(Till(1)).model(model).build().await.unwrap();
    /// let session = clerk.session();
    /// clerk.request("Here are five.").session(&session).run().await.unwrap();
    /// assert_eq!(session.typed_state::<Till>().unwrap().0, 6);
    /// # });
    /// ```
    pub fn typed_state<S: Clone + Send + Sync + 'static>(&self) -> Option<Arc<S>> {
        StateCell::<S>::newest(self.0.states.get(&TypeId::of::<S>())?.as_ref().ok()?)
    }

    /// Replaces the typed state. The next call sees it.
    ///
    /// ```
    /// use onionskin::{ScriptedModel, agent};
    ///
    /// #[derive(Clone)]
    /// struct Till(u32);
    ///
    /// agent! { Clerk { instruction: "Take the money.", state: Till } }
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let clerk = Clerk::builder().state(Till(0)).model(ScriptedModel::new()).build().await.unwrap();
    /// let session = clerk.session();
    /// session.set_typed_state(Till(20)).unwrap();
    /// assert_eq!(session.typed_state::<Till>().unwrap().0, 20);
    /// assert!(session.set_typed_state("another type").is_err());
    /// # });
    /// ```
    ///
    /// # Errors
    /// Returns an error if the session has no state of this type.
    pub fn set_typed_state<S: Clone + Send + Sync + 'static>(&self, state: S) -> Result<(), NoTypedState> {
        let error = || NoTypedState { state: type_name::<S>() };
        let handle = self
            .0
            .states
            .get(&TypeId::of::<S>())
            .and_then(|handle| handle.as_ref().ok())
            .ok_or_else(error)?;
        self.state().concealed().add(&StateCell::secrets_of(handle, &state));
        let restore = StateCell::<S>::restorer(handle, Some(Arc::new(state))).ok_or_else(error)?;
        restore();
        Ok(())
    }

    /// A snapshot of the conversation that calls of a child keep in the session with
    /// `HistoryMergeTarget::Child`. It is empty for other names and settings.
    pub fn child_history(&self, child: &str) -> History {
        lock(&self.0.children).get(child).cloned().unwrap_or_default()
    }
}

/// The session has no typed state of a type.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the session has no state `{state}`: name it as `state:` of an agent, and give its first value to `.state(..)` of the builder"
)]
#[non_exhaustive]
pub struct NoTypedState {
    /// The name of the type.
    pub state: &'static str,
}

/// The messages of one call of a child.
pub struct Transcript {
    /// The child.
    pub child: Arc<str>,
    /// Its messages.
    pub messages: Vec<Arc<Message>>,
}

debug_fields!(Session: this => messages: lock(&this.0.history).len());

/// A session, if somebody still uses it.
#[doc(hidden)]
pub struct WeakSession(std::sync::Weak<Inner>);

impl WeakSession {
    pub fn upgrade(&self) -> Option<Session> {
        self.0.upgrade().map(Session)
    }
}

/// For the crates of the runtime.
#[doc(hidden)]
impl Session {
    pub fn new(states: HashMap<TypeId, Result<StateHandle, String>>) -> Self {
        Self::with_state(states, SessionState::default())
    }

    pub fn with_state(states: HashMap<TypeId, Result<StateHandle, String>>, dynamic: SessionState) -> Self {
        Self(Arc::new(Inner {
            id: OnceLock::new(),
            history: Mutex::default(),
            children: Mutex::default(),
            states,
            dynamic,
            allowed: Allowed::default(),
            keepers: OnceLock::new(),
            threads: Threads::default(),
            sent: Mutex::default(),
            log: OnceLock::new(),
            turn: tokio::sync::Mutex::default(),
            waits_for: Mutex::default(),
        }))
    }

    pub fn downgrade(&self) -> WeakSession {
        WeakSession(Arc::downgrade(&self.0))
    }

    pub fn shared_id(&self) -> &Arc<str> {
        self.0.id.get_or_init(crate::journal::new_id)
    }

    pub fn threads(&self) -> &Threads {
        &self.0.threads
    }

    pub fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Keeps the newest request of an agent.
    pub fn keep_sent(&self, agent: &Arc<str>, request: Arc<SentRequest>) {
        *lock(&self.0.sent) = Some((Arc::clone(agent), request));
    }

    /// The newest request, if it is of this agent.
    pub fn sent_by(&self, agent: &str) -> Option<Arc<SentRequest>> {
        let sent = lock(&self.0.sent);
        sent.as_ref().filter(|(name, _)| **name == *agent).map(|(_, request)| Arc::clone(request))
    }

    /// Appends the messages of a conversation, starting at this index.
    pub fn append(&self, messages: &History, start: usize) {
        lock(&self.0.history).extend_from(messages, start);
    }

    pub fn state_handle(&self, id: TypeId) -> Option<Result<StateHandle, String>> {
        self.0.states.get(&id).cloned()
    }

    /// Appends messages of a child with unique call ids, because concurrent instances of a child do not see
    /// each other's ids.
    pub fn append_child(&self, child: &Arc<str>, mut messages: Vec<Arc<Message>>) {
        let mut children = lock(&self.0.children);
        let history = children.entry(Arc::clone(child)).or_default();
        CallIds::after(history.clone()).take_messages(&mut messages);
        for message in messages {
            history.push_shared(message);
        }
    }
}
