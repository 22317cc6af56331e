//! The context of a tool call, for tools and hooks.

mod acted;
mod arguments;
mod call_progress;
mod call_records;
mod depth;
mod events;
mod guardrails;
mod hook_rules;
mod inject;
mod inject_in_run;
mod opaque;
mod questions;
mod recorded_values;
mod replay;
mod run;
mod start;
mod state;
mod state_reads;
mod tool_table;
mod tool_timeout;

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use tokio::time::Instant;

pub use acted::Acted;
pub use call_progress::CallProgress;
pub use call_records::CallStages;
pub(crate) use call_records::{Approved, Key};
pub(crate) use depth::{Depth, at_depth};
pub use hook_rules::HookRule;
pub(crate) use hook_rules::OuterNames;
pub use inject::{IdempotencyKey, Inject, Progress};
pub use inject_in_run::InjectInRun;
pub use questions::Ui;
pub(crate) use questions::{Front, Open, Unanswered};
pub(crate) use replay::Within;
pub use run::Permit;
pub use run::{AbortCause, FailedHook, ScriptFault};
pub use run::{AgentInfo, RunContext, Team};
pub use run::{DynSender, OuterHooks};
pub use run::{People, RunHooks, RunIdentity, RunSeed};
pub use run::{definition_for_run, for_each_run};
pub(crate) use state::in_state;
pub use state::{State, StateError, Works, bound, conceal};
pub use tool_table::NameClash;
pub use tool_table::{DynCall, Guards, Target, ToolEntry, ToolTable};
pub use tool_timeout::has_timers;
pub(crate) use tool_timeout::timed;

use hook_rules::HookRules;
use opaque::Opaque;
use questions::{QuestionNames, Waited};
use recorded_values::ValueNames;
use run::{CallPermit, CallToken};
use start::Starts;

use crate::event::HookExit;
use crate::services::{Provided, Service, ServiceError, ServiceType};
use crate::session::Transcript;
use crate::state::SessionState;
use onionskin_definitions::args::Args;
use onionskin_definitions::debug_fields;
use onionskin_definitions::definition::{ToolDefinition, ToolSource};
use onionskin_definitions::lock::lock;
use onionskin_definitions::secret::{Secret, Sensitive};
use onionskin_definitions::setters;

/// The context of one tool call, for its hooks and its tool: the caller, the tool, its source, and the run.
///
/// It is read-only. There is one context per call; retries of the call share it.
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
    entry: Arc<ToolEntry>,
    call_id: Arc<str>,
    turn: u32,
    /// The number of the call in its turn, counted from 1.
    call_number: u32,
    attempt: AtomicU32,
    /// The number of calls of this tool in the run so far, this one included; 0 without an agent loop.
    number: u32,
    /// The arguments with which the call started, as JSON text; `None` outside a run.
    arguments: Option<Arc<str>>,
    /// The [`Depth`] bits of the running code.
    depth: AtomicU8,
    /// The [`CallProgress`] of the tool's last start.
    last_start: AtomicU8,
    /// Whether a hook requires approval of the call.
    has_hook_rules: AtomicBool,
    /// What few calls need.
    extra: OnceLock<Opaque<Extra>>,
}

/// Data of a call that is allocated on first use.
#[derive(Default)]
struct Extra {
    data: Mutex<Data>,
    token: OnceLock<CallToken>,
    /// The call's permit among concurrent calls.
    permit: CallPermit,
}

/// The data of a call.
#[derive(Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "they are facts of a call, which do not exclude each other"
)]
struct Data {
    /// Numbers the clock, sleep and random steps of the call, outside its own step.
    reads: u32,
    /// The same inside an attempt's step.
    reads_in_step: u32,
    transcript: Option<Transcript>,
    stages: CallStages,
    starts: Starts,
    /// Whether the `timeout` applies to a layer inside the one that checks this.
    timeout_is_inner: bool,
    /// Whether work of this call still runs without a caller.
    runs_on: bool,
    /// Whether this call aborted its run.
    aborted: bool,
    /// The states of the running tool values, the innermost last.
    bound: Vec<SessionState>,
    /// The arguments of the attempt and their hash, for a person who has to resolve a call in doubt.
    attempt_args: Option<(Args, String)>,
    /// The current arguments, if they differ from those with which the call started.
    reached: Option<Arc<str>>,
    /// What the call read of the states, if a hook wants to know. Contexts of other threads share it.
    state_reads: Option<state_reads::Noted>,
    /// Whether the call is in doubt.
    in_doubt: bool,
    /// Whether the call counts towards `max_calls`.
    is_admitted: bool,
    /// The questions of the call.
    question_names: QuestionNames,
    /// The time that the call waited for answers.
    waited: Waited,
    /// The number of questions that the current start of a function with the effect `Once` has reached.
    segment: u32,
    /// Whether the call waits for an answer that this run will not receive.
    is_waiting: bool,
    /// How the tool's own hooks left the call, if this is collected.
    hooks: Option<Vec<HookExit>>,
    hook_rules: HookRules,
    /// The running tool values with renamed parameters, the innermost last.
    renamed: Vec<Arc<dyn OuterNames>>,
    values: ValueNames,
}

