//! What a tool or a hook can know about the call it takes part in.

mod bound;
mod callee;
mod conceal;
mod inject;
mod latch;
mod left;
mod place;
mod places;
mod run;
mod stages;
mod start;
mod state;
mod table;
mod timed;

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, SystemTime};

use serde::Serialize;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

pub(crate) use bound::Bound as InState;
pub(crate) use callee::DynCall;
pub use conceal::{Bound, ConcealNone, ConcealSome};
pub use inject::{IdempotencyKey, Inject, InjectArgs, InjectContext, InjectName, Progress};
pub(crate) use left::Left;
pub(crate) use place::{Place, Placed};
pub(crate) use places::{Running, Slot};
pub(crate) use run::RunSeed;
pub use run::{AgentInfo, RunContext, Team};
pub(crate) use stages::{CallStages, Key};
pub use state::{State, StateError, bound};
pub use table::NameClash;
pub(crate) use table::{Entry, Target, ToolTable};
pub(crate) use timed::{has_timers, timed};

use places::CallPlace;

use crate::definition::{ToolDefinition, ToolSource};
use crate::error::{ErrorKind, Exit, ToolError};
use crate::event::EventKind;
use crate::event::HookExit;
use crate::journal::{StepId, StepKind};
use crate::secret::{Secret, Sensitive};
use crate::session::Transcript;
use crate::state::SessionState;

/// One tool call as its hooks and its tool see it: who calls what, from where, for which run.
///
/// Hooks read it, they cannot change it. There is one context per call; retries of the call share it.
///
/// ```
/// use onionskin::ToolContext;
/// use onionskin::definition::ToolSource;
/// let cx = ToolContext::detached("add_one");
/// assert_eq!(cx.tool_name(), "add_one");
/// assert_eq!(cx.source(), ToolSource::Function);
/// ```
pub struct ToolContext {
    run: RunContext,
    entry: Arc<Entry>,
    tool_use_id: Arc<str>,
    turn: u32,
    call: u32,
    attempt: AtomicU32,
    /// How many calls of this tool the run has made, this one included; 0 outside of a loop.
    number: u32,
    /// The [`Place`] in the onion whose code runs just now.
    place: AtomicU8,
    /// What few calls need.
    rare: Mutex<Option<Arc<Rare>>>,
}

/// What a call keeps only if its tool or its hooks ask for it.
#[derive(Default)]
struct Rare {
    /// Numbers the clock, sleep and random steps of the call.
    steps: AtomicU32,
    transcript: Mutex<Option<Transcript>>,
    token: OnceLock<CallToken>,
    stages: Mutex<CallStages>,
    /// How often the tool was started again by hooks that were added to it as a value.
    again: AtomicU32,
    /// How often it was started by them since the agent's hooks let the call through.
    starts: AtomicU32,
    /// How often it was started inside of the hooks that it was declared with.
    inside: AtomicU32,
    /// How often its function was started, where the core does not start it itself.
    started: AtomicU32,
    /// How many starts came to nothing, because the arguments did not fit for example.
    refused: AtomicU32,
    /// Whether the `timeout` is held by a part of the call further inside than the one that asks.
    bound_inside: AtomicBool,
    /// What became of a thread that nobody waits for any more: a [`Left`].
    left: AtomicU8,
    /// Whether work of this call goes on that nobody waits for.
    runs_on: AtomicBool,
    /// Whether this call aborted its run.
    aborted: AtomicBool,
    /// The call's place among those that run at once.
    place: CallPlace,
    /// The states of the tool values whose code runs just now, the innermost last.
    bound: Mutex<Vec<SessionState>>,
    /// How its own hooks left the call, if somebody asks for it.
    hooks: OnceLock<Mutex<Vec<HookExit>>>,
}

impl ToolContext {
    #[inline]
    pub(crate) fn new(
        run: RunContext,
        entry: Arc<Entry>,
        tool_use_id: Arc<str>,
        turn: u32,
        call: u32,
    ) -> Self {
        Self {
            run,
            entry,
            tool_use_id,
            turn,
            call,
            attempt: AtomicU32::new(0),
            number: 0,
            place: AtomicU8::new(Place::Outside as u8),
            rare: Mutex::new(None),
        }
    }

    /// A context of no run, to call a tool or a hook in a unit test. Events go nowhere.
    pub fn detached(tool_name: &'static str) -> Self {
        Self::new(RunContext::detached(), Entry::detached(tool_name), Arc::from("detached"), 0, 0)
    }

