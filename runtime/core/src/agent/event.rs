//! Events: everything that happens in a run, in order, as it happens.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Poll, Waker};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::stream::RunOutput;
use crate::content::ContentBlock;
use crate::definition::ToolSource;
use crate::error::{ErrorKind, Exit, ToolResult};
use crate::journal::StepId;
use crate::model::{StopReason, Usage};
use crate::output::StructuredContent;
use crate::secret::{Redact, Redactor};
use crate::spec::HookExit;
use crate::state::SessionState;

/// One thing that happened in a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Event {
    /// The step it happened in.
    pub step: StepId,
    /// Counts the events of the outermost run from 1.
    pub seq: u64,
    /// The agent, with its number where it runs as a child (`London[2]`).
    pub agent: Arc<str>,
    /// What happened.
    pub kind: EventKind,
}

/// What can happen in a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum EventKind {
    /// An agent began.
    RunStarted {
        /// What it was asked.
        input: Arc<str>,
        /// False for child instances beyond `max_display_instances`: they run, but need not be shown.
        shown: bool,
    },
    /// The model is asked.
    TurnStarted {
        /// Counts from 1.
        turn: u32,
    },
    /// The model wrote a piece of its answer. It counts once the turn is finished: see
    /// [`TurnRestarted`](Self::TurnRestarted).
    TextDelta {
        /// The piece.
        text: String,
    },
    /// The model wrote a piece of its reasoning.
    ReasoningDelta {
        /// The piece.
        text: String,
    },
    /// The model failed and is asked again: forget the deltas of this agent's turn, they are no part of its answer.
    TurnRestarted {
        /// Counts from 1.
        turn: u32,
    },
    /// The model's turn is over.
    TurnFinished {
        /// What it cost.
        usage: Usage,
        /// Why the model stopped.
        stop: StopReason,
    },
    /// A tool call begins.
    ToolStarted {
        /// The id that the model gave the call.
        call_id: Arc<str>,
        /// The tool, as hooks see it.
        tool: Arc<str>,
        /// Where the tool comes from; none if there is no such tool.
        source: Option<ToolSource>,
        /// The arguments as the model wrote them.
        arguments: Arc<str>,
    },
    /// A tool call is over. Every call that began ends with just one of these.
    ToolFinished {
        /// The id that the model gave the call.
        call_id: Arc<str>,
        /// The tool, as hooks see it.
        tool: Arc<str>,
        /// How it ended.
        outcome: CallOutcome,
        /// What the model is told.
        content: Arc<[ContentBlock]>,
        /// How long it took.
        duration: Duration,
        /// How often the tool itself was started: more than 1 after retries; 0 if a hook, a guardrail, a cache or a person
        /// answered in its place, or its arguments do not fit.
        attempts: u32,
        /// The structured value of the result or of the error.
        #[serde(default, skip_serializing_if = "StructuredContent::is_none")]
        structured: StructuredContent,
        /// How each of the tool's own hooks left the call, the innermost first.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        hook_exits: Vec<HookExit>,
        /// What it failed with, and what caused that, outermost first.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        error_chain: Vec<String>,
    },
    /// A tool reports progress.
    Progress {
        /// The call.
        call_id: Arc<str>,
        /// How much is done, in a unit of the tool's own.
        done: f64,
        /// How much there is.
        total: Option<f64>,
        /// In words.
        message: Option<String>,
    },
    /// An event of the program's own ([`ToolContext::emit`](crate::ToolContext::emit)).
    User {
        /// The call it came from.
        call_id: Arc<str>,
        /// The value.
        value: Value,
    },
    /// Something that a person who watches should know: a server that restarted, a tool that was left out.
    Notice {
        /// In words.
        text: String,
    },
    /// An agent has its answer.
    RunFinished {
        /// The answer.
        text: String,
    },
    /// An agent's run failed.
    RunFailed {
        /// Why.
        error: String,
    },
}

