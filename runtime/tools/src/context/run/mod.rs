//! The run of a call: its agent, its team, its session.

mod abort;
mod budgets;
mod definition;
mod detached;
mod hooks;
mod journal;
mod permits;
mod secrets;
mod seed;
mod team;

use std::ops::Deref;
use std::sync::atomic::{AtomicBool, AtomicU8};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use std::time::Duration;

use serde_json::Value;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::opaque::Opaque;
use super::{Acted, DynCall};
use crate::approval::DynApprover;
use crate::deadline::Deadline;
use crate::event::Events;
use crate::journal::StepId;
use crate::model::{History, Message, ModelRequest, RequestIds, RequestParams, ToolDeclaration};
use crate::question::{DynAnswerer, Questions};
use crate::services::{Provided, ProvidedService, Service, ServiceError, ServiceType, Services};
use crate::session::Session;
use crate::state::{SessionState, StateCell, StateCodec, StateHandle};
use onionskin_definitions::debug_fields;
use onionskin_definitions::error::BoxError;
use onionskin_definitions::lock::lock;

pub(super) use abort::CallToken;
use abort::Latch;
pub use abort::{AbortCause, FailedHook, ScriptFault};
pub use definition::{definition_for_run, for_each_run};
pub use hooks::{DynSender, OuterHooks};
use journal::{Noted, SharedValues};
use permits::BegunBy;
pub(super) use permits::CallPermit;
pub use permits::Permit;
pub use seed::{People, RunHooks, RunIdentity, RunSeed};
pub use team::{AgentInfo, Team};

/// One run of an agent, as hooks and tools see it. Cheap to clone.
/// ```
/// use onionskin::{ScriptedModel, ScriptedTurn, ToolContext, agent, tool};
///
/// /// Says who asks.
/// #[tool]
/// fn caller(ctx: &ToolContext) -> String {
///     let run = ctx.run();
///     format!("{} for {}", run.agent().name(), run.user().unwrap_or("a guest"))
/// }
///
/// agent! {
///     Clerk { instruction: "Answer.", function_tools: [caller] }
/// }
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let turns = [ScriptedTurn::call("caller", serde_json::json!({})), ScriptedTurn::say("{last}")];
/// let clerk = Clerk::builder().model(ScriptedModel::turns(turns)).build().await.unwrap();
/// assert_eq!(clerk.request("Who am I?").user("ada").run().await.unwrap().text, "Clerk for ada");
/// # });
/// ```
#[derive(Clone)]
pub struct RunContext(Arc<Shared>);

/// What each call looks at, and the rest.
struct Shared {
    /// Whether the latch is set.
    is_aborted: AtomicBool,
    /// Whether every tool call is watched, because there is a journal, a budget or a secret.
    watched: AtomicBool,
    run: Opaque<RunInner>,
}

impl Deref for Shared {
    type Target = RunInner;

    fn deref(&self) -> &RunInner {
        &self.run
    }
}

struct RunInner {
    seed: RunSeed,
    latch: Latch,
    /// How many calls of tools with `max_calls` have started. A run has few such tools.
    started: Mutex<Vec<(Arc<str>, u32)>>,
    /// Whether the journal has records of reads: a `HasReads`.
    reads: AtomicU8,
    /// The step that records it.
    noted: OnceLock<Noted>,
    shared: SharedValues,
    /// Whether the journal has no records from now on.
    is_new: AtomicBool,
    /// The messages of the conversation so far, shared between the run's loop and its calls.
    conversation: Mutex<History>,
}

impl RunContext {
    /// The agent that runs.
    pub fn agent(&self) -> &AgentInfo {
        &self.0.seed.identity.agent
    }

    /// The displayed name: the agent's, with a number if it runs as a child (`London[2]`).
    pub fn instance_name(&self) -> &str {
        &self.0.seed.identity.instance
    }

    /// The id of the run in its journal and in the idempotency keys of its calls. Child runs share it. Each
    /// run has a new id unless `RunRequest::run_id` sets one.
    pub fn run_id(&self) -> &str {
        &self.0.seed.identity.run_id
    }

    /// The id of the run and all its child runs, for people and traces. Several runs may share it.
    pub fn correlation_id(&self) -> &str {
        &self.0.seed.identity.correlation_id
    }

    /// The run of the parent, if this agent runs as a child.
    pub fn parent(&self) -> Option<&RunContext> {
        self.begun_by().map(|by| &by.run)
    }

