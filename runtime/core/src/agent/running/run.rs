//! One run of an agent: the parts shared by its loop ([`AgentRun::converse`], in `turns.rs`), its tool calls
//! (`tool_call.rs`) and its requests to the model (`model_request.rs`).

use std::collections::HashMap;
use std::future::{pending, poll_fn};
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use std::task::Poll;

use futures_util::future::BoxFuture;
use onionskin_definitions::lock::lock;
use onionskin_tools::context::{Permit, RunContext, RunSeed};
use onionskin_tools::event::EventKind;
use onionskin_tools::journal::{StepKind, StepRef};
use onionskin_tools::model::{
    BoxModel, History, RedactedRequests, SentRequest, StopReason, Usage, UsageByModel,
};
use onionskin_tools::session::{CallIds, Session, Transcript};
use tokio::sync::{Mutex as AsyncMutex, Semaphore};

use crate::agent::built::instance::Instance;
use crate::agent::built::prompt::AgentPrompt;
use crate::agent::built::tool_list::{ListError, ToolList, TurnTools};
use crate::agent::error::misuse::MisuseError;
use crate::agent::error::run_error::RunError;
use crate::agent::form::answer_form::AnswerForm;
use crate::agent::limits::{Limit, Limits};
use crate::message_hook::MessageHooks;
use crate::run_hook::RunInput;

use super::call_counts::CallCounts;
use super::called_tool::CalledTool;
use super::measured::Measured;
use super::open_calls::OpenCalls;

/// A run of an agent. A hand-written [`Agent`](crate::Agent) uses it to reach the agent's model, tools and hooks.
///
/// ```
/// use onionskin::{Agent, RunError};
/// use onionskin::declaration::AgentDeclaration;
/// use onionskin::run::AgentRun;
///
/// /// Asks its model twice: for an answer, and for a shorter one.
/// struct Editor;
///
/// impl Agent for Editor {
///     const NAME: &'static str = "Editor";
///     type State = ();
///
///     fn declare() -> AgentDeclaration {
///         AgentDeclaration::new().instruction("Write.")
///     }
///
///     async fn run(run: &AgentRun, input: String) -> Result<String, RunError> {
///         run.converse(input).await?;
///         run.converse("Say it in one sentence.".to_owned()).await
///     }
/// }
/// ```
pub struct AgentRun {
    pub(in crate::agent) cx: RunContext,
    pub(in crate::agent) instance: Arc<Instance>,
    pub(in crate::agent) session: Session,
    /// The settings of its request, in place of the agent's.
    pub(in crate::agent) own: Option<Box<OwnSettings>>,
    /// The hooks on its messages. Hooks that are added to the agent later are for later runs.
    pub(in crate::agent) message_hooks: Option<Arc<MessageHooks>>,
    /// The type of the answer, if it has one.
    pub(in crate::agent) answer: Option<Arc<AnswerForm>>,
    /// The tools of this run, if they differ between runs.
    tools: OnceLock<Box<ToolList>>,
    tally: Mutex<Tally>,
    /// Limits the concurrent tool calls, including those of hand-written code.
    permits: Option<Arc<Semaphore>>,
    /// The messages of model requests from which secrets were removed.
    pub(super) redacted: Mutex<RedactedRequests>,
    /// The newest request, if requests are compared.
    pub(super) sent: Mutex<Option<Arc<SentRequest>>>,
    pub(super) call_counts: CallCounts,
    /// The request in progress. Only with budgets.
    pub(super) requests: AsyncMutex<()>,
    /// The call, if the run is a single call.
    pub(in crate::agent) called: Option<Arc<CalledTool>>,
    /// Whether the run is shown to people.
    pub(in crate::agent) shown: bool,
}

/// What the request of a run sets in place of the agent's own settings.
pub(in crate::agent) struct OwnSettings {
    pub(in crate::agent) prompt: Option<AgentPrompt>,
    pub(in crate::agent) model: Option<BoxModel>,
    pub(in crate::agent) limits: Option<Limits>,
}

/// The counters and the conversation of a run.
#[derive(Default)]
pub(super) struct Tally {
    pub(super) turn: u32,
    pub(super) calls: u32,
    /// The number of direct calls, which belong to no turn.
    pub(super) by_hand: u32,
    pub(super) usage: Usage,
    /// The part of the usage for questions of turn hooks, until the turn ends.
    pub(super) aside_usage: UsageByModel,
    /// The model of the newest request: its name there, and in the usage.
    pub(super) asked_model: Option<(Option<Arc<str>>, Arc<str>)>,
    /// The number of calls of each tool, which numbers the instances of children and enforces `max_calls`. A run calls
    /// few tools.
    calls_of: Vec<(Arc<str>, u32)>,
    pub(super) retries_of: HashMap<Arc<str>, u32>,
    /// The input with its attachments, until the conversation has it; `None` for a text alone.
    pub(super) attached: Option<Box<RunInput>>,
    /// The number of messages whose content was checked against the model.
    pub(super) read: usize,
    /// The newest answered request, for the estimate of the next one. Only with budgets.
    pub(super) measured: Option<Measured>,
    /// The number of answers that did not fit their type.
    pub(super) refused_answers: u32,
    transcripts: Vec<(u32, u32, Transcript)>,
    /// The ids of the conversation's calls.
    pub(super) ids: CallIds,
    /// Whether the model writes an answer to the conversation.
    pub(super) asking: bool,
    /// The calls of the newest message, until they have results.
    pub(super) open: Option<OpenCalls>,
    /// The newest turn, until it has all results. Only with turn hooks.
    pub(super) begun: Option<BegunTurn>,
    /// The last text that passed the hooks before it was sent.
    pub(super) passed: Option<Box<str>>,
}