impl EventKind {
    /// Whether a [`RunOutput`] takes something from it.
    pub(super) fn adds_up(&self) -> bool {
        matches!(
            self,
            Self::TurnStarted { .. }
                | Self::TurnFinished { .. }
                | Self::ToolStarted { .. }
                | Self::ToolFinished { .. }
                | Self::RunFinished { .. }
        )
    }
}

impl Redact for EventKind {
    fn redact(&mut self, redactor: &Redactor) {
        match self {
            Self::RunStarted { input, .. } => input.redact(redactor),
            Self::TextDelta { text }
            | Self::ReasoningDelta { text }
            | Self::Notice { text }
            | Self::RunFinished { text }
            | Self::RunFailed { error: text } => text.redact(redactor),
            Self::ToolStarted { arguments, .. } => arguments.redact(redactor),
            Self::ToolFinished { content, structured, error_chain, .. } => {
                content.redact(redactor);
                structured.redact(redactor);
                error_chain.redact(redactor);
            }
            Self::Progress { message, .. } => message.redact(redactor),
            Self::User { value, .. } => value.redact(redactor),
            Self::TurnStarted { .. } | Self::TurnRestarted { .. } | Self::TurnFinished { .. } => {}
        }
    }
}

/// How a tool call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CallOutcome {
    /// With a result.
    Ok,
    /// With a tool error: the run goes on.
    Error(ErrorKind),
    /// With a graceful end of the run.
    Stop,
    /// With an abort of the run.
    Abort,
}

impl CallOutcome {
    pub(crate) fn of(result: &ToolResult) -> Self {
        match result {
            Ok(_) => Self::Ok,
            Err(Exit::Tool(error)) => Self::Error(error.kind()),
            Err(Exit::Stop(_)) => Self::Stop,
            Err(Exit::Abort(_)) => Self::Abort,
        }
    }
}

/// Deltas join the last one of their kind when so many events wait to be read.
const CAPACITY: usize = 1024;

/// Where a run writes its events; all runs beneath an outermost run share one.
#[derive(Clone)]
pub(crate) struct Events {
    queue: Option<Arc<Queue>>,
    agent: Arc<str>,
    /// Knows the secrets that no event may show.
    session: SessionState,
}

#[derive(Default)]
pub(crate) struct Queue {
    state: Mutex<State>,
    /// Where its events go instead of waiting here.
    relay: Option<Relay>,
    /// Whether events are added up only, so that those that add nothing need not be made.
    adds_up: AtomicBool,
}

/// Gives the events of one run on to another's, and adds them up.
struct Relay {
    /// The run's scope.
    scope: Arc<str>,
    output: Mutex<RunOutput>,
    onto: Events,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Event>,
    seq: u64,
    reader: Option<Waker>,
    /// What the events add up to, once only that is wanted of them: they are not kept then.
    sum: Option<RunOutput>,
}

impl Events {
    pub(crate) fn none() -> Self {
        Self { queue: None, agent: Arc::from(""), session: SessionState::default() }
    }

    pub(crate) fn new(queue: Arc<Queue>, agent: Arc<str>, session: SessionState) -> Self {
        Self { queue: Some(queue), agent, session }
    }

    /// Whether they go anywhere.
    #[inline]
    pub(crate) fn are_read(&self) -> bool {
        self.queue.is_some()
    }

    /// Whether anything beside their sum is wanted of them.
    pub(crate) fn are_kept(&self) -> bool {
        match self.queue.as_deref() {
            Some(Queue { relay: Some(relay), .. }) => relay.onto.are_kept(),
            Some(queue) => !queue.adds_up.load(Ordering::Relaxed),
            None => false,
        }
    }

    /// The same queue for a child.
    pub(crate) fn for_agent(&self, agent: Arc<str>) -> Self {
        Self { queue: self.queue.clone(), agent, session: self.session.clone() }
    }