    pub(crate) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Whether `other` is a parent of this run, directly or indirectly.
    pub(crate) fn is_descendant_of(&self, other: &Self) -> bool {
        let mut above = self.parent();
        while let Some(run) = above {
            if run.is(other) {
                return true;
            }
            above = run.parent();
        }
        false
    }

    /// The user of the run, as set with `RunRequest::user`.
    pub fn user(&self) -> Option<&str> {
        self.0.seed.identity.user.as_deref()
    }

    pub(crate) fn session_id(&self) -> Option<Arc<str>> {
        self.session().map(|session| Arc::clone(session.shared_id()))
    }

    fn request_ids(&self, step: StepId) -> RequestIds {
        RequestIds {
            run: Arc::clone(&self.0.seed.identity.run_id),
            correlation: Arc::clone(&self.0.seed.identity.correlation_id),
            session: self.session_id().unwrap_or_default(),
            user: self.user_id(),
            step,
        }
    }

    /// Returns the service of this type, for hand-written code. The code also declares it, so that building
    /// the agent reports a missing one: see [`services`](crate::services).
    ///
    /// # Errors
    /// Returns an error if no such service was provided.
    pub fn provided<T: ?Sized + Service>(&self) -> Result<Provided<T>, ServiceError> {
        self.services()
            .get()
            .ok_or_else(|| ServiceError::for_agent(self.agent().name(), ServiceType::new::<T>()))
    }

    /// Adds a service. Returns `false` if the run is shared already.
    pub(crate) fn provide(&mut self, service: ProvidedService) -> bool {
        let run = Arc::get_mut(&mut self.0).and_then(|shared| shared.run.get_mut());
        run.map(|run| run.seed.services.insert(service)).is_some()
    }

    /// The values and secrets of the session under dotted keys, which tools take with `#[bind(..)]`.
    pub fn session_state(&self) -> &SessionState {
        &self.0.seed.session_state
    }

    /// A token that is cancelled when the run is aborted, cancelled or dropped.
    pub fn cancellation(&self) -> &CancellationToken {
        self.0.latch.token()
    }

    /// The time that the run has left; zero after its limit, `None` without a limit.
    pub fn remaining(&self) -> Option<Duration> {
        self.0.seed.deadline.as_ref().map(|deadline| deadline.at().saturating_duration_since(Instant::now()))
    }

    pub(crate) fn state(&self) -> &StateHandle {
        &self.0.seed.state
    }

    /// Whether the run is cancelled, aborted or out of time.
    pub(crate) fn is_ending(&self) -> bool {
        self.cancellation().is_cancelled() || self.remaining().is_some_and(|left| left.is_zero())
    }

    pub(crate) fn state_codec(&self) -> Option<StateCodec> {
        self.0.seed.codec
    }

    /// Counts a starting call of a tool. Returns `false` if `most` calls have started already.
    pub(super) fn admit(&self, tool: &str, most: u32) -> bool {
        let mut started = lock(&self.0.started);
        match started.iter_mut().find(|(name, _)| **name == *tool) {
            Some((_, count)) if *count >= most => return false,
            Some((_, count)) => *count += 1,
            None => started.push((tool.into(), 1)),
        }
        true
    }

    /// The number of started calls of a tool with `max_calls`.
    pub(super) fn started(&self, tool: &str) -> u32 {
        let started = lock(&self.0.started);
        started.iter().find(|(name, _)| **name == *tool).map_or(0, |(_, count)| *count)
    }

    /// Uncounts a call that did not start.
    pub(super) fn uncount(&self, tool: &str) {
        if let Some((_, count)) = lock(&self.0.started).iter_mut().find(|(name, _)| **name == *tool) {
            *count -= 1;
        }
    }

    /// A snapshot of the conversation so far.
    pub fn messages(&self) -> History {
        self.conversation().clone()
    }

    pub(crate) fn sender(&self) -> Option<&Arc<dyn DynSender>> {
        self.0.seed.hooks.sender.as_ref()
    }

    pub(crate) fn core(&self) -> Option<&Arc<dyn DynCall>> {
        self.0.seed.hooks.core.as_ref()
    }

    /// A number that is unique among live sessions, as a key for data per session.
    pub fn session_number(&self) -> usize {
        std::ptr::from_ref(self.concealed()).addr()
    }
}

debug_fields!(RunContext: this => instance: this.instance_name(), correlation_id: this.correlation_id());