/// A turn whose answer is in the conversation, and whose results may not be yet.
pub(super) struct BegunTurn {
    pub(super) turn: u32,
    /// The index of its first message.
    pub(super) start: usize,
    pub(super) usage: Usage,
    pub(super) stop: StopReason,
}

impl Tally {
    /// Checks that the conversation can continue: each call has its result, and no turn is in progress.
    pub(super) fn ready(&self) -> Result<(), MisuseError> {
        match &self.open {
            Some(open) => Err(open.error()),
            None if self.asking => Err(MisuseError::AskInProgress),
            None => Ok(()),
        }
    }

    /// Counts one call of a tool.
    pub(super) fn count_call(&mut self, tool: &Arc<str>) -> u32 {
        let known = self.calls_of.iter_mut().find(|(name, _)| name == tool);
        if let Some((_, count)) = known {
            *count += 1;
            return *count;
        }
        self.calls_of.push((Arc::clone(tool), 1));
        1
    }
}

/// Waits for `work`, or for another future, which is created when the work is pending for the first time:
/// timers and wakers cost more than work that ends immediately. The work is polled first.
pub(super) async fn or<T, O>(work: impl Future<Output = T>, other: impl FnOnce() -> O) -> T
where
    O: Future<Output = T>,
{
    let (mut work, mut waits) = (pin!(work), pin!(None));
    let mut other = Some(other);
    poll_fn(|cx| {
        if let Poll::Ready(done) = work.as_mut().poll(cx) {
            return Poll::Ready(done);
        }
        if let Some(other) = other.take() {
            waits.set(Some(other()));
        }
        waits.as_mut().as_pin_mut().map_or(Poll::Pending, |waits| waits.poll(cx))
    })
    .await
}

impl AgentRun {
    pub(in crate::agent) fn new(mut seed: RunSeed, instance: Arc<Instance>, session: Session) -> Self {
        let permits = instance
            .declaration
            .settings
            .max_parallel
            .map(|most| Arc::new(Semaphore::new(most.min(Semaphore::MAX_PERMITS))));
        let message_hooks = instance.message_hooks();
        let to_children = message_hooks.as_ref().filter(|hooks| hooks.is_before_send());
        seed.hooks.sender = to_children.map(|hooks| Arc::clone(hooks) as _);
        let cx = RunContext::new(seed);
        let tally = Tally { ids: CallIds::after(cx.messages()), ..Tally::default() };
        Self {
            message_hooks,
            answer: instance.answer.clone(),
            cx,
            instance,
            session,
            own: None,
            tools: OnceLock::new(),
            tally: Mutex::new(tally),
            permits,
            redacted: Mutex::default(),
            sent: Mutex::default(),
            call_counts: CallCounts::default(),
            requests: AsyncMutex::default(),
            called: None,
            shown: true,
        }
    }

    /// The context of the run, shared with hooks and tools.
    pub fn context(&self) -> &RunContext {
        &self.cx
    }

    /// The session of the run. A child in `agents: [..]` has the session of its parent.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// A snapshot of the conversation. It begins with the session's earlier messages.
    pub fn messages(&self) -> History {
        self.cx.messages()
    }

    /// The system prompt of its request, if that changes the agent's.
    pub(super) fn own_prompt(&self) -> Option<&AgentPrompt> {
        self.own.as_deref()?.prompt.as_ref()
    }

    pub(in crate::agent) fn model(&self) -> &BoxModel {
        self.own.as_deref().and_then(|own| own.model.as_ref()).unwrap_or(&self.instance.model)
    }

    pub(in crate::agent) fn limits(&self) -> &Limits {
        self.own.as_deref().and_then(|own| own.limits.as_ref()).unwrap_or_else(|| self.instance.limits())
    }