impl ToolContext {
    /// Creates a context without a run, for unit tests of tools and hooks. Its events are dropped.
    pub fn detached(tool_name: &'static str) -> Self {
        Self::new(RunContext::detached(), ToolEntry::detached(tool_name), Arc::from("detached"), 0, 0)
    }

    /// As [`Self::detached`], with a state for tools and hooks that take [`State`].
    pub fn detached_with_state<S: Clone + Send + Sync + 'static>(tool_name: &'static str, state: S) -> Self {
        let run = RunContext::detached_with_state(state);
        Self::new(run, ToolEntry::detached(tool_name), Arc::from("detached"), 0, 0)
    }

    fn extra(&self) -> &Opaque<Extra> {
        self.extra.get_or_init(|| Opaque::new(Extra::default()))
    }

    /// Accesses the data of the call. `with` holds the lock, so it must not use a context.
    fn data<T>(&self, with: impl FnOnce(&mut Data) -> T) -> T {
        with(&mut lock(&self.extra().data))
    }

    /// As [`Self::data`], without allocating; `None` if there is no data yet.
    fn data_if_any<T>(&self, with: impl FnOnce(&mut Data) -> T) -> Option<T> {
        self.extra.get().map(|extra| with(&mut lock(&extra.data)))
    }

    pub(crate) fn entry(&self) -> &ToolEntry {
        &self.entry
    }

    /// The index of the compiled tool in its agent; `usize::MAX` for a dynamic tool.
    #[doc(hidden)]
    pub fn tool_index(&self) -> usize {
        match self.entry().target {
            Target::Compiled(index) => index,
            Target::Dynamic(_) => usize::MAX,
        }
    }

    /// The tool's name as hooks see it: `add_one`, `time__get_time`, `agent__Child`, `shell.execute`.
    pub fn tool_name(&self) -> &str {
        &self.entry().name
    }

    /// The tool's name as the model sees it: [`Self::tool_name`] in the characters that providers accept,
    /// `[A-Za-z0-9_-]{1,64}`. Other characters become `_` (`shell_execute`), and a longer name ends with a
    /// hash of the whole name.
    pub fn wire_name(&self) -> &str {
        &self.entry().wire_name
    }

    /// The name of the agent that makes the call.
    pub fn agent_name(&self) -> &str {
        self.run.agent().name()
    }

    /// The server of the tool (an MCP server, or one of your own); `agent` for child agents, `runtime` for
    /// built-in tools, `None` for functions.
    pub fn server_name(&self) -> Option<&str> {
        self.entry().server.as_deref()
    }

    /// The kind of source that the tool comes from.
    pub fn source(&self) -> ToolSource {
        self.entry().source
    }

    /// The definition of the tool: the model's view of it, and its options.
    pub fn definition(&self) -> &ToolDefinition {
        &self.entry().definition
    }

    /// The id that the model gave this call.
    pub fn call_id(&self) -> &str {
        &self.call_id
    }

    /// The id of a run and all its child runs. The caller can set it.
    pub fn correlation_id(&self) -> &str {
        self.run.correlation_id()
    }

    /// The time when the run ends this call, in tokio's clock; `None` if neither the run nor a parent run has
    /// a time limit. The tool's own `timeout` does not count.
    pub fn deadline(&self) -> Option<Instant> {
        self.run.deadline().map(|deadline| deadline.at())
    }

    /// The run of this call.
    pub fn run(&self) -> &RunContext {
        &self.run
    }

    /// Returns the service of this type, for hand-written code; a `#[tool]`, a `#[tool_hook]` and a
    /// `#[guardrail]` take it as a parameter [`Provided<T>`]. Hand-written code also declares the service, so
    /// that building an agent reports a missing one.
    ///
    /// ```
    /// use std::sync::LazyLock;
    /// use onionskin::{Args, Tool, ToolContext, ToolDefinition, ToolOutput, ToolResult, ToolSpec, call};
    ///
    /// struct Greeting(&'static str);
    ///
    /// #[derive(Default)]
    /// struct Greet;
    ///
    /// static GREET: LazyLock<ToolDefinition> =
    ///     LazyLock::new(|| ToolDefinition::new(Greet::NAME, "Greets.").takes_service::<Greeting>());
    ///
    /// impl Tool for Greet {
    ///     const NAME: &'static str = "greet";
    ///     type State = ();
    ///     fn definition(&self) -> &ToolDefinition {
    ///         &GREET
    ///     }
    ///     async fn run(&self, cx: &ToolContext, _args: &mut Args) -> ToolResult {
    ///         Ok(ToolOutput::text(cx.provided::<Greeting>()?.0))
    ///     }
    /// }
    ///
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let greet = ToolSpec::new(Greet).provide(Greeting("Good morning."));
    /// assert_eq!(call!(greet).await.unwrap(), "Good morning.");
    /// # });
    /// ```
    ///
    /// # Errors
    /// Returns an error if no such service was provided.
    pub fn provided<T: ?Sized + Service>(&self) -> Result<Provided<T>, ServiceError> {
        self.run.services().get().ok_or_else(|| {
            let service = ServiceType::new::<T>();
            if self.run.is_detached() {
                ServiceError::for_tool(self.tool_name(), service)
            } else {
                ServiceError::for_agent(self.agent_name(), service)
            }
        })
    }

    /// Registers a secret with the session, which redacts it from all output from now on. Secrets from
    /// `#[bind(..)]` are registered already.
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

    /// Removes a registered secret from the session, as [`RunContext::forget`] does, for example an expired
    /// token.
    pub fn forget<T: Sensitive>(&self, secret: &Secret<T>) {
        self.run.forget(secret);
    }

    /// A context of the same call for an attempt on another thread. The caller that waits for the attempt
    /// cancels its token, and so does this context's token.
    pub(crate) fn to_owned_attempt(&self) -> Self {
        let own = self.data(|data| Data {
            reads: data.reads,
            reads_in_step: data.reads_in_step,
            starts: data.starts,
            bound: data.bound.clone(),
            state_reads: data.state_reads.clone(),
            reached: data.reached.clone(),
            ..Data::default()
        });
        let token = CallToken { token: self.cancellation().child_token(), owner: false };
        let own = Extra { data: Mutex::new(own), token: token.into(), ..Extra::default() };
        Self {
            run: self.run.clone(),
            entry: Arc::clone(&self.entry),
            call_id: Arc::clone(&self.call_id),
            turn: self.turn,
            call_number: self.call_number,
            attempt: AtomicU32::new(self.attempt.load(Ordering::Relaxed)),
            number: self.number,
            arguments: self.arguments.clone(),
            depth: AtomicU8::new(self.depth.load(Ordering::Relaxed)),
            last_start: AtomicU8::new(self.last_start.load(Ordering::Relaxed)),
            has_hook_rules: AtomicBool::new(false),
            extra: Opaque::new(own).into(),
        }
    }

    pub(crate) fn dynamic(&self) -> Option<&Arc<dyn DynCall>> {
        match &self.entry().target {
            Target::Compiled(_) => None,
            Target::Dynamic(tool) => Some(tool),
        }
    }
}

debug_fields!(
    ToolContext: this => agent: this.agent_name(), tool: this.tool_name(), call_id: this.call_id(),
    attempt: this.attempt()
);

/// For the crates of the runtime.
#[doc(hidden)]
impl ToolContext {
    #[inline]
    pub fn new(
        run: RunContext,
        entry: Arc<ToolEntry>,
        call_id: Arc<str>,
        turn: u32,
        call_number: u32,
    ) -> Self {
        Self {
            run,
            entry,
            call_id,
            turn,
            call_number,
            attempt: AtomicU32::new(0),
            number: 0,
            arguments: None,
            depth: AtomicU8::new(0),
            last_start: AtomicU8::new(CallProgress::NotStarted as u8),
            has_hook_rules: AtomicBool::new(false),
            extra: OnceLock::new(),
        }
    }

    setters! {
        with_number(number: u32) => number = number;

        with_arguments(arguments: Arc<str>) => arguments = Some(arguments);
    }

    pub fn number(&self) -> u32 {
        self.number
    }
}