    /// A context of no run whose session holds `state`, to call what takes [`State`] in a unit test.
    pub fn detached_with_state<S: Clone + Send + Sync + 'static>(tool_name: &'static str, state: S) -> Self {
        let run = RunContext::detached_with_state(state);
        Self::new(run, Entry::detached(tool_name), Arc::from("detached"), 0, 0)
    }

    pub(crate) fn with_number(mut self, number: u32) -> Self {
        self.number = number;
        self
    }

    pub(crate) fn number(&self) -> u32 {
        self.number
    }

    /// Refuses the call if the tool was called as often as a run may.
    pub(crate) fn admit(&self) -> Result<(), Exit> {
        match self.entry().definition.max_calls {
            Some(most) if self.number > most => {
                let text =
                    format!("`{}` may be called {most} times in one run; it did not run", self.tool_name());
                Err(Exit::Tool(ToolError::new(text).with_kind(ErrorKind::Limit)))
            }
            _ => Ok(()),
        }
    }

    /// Leaves a child's conversation for the loop, which merges it when its batch is over.
    pub(crate) fn keep_transcript(&self, transcript: Transcript) {
        *self.rare().transcript.lock().unwrap_or_else(PoisonError::into_inner) = Some(transcript);
    }

    pub(crate) fn take_transcript(&self) -> Option<Transcript> {
        let rare = self.rare.lock().unwrap_or_else(PoisonError::into_inner).clone()?;
        rare.transcript.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// What the call remembers of its stages.
    pub(crate) fn stages<T>(&self, with: impl FnOnce(&mut CallStages) -> T) -> T {
        with(&mut self.rare().stages.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn rare(&self) -> Arc<Rare> {
        let mut rare = self.rare.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(rare.get_or_insert_default())
    }

    pub(crate) fn entry(&self) -> &Entry {
        &self.entry
    }

    /// The number of the compiled tool in its agent; none for a tool that only the run knows.
    #[doc(hidden)]
    pub fn slot(&self) -> usize {
        match self.entry().target {
            Target::Slot(slot) => slot,
            Target::Dynamic(_) => usize::MAX,
        }
    }

    /// The tool's name as hooks see it: `add_one`, `time__get_time`, `agent__Child`, `shell.execute`.
    pub fn tool_name(&self) -> &str {
        &self.entry().name
    }

    /// The tool's name as the model sees it: [`Self::tool_name`] in the characters that providers take.
    pub fn wire_name(&self) -> &str {
        &self.entry().wire_name
    }

    /// The name of the agent whose call this is.
    pub fn agent_name(&self) -> &str {
        self.run.agent().name()
    }

    /// The MCP server, `agent` for child agents, `runtime` for built-in tools, none for functions.
    pub fn server_name(&self) -> Option<&str> {
        self.entry().server.as_deref()
    }

    /// Where the tool comes from.
    pub fn source(&self) -> ToolSource {
        self.entry().source
    }

    /// What the model is told about the tool, and whether a call of it may be repeated.
    pub fn definition(&self) -> &ToolDefinition {
        &self.entry().definition
    }

    /// The id that the model gave this call.
    pub fn tool_use_id(&self) -> &str {
        &self.tool_use_id
    }

    /// One id for a run and all runs of child agents beneath it; the caller may set it.
    pub fn correlation_id(&self) -> &str {
        self.run.correlation_id()
    }

    /// Has the tool's own hooks say how they leave this call.
    pub(crate) fn log_hooks(&self) {
        let _ = self.rare().hooks.set(Mutex::default());
    }

    /// What is kept already; nothing is made for it.
    fn rarely(&self) -> Option<Arc<Rare>> {
        self.rare.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn log_hook(&self, exit: impl FnOnce() -> HookExit) {
        if self.run.events().are_read() {
            self.log_hooks();
        }
        if let Some(log) = self.rarely().as_ref().and_then(|rare| rare.hooks.get()) {
            log.lock().unwrap_or_else(PoisonError::into_inner).push(exit());
        }
    }

    pub(crate) fn take_hook_log(&mut self) -> Vec<HookExit> {
        let rare = self.rare.get_mut().unwrap_or_else(PoisonError::into_inner);
        let log = rare.as_ref().and_then(|rare| rare.hooks.get());
        log.map(|log| std::mem::take(&mut *log.lock().unwrap_or_else(PoisonError::into_inner)))
            .unwrap_or_default()
    }

    /// When the run will end this call, if its time is limited.
    pub fn deadline(&self) -> Option<Instant> {
        self.run.deadline().map(|deadline| deadline.at)
    }

    /// A token that is cancelled when the run is aborted, or when this call is over or dropped: give it
    /// to work that you spawn. In a `blocking` tool it is the attempt's: it is cancelled as soon as nobody waits
    /// for that attempt any more, after a timeout for example.
    pub fn cancellation(&self) -> CancellationToken {
        self.rare()
            .token
            .get_or_init(|| CallToken { token: self.run.cancellation().child_token(), owner: true })
            .token
            .clone()
    }

    /// The run that this call belongs to.
    pub fn run(&self) -> &RunContext {
        &self.run
    }

    /// Tells the session that this is a secret, as `#[bind(..)]` does by itself: it is taken out of whatever lets it out
    /// from now on. For secrets that a tool or a hook finds elsewhere.
    ///
    /// ```
    /// use onionskin::{Secret, ToolContext};
    ///
    /// fn login(cx: &ToolContext) -> Secret<String> {
    ///     let token = Secret::new("token-of-this-login".to_owned());
    ///     cx.conceal(&token);
    ///     token
    /// }
    /// # login(&ToolContext::detached("login"));
    /// ```
    pub fn conceal<T: Sensitive>(&self, secret: &Secret<T>) {
        self.run.conceal(secret);
    }

    /// Lets a secret be seen again that was concealed in this session, as [`RunContext::forget`]: a token of one call, for
    /// example, once it is no longer valid.
    pub fn forget<T: Sensitive>(&self, secret: &Secret<T>) {
        self.run.forget(secret);
    }

    /// Sends an event of your own into the run's stream. It costs nothing to the run if nobody listens.
    ///
    /// # Errors
    /// If the value cannot be written as JSON.
    pub fn emit(&self, event: impl Serialize) -> Result<(), serde_json::Error> {
        let value = serde_json::to_value(event)?;
        self.event(EventKind::User { call_id: Arc::clone(&self.tool_use_id), value });
        Ok(())
    }

    pub(crate) fn event(&self, kind: EventKind) {
        self.run.events().push(|| self.step_id(StepKind::Tool), kind);
    }

    /// The wall clock, as a step: a replayed run sees the same time again.
    pub async fn now(&self) -> SystemTime {
        self.run.step(self.numbered(StepKind::Clock), async || SystemTime::now()).await
    }

    /// Waits, as a step: a replayed run does not wait again. Cancel safe: dropping it ends the wait.
    pub async fn sleep(&self, duration: Duration) {
        self.run.step(self.numbered(StepKind::Timer), async || tokio::time::sleep(duration).await).await;
    }

    /// A random number, as a step: a replayed run sees the same one again. Not for secrets.
    pub async fn random(&self) -> u64 {
        self.run.step(self.numbered(StepKind::Random), async || crate::journal::random()).await
    }

    /// The id of this call's step, attempt included.
    pub(crate) fn step_id(&self, kind: StepKind) -> StepId {
        StepId {
            scope: self.run.scope(),
            turn: self.turn,
            kind,
            call: Some(self.call),
            name: Arc::clone(&self.entry().name),
            attempt: self.attempt.load(Ordering::Relaxed),
        }
    }

    fn numbered(&self, kind: StepKind) -> StepId {
        let number = self.rare().steps.fetch_add(1, Ordering::Relaxed);
        let mut id = self.step_id(kind);
        id.name = format!("{}.{number}", id.name).into();
        id
    }

    pub(crate) fn dynamic(&self) -> Option<&Arc<dyn DynCall>> {
        match &self.entry().target {
            Target::Slot(_) => None,
            Target::Dynamic(tool) => Some(tool),
        }
    }

    /// The same call, owned, for an attempt on a thread of its own. Whoever waits for the attempt cancels its
    /// token, which this context's token cancels too.
    pub(crate) fn to_owned_attempt(&self) -> Self {
        let (rare, same) = (self.rare(), |count: &AtomicU32| AtomicU32::new(count.load(Ordering::Relaxed)));
        let own = Rare {
            steps: same(&rare.steps),
            again: same(&rare.again),
            starts: same(&rare.starts),
            inside: same(&rare.inside),
            started: same(&rare.started),
            refused: same(&rare.refused),
            bound: Mutex::new(rare.bound.lock().unwrap_or_else(PoisonError::into_inner).clone()),
            ..Rare::default()
        };
        let _ = own.token.set(CallToken { token: self.cancellation().child_token(), owner: false });
        Self {
            run: self.run.clone(),
            entry: Arc::clone(&self.entry),
            tool_use_id: Arc::clone(&self.tool_use_id),
            turn: self.turn,
            call: self.call,
            attempt: same(&self.attempt),
            number: self.number,
            place: AtomicU8::new(self.place.load(Ordering::Relaxed)),
            rare: Mutex::new(Some(Arc::new(own))),
        }
    }
}

impl fmt::Debug for ToolContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolContext")
            .field("agent", &self.agent_name())
            .field("tool", &self.tool_name())
            .field("tool_use_id", &self.tool_use_id())
            .field("attempt", &self.attempt())
            .finish_non_exhaustive()
    }
}

/// The call's own token; the context that made it cancels it when the call is over.
struct CallToken {
    token: CancellationToken,
    owner: bool,
}

impl Drop for CallToken {
    fn drop(&mut self) {
        if self.owner {
            self.token.cancel();
        }
    }
}