/// For the crates of the runtime.
#[doc(hidden)]
impl RunContext {
    pub fn new(mut seed: RunSeed) -> Self {
        let latch = Latch::new(seed.token.clone());
        let is_watched = seed.journal.is_some() || seed.session_state.concealed().any();
        let watched = AtomicBool::new(is_watched || !seed.budgets.is_empty());
        let conversation = Mutex::new(std::mem::take(&mut seed.history));
        let run = Opaque::new(RunInner {
            seed,
            latch,
            started: Mutex::default(),
            reads: AtomicU8::new(0),
            noted: OnceLock::new(),
            shared: SharedValues::default(),
            is_new: AtomicBool::new(false),
            conversation,
        });
        Self(Arc::new(Shared { is_aborted: AtomicBool::new(false), watched, run }))
    }

    /// The token that ends the run before its next turn.
    pub fn stop(&self) -> Option<&CancellationToken> {
        self.0.seed.stop.as_ref()
    }

    /// Whether no further turn begins.
    pub fn is_stopped(&self) -> bool {
        self.stop().is_some_and(CancellationToken::is_cancelled)
    }

    pub fn acted(&self) -> Option<&Arc<Acted>> {
        self.0.seed.acted.as_ref()
    }

    pub fn begun_by(&self) -> Option<&Arc<BegunBy>> {
        self.0.seed.begun_by.as_ref()
    }

    pub fn user_id(&self) -> Option<Arc<str>> {
        self.0.seed.identity.user.clone()
    }

    /// A model request of this run, without a system prompt.
    pub fn model_request(
        &self,
        step: StepId,
        agent: Arc<str>,
        messages: History,
        tools: Arc<[ToolDeclaration]>,
        params: RequestParams,
    ) -> ModelRequest {
        let ids = self.request_ids(step);
        ModelRequest { agent, model: None, system: None, messages, tools, params, ids }
    }

    /// Sets the ids of this run in a request.
    pub fn set_ids(&self, request: &mut ModelRequest, step: StepId) {
        request.ids = self.request_ids(step);
    }

    /// The people around the run.
    pub fn people(&self) -> &People {
        &self.0.seed.people
    }

    pub fn approver(&self) -> Option<&Arc<dyn DynApprover>> {
        self.0.seed.people.approver.as_ref()
    }

    pub fn answerer(&self) -> Option<&Arc<dyn DynAnswerer>> {
        self.0.seed.people.answerer.as_ref()
    }

    /// Whether a question of a call can be answered.
    #[inline]
    pub fn can_ask(&self) -> bool {
        self.0.seed.people.answerer.is_some() || self.0.seed.people.questions.is_some()
    }

    pub fn questions(&self) -> Option<&Arc<Questions>> {
        self.0.seed.people.questions.as_ref()
    }

    pub fn services(&self) -> &Services {
        &self.0.seed.services
    }

    pub fn deadline(&self) -> Option<Deadline> {
        self.0.seed.deadline.clone()
    }

    /// The agent's state as JSON; an empty object if it has no state.
    ///
    /// # Errors
    /// Returns an error if the state cannot be serialised.
    pub fn state_json(&self) -> Result<Value, BoxError> {
        if self.state().is::<StateCell<()>>() {
            return Ok(Value::Object(serde_json::Map::new()));
        }
        let codec = self
            .state_codec()
            .ok_or("the state has no JSON: derive `Serialize` and `Deserialize` for its type")?;
        Ok(codec.to_json(self.state())?)
    }

    pub fn events(&self) -> &Events {
        &self.0.seed.events
    }

    pub fn scope(&self) -> &Arc<str> {
        &self.0.seed.identity.scope
    }

    pub fn session(&self) -> Option<&Session> {
        self.0.seed.session.as_ref()
    }

    /// The conversation so far.
    pub fn conversation(&self) -> MutexGuard<'_, History> {
        lock(&self.0.conversation)
    }

    pub fn append(&self, message: Message) {
        self.conversation().push(message);
    }

    /// The hooks of parent agents around the calls of the run.
    pub fn outer_hooks(&self) -> Option<&Arc<dyn OuterHooks>> {
        self.0.seed.hooks.outer.as_ref()
    }

    /// The hooks around the calls of child runs.
    pub fn child_hooks(&self) -> Option<&Arc<dyn OuterHooks>> {
        self.0.seed.hooks.children.as_ref()
    }
}