    pub(super) fn tally(&self) -> MutexGuard<'_, Tally> {
        lock(&self.tally)
    }

    pub(super) fn limit(&self, limit: Limit) -> RunError {
        RunError::Limit { agent: Arc::clone(&self.instance.name), limit }
    }

    pub(in crate::agent) fn event(&self, turn: u32, kind: EventKind) {
        self.cx.events().push(self.step(turn, StepKind::Run), kind);
    }

    pub(in crate::agent) fn step(&self, turn: u32, kind: StepKind) -> StepRef<'_> {
        StepRef { scope: self.cx.scope(), turn, kind, call_number: None, name: None, attempt: 0 }
    }

    /// Lists the tools of the run if they differ between runs; `None` if not.
    pub(in crate::agent) fn list_tools(&self) -> Option<BoxFuture<'_, Result<(), RunError>>> {
        let list = self.instance.tools.for_run(&self.cx)?;
        Some(Box::pin(async move {
            let list = list.await?;
            self.tools.get_or_init(|| Box::new(list));
            Ok(())
        }))
    }

    /// The run's own list of tools, or the list for all runs.
    pub(super) fn tool_list(&self) -> &ToolList {
        self.tools.get().map_or(&self.instance.tools, |own| &**own)
    }

    /// The tools of this turn. Reports changes since the last turn.
    pub(super) fn tools(&self, turn: u32) -> Result<TurnTools, ListError> {
        let (mut list, run) = match self.tools.get() {
            Some(own) => (&**own, Some(&self.cx)),
            None => (&self.instance.tools, None),
        };
        let mut tools = list.tools(run)?;
        if run.is_none() && tools.depends_on_run {
            list = self.tools.get_or_init(|| Box::new(self.instance.tools.late()));
            tools = list.tools(Some(&self.cx))?;
        }
        for text in list.take_notices()? {
            self.event(turn, EventKind::notice(text));
        }
        Ok(tools)
    }

    /// Runs `work` until it ends, the run is aborted or cancelled, or the run's time is up. Callers pin large work in
    /// place.
    pub(super) async fn unless_over<T>(&self, work: impl Future<Output = T>) -> Result<T, RunError> {
        let mut work = pin!(work);
        // Checked on each poll, before the work is polled.
        let work = poll_fn(|cx| {
            if self.cx.cancellation().is_cancelled() {
                return Poll::Ready(Err(self.cancelled()));
            }
            work.as_mut().poll(cx).map(Ok)
        });
        self.until_over(work).await
    }

    /// As [`Self::unless_over`], for work that itself checks whether the run is over. The work is polled
    /// first.
    pub(in crate::agent) async fn until_over<T>(
        &self,
        work: impl Future<Output = Result<T, RunError>>,
    ) -> Result<T, RunError> {
        or(work, || async { Err(self.over().await) }).await
    }

    /// Waits until the run is aborted or cancelled, or its time is up.
    async fn over(&self) -> RunError {
        tokio::select! {
            biased;
            () = self.cx.cancellation().cancelled() => self.cancelled(),
            late = self.late() => late,
        }
    }

    /// Fails if the run is aborted or cancelled.
    pub(super) fn unless_cancelled(&self) -> Result<(), RunError> {
        if self.cx.cancellation().is_cancelled() { Err(self.cancelled()) } else { Ok(()) }
    }

    /// Fails if no further turn begins.
    pub(super) fn unless_stopped(&self) -> Result<(), RunError> {
        if self.cx.is_stopped() { Err(self.cancelled()) } else { Ok(()) }
    }

    pub(super) fn cancelled(&self) -> RunError {
        RunError::from_abort(&self.cx)
            .unwrap_or_else(|| RunError::Cancelled { agent: Arc::clone(&self.instance.name) })
    }

    /// Waits until the run's time is up.
    async fn late(&self) -> RunError {
        match self.cx.deadline() {
            Some(deadline) => self.limit(Limit::Time(deadline.passed().await)),
            None => pending().await,
        }
    }

    /// Waits for a permit for a concurrent call. Dropping the permit frees it.
    pub(super) async fn permit(&self) -> Option<Permit> {
        match &self.permits {
            Some(permits) => Permit::acquire(permits).await,
            None => None,
        }
    }

    /// Keeps a child's conversation while calls of the newest message have no results. A direct call belongs
    /// to no message.
    pub(super) fn keep_transcript(&self, (turn, call): (u32, u32), transcript: Transcript) {
        let mut tally = self.tally();
        if tally.open.is_some() {
            tally.transcripts.push((turn, call, transcript));
            return;
        }
        drop(tally);
        self.merge([transcript]);
    }

    /// Merges the kept conversations of children, in call order. Returns whether there were any.
    pub(super) fn merge_kept(&self) -> bool {
        let mut transcripts = std::mem::take(&mut self.tally().transcripts);
        if transcripts.is_empty() {
            return false;
        }
        transcripts.sort_by_key(|(turn, call, _)| (*turn, *call));
        self.merge(transcripts.into_iter().map(|(.., transcript)| transcript));
        true
    }

    fn merge(&self, transcripts: impl IntoIterator<Item = Transcript>) {
        use crate::agent::parts::settings::HistoryMergeTarget as Target;
        for Transcript { child, mut messages } in transcripts {
            match self.instance.declaration.settings.history_merge_target {
                Target::None => {}
                Target::Child => self.session.append_child(&child, messages),
                Target::Orchestrator => {
                    self.tally().ids.take_messages(&mut messages);
                    let mut conversation = self.cx.conversation();
                    for mut message in messages {
                        // The input of a child is not an input of this run.
                        if message.is_input() {
                            Arc::make_mut(&mut message).mark_by_runtime();
                        }
                        conversation.push_shared(message);
                    }
                }
            }
        }
    }
}