    /// Never blocks and never drops: only deltas are held to a bound, by joining them.
    pub(crate) fn push(&self, step: impl FnOnce() -> StepId, mut kind: EventKind) {
        let Some(queue) = &self.queue else { return };
        if let Some(redactor) = self.session.concealed().redactor() {
            kind.redact(&redactor);
        }
        match &queue.relay {
            None => queue.append(&self.agent, step, kind),
            Some(relay) => relay.add(Event { step: step(), seq: 0, agent: Arc::clone(&self.agent), kind }),
        }
    }

    /// For a run in this scope with a session of its own: its events are added up on their way here.
    pub(super) fn relayed(&self, scope: Arc<str>, session: SessionState) -> Self {
        let relay = Relay { scope, output: Mutex::default(), onto: self.clone() };
        let queue = Queue { relay: Some(relay), ..Queue::default() };
        Self { queue: Some(Arc::new(queue)), agent: Arc::clone(&self.agent), session }
    }

    /// Pushes an event of another run, whose secrets are out of it.
    fn pass(&self, mut event: Event) {
        let Some(queue) = &self.queue else { return };
        if let Some(redactor) = self.session.concealed().redactor() {
            event.kind.redact(&redactor);
        }
        match &queue.relay {
            None => queue.append(&event.agent, || event.step, event.kind),
            Some(relay) => relay.add(event),
        }
    }

    /// What the events of [`Self::relayed`] added up to.
    pub(super) fn output(&self) -> RunOutput {
        let relay = self.queue.as_ref().and_then(|queue| queue.relay.as_ref());
        let output = relay.map(|relay| relay.output.lock().unwrap_or_else(PoisonError::into_inner).clone());
        output.unwrap_or_default()
    }
}

impl Relay {
    fn add(&self, event: Event) {
        self.output.lock().unwrap_or_else(PoisonError::into_inner).add_in(&self.scope, &event);
        self.onto.pass(event);
    }
}

/// Appends a delta to the last event, if that is a delta of the same kind and agent.
fn join(waiting: &mut VecDeque<Event>, agent: &str, kind: &EventKind) -> bool {
    let Some(last) = waiting.iter_mut().rev().find(|event| &*event.agent == agent) else { return false };
    match (&mut last.kind, kind) {
        (EventKind::TextDelta { text }, EventKind::TextDelta { text: more })
        | (EventKind::ReasoningDelta { text }, EventKind::ReasoningDelta { text: more }) => {
            text.push_str(more);
            true
        }
        _ => false,
    }
}

impl Queue {
    fn append(&self, agent: &Arc<str>, step: impl FnOnce() -> StepId, kind: EventKind) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(sum) = &mut state.sum {
            if kind.adds_up() {
                sum.take_in("", Event { step: step(), seq: 0, agent: Arc::clone(agent), kind });
            }
            return;
        }
        if state.waiting.len() >= CAPACITY && join(&mut state.waiting, agent, &kind) {
            return;
        }
        state.seq += 1;
        let event = Event { step: step(), seq: state.seq, agent: Arc::clone(agent), kind };
        state.waiting.push_back(event);
        let reader = state.reader.take();
        // A waker is foreign code: it may well read at once.
        drop(state);
        if let Some(reader) = reader {
            reader.wake();
        }
    }

    pub(crate) fn poll_next(&self, waker: &Waker) -> Poll<Event> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(event) = state.waiting.pop_front() {
            return Poll::Ready(event);
        }
        state.reader = Some(waker.clone());
        Poll::Pending
    }

    /// Keeps no event from now on, but what they add up to, beginning with this.
    pub(super) fn add_up(&self, mut sum: RunOutput) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        for event in std::mem::take(&mut state.waiting) {
            sum.take_in("", event);
        }
        state.sum = Some(sum);
        self.adds_up.store(true, Ordering::Relaxed);
    }

    /// What the events added up to since [`Self::add_up`].
    pub(super) fn sum(&self) -> RunOutput {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.sum.take().unwrap_or_default()
    }

    pub(crate) fn pop(&self) -> Option<Event> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).waiting.pop_front()
    }
}
