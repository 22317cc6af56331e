//! Events: what happens in a run, in order, reported while it happens.

mod call_record;
mod call_result;
mod outcome;
mod queue;
mod reports;
mod run_output;

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use call_record::CallRecord;
pub use call_result::CallResult;
pub(crate) use call_result::error_chain;
pub use outcome::{CallOutcome, HookEnd, HookExit};
pub use queue::{Events, Queue};
pub use run_output::{RunOutput, ToolCallReport};

use crate::journal::StepId;
use crate::model::{StopReason, Usage};
use crate::question::Question;
use onionskin_definitions::content::ContentBlock;
use onionskin_definitions::definition::ToolSource;
use onionskin_definitions::output::StructuredContent;
use onionskin_definitions::secret::{Redact, Redactor};

/// One event of a run.
///
/// ```
/// use futures_util::StreamExt as _;
/// use onionskin::event::EventKind;
/// use onionskin::{ScriptedModel, ScriptedTurn, agent};
///
/// agent! { Clerk { instruction: "Take notes." } }
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let model = ScriptedModel::turns([ScriptedTurn::say("I note it.")]);
/// let clerk = Clerk::builder().model(model).build().await?;
///
/// let mut stream = clerk.stream("A lamp, please.");
/// let mut lines = Vec::new();
/// while let Some(event) = stream.next().await {
///     if matches!(event.kind, EventKind::RunStarted { .. } | EventKind::RunFinished { .. }) {
///         lines.push(format!("{} {}", event.seq, event.agent));
///     }
/// }
/// assert_eq!(lines[0], "1 Clerk");
/// assert_eq!(lines.len(), 2);
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// # }).unwrap();
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Event {
    /// The step that reports the event.
    pub step: StepId,
    /// The event's number in the outermost run, counted from 1.
    pub seq: u64,
    /// The agent, with a number if it runs as a child (`London[2]`).
    pub agent: Arc<str>,
    /// The kind of event.
    pub kind: EventKind,
}

/// The kinds of events of a run.
///
/// ```
/// use onionskin::event::EventKind;
///
/// /// What a terminal shows of a run.
/// fn shown(event: &EventKind) -> Option<String> {
///     match event {
///         EventKind::TextDelta { text, .. } => Some(text.clone()),
///         EventKind::ToolStarted { tool, arguments, .. } => Some(format!("[{tool} {arguments}]")),
///         _ => None,
///     }
/// }
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum EventKind {
    /// An agent's run began.
    #[non_exhaustive]
    RunStarted {
        /// The input.
        input: Arc<str>,
        /// False for child instances beyond the number that is displayed: they run, and need not be displayed.
        shown: bool,
    },
    /// A model request begins.
    #[non_exhaustive]
    TurnStarted {
        /// The turn, counted from 1.
        turn: u32,
    },
    /// A piece of the model's answer. It is final when the turn is finished; see
    /// [`TurnRestarted`](Self::TurnRestarted).
    #[non_exhaustive]
    TextDelta {
        /// The text to append to the pieces before.
        text: String,
    },
    /// A piece of the model's reasoning.
    #[non_exhaustive]
    ReasoningDelta {
        /// The text to append to the pieces before.
        text: String,
    },
    /// A piece of a call that the model writes. It is reported before the hooks of the turn get the call, and the call begins later, with
    /// [`ToolStarted`](Self::ToolStarted). A call can have no pieces: not every model passes them.
    #[non_exhaustive]
    ToolCallDelta {
        /// The id of the call, as in [`ToolStarted`](Self::ToolStarted).
        call_id: Arc<str>,
        /// The tool's name, as hooks see it.
        tool: Arc<str>,
        /// The text to append to the pieces of the arguments before; it is empty if the call has just begun.
        arguments: String,
        /// Whether the call is the answer of a run whose answer has a type. It has no [`ToolStarted`](Self::ToolStarted).
        is_answer: bool,
    },
    /// The model failed and is asked again. Discard the deltas of this agent's turn: they are not part of its answer.
    #[non_exhaustive]
    TurnRestarted {
        /// The turn, counted from 1.
        turn: u32,
    },
    /// The model's turn ended.
    #[non_exhaustive]
    TurnFinished {
        /// The tokens of the turn.
        usage: Usage,
        /// Why the model stopped.
        stop: StopReason,
    },
    /// A tool call begins.
    #[non_exhaustive]
    ToolStarted {
        /// The id that the model gave the call.
        call_id: Arc<str>,
        /// The tool's name, as hooks see it.
        tool: Arc<str>,
        /// The kind of source of the tool; `None` for an unknown tool.
        source: Option<ToolSource>,
        /// The arguments, as the model wrote them or as `before_tool_call` changed them,
        /// through the filters of the run hooks, as their pieces are. The tool gets them unfiltered.
        arguments: Arc<str>,
    },
    /// A tool call ended. Every call that began has exactly one such event.
    #[non_exhaustive]
    ToolFinished {
        /// The id that the model gave the call.
        call_id: Arc<str>,
        /// The tool's name, as hooks see it.
        tool: Arc<str>,
        /// How the call ended.
        outcome: CallOutcome,
        /// The content for the model.
        content: Arc<[ContentBlock]>,
        /// The time from [`ToolStarted`](Self::ToolStarted) to this event, with hooks, approval and retries.
        duration: Duration,
        /// How often the tool itself was started: more than 1 after retries. It is 0 if a hook, a guardrail, a cache or
        /// an approver answered in its place, or if the arguments were invalid.
        attempts: u32,
        /// The structured value of the result or of the error.
        #[serde(default, skip_serializing_if = "StructuredContent::is_none")]
        structured: StructuredContent,
        /// How each of the tool's own hooks left the call, the innermost first.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        hook_exits: Vec<HookExit>,
        /// The error and its causes, outermost first.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        error_chain: Vec<String>,
    },
    /// A tool reports progress.
    #[non_exhaustive]
    Progress {
        /// The call; `None` if the agent itself reports it.
        call_id: Option<Arc<str>>,
        /// The finished amount, in a unit of the tool.
        done: f64,
        /// The total amount in the same unit; `None` if it is unknown.
        total: Option<f64>,
        /// A message for people.
        message: Option<String>,
    },
    /// An event of the program ([`ToolContext::emit`](crate::ToolContext::emit),
    /// `AgentRun::emit`).
    #[non_exhaustive]
    User {
        /// The call that emitted it; `None` if the agent itself did.
        call_id: Option<Arc<str>>,
        /// The value.
        value: Value,
    },
    /// A message for people who watch the run: for example a server that restarted, or a tool that was left out.
    #[non_exhaustive]
    Notice {
        /// The message.
        text: String,
    },
    /// A call asks a person. It is reported when the question is asked, and not for an answer that is recorded.
    #[non_exhaustive]
    Asked {
        /// The question.
        question: Question,
    },
    /// A person approved a call with other arguments ([`Approval::AllowWith`](crate::approval::Approval::AllowWith)). They run.
    #[non_exhaustive]
    ArgumentsChanged {
        /// The id that the model gave the call.
        call_id: Arc<str>,
        /// The tool's name as hooks see it.
        tool: Arc<str>,
        /// The arguments that were approved.
        arguments: Arc<str>,
    },
    /// An agent's run ended with an answer.
    #[non_exhaustive]
    RunFinished {
        /// The answer.
        text: String,
    },
    /// An agent's run ended as paused: it waits for answers.
    #[non_exhaustive]
    RunPaused {
        /// The keys of the open questions, those of runs beside it included.
        open: Vec<Arc<str>>,
    },
    /// An agent's run failed.
    #[non_exhaustive]
    RunFailed {
        /// The error.
        error: String,
    },
}

impl EventKind {
    /// Whether the event contributes to a [`RunOutput`].
    pub(crate) fn adds_up(&self) -> bool {
        matches!(
            self,
            Self::TurnStarted { .. }
                | Self::TurnFinished { .. }
                | Self::ToolStarted { .. }
                | Self::ToolFinished { .. }
                | Self::ArgumentsChanged { .. }
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
            Self::ToolStarted { call_id, arguments, .. }
            | Self::ArgumentsChanged { call_id, arguments, .. } => {
                redactor.redact_id(call_id);
                arguments.redact(redactor);
            }
            Self::ToolCallDelta { call_id, arguments, .. } => {
                redactor.redact_id(call_id);
                arguments.redact(redactor);
            }
            Self::ToolFinished { call_id, content, structured, error_chain, .. } => {
                redactor.redact_id(call_id);
                content.redact(redactor);
                structured.redact(redactor);
                error_chain.redact(redactor);
            }
            Self::Progress { call_id, message, .. } => {
                if let Some(call_id) = call_id {
                    redactor.redact_id(call_id);
                }
                message.redact(redactor);
            }
            Self::User { call_id, value } => {
                if let Some(call_id) = call_id {
                    redactor.redact_id(call_id);
                }
                value.redact(redactor);
            }
            Self::Asked { question } => question.redact(redactor),
            Self::TurnStarted { .. }
            | Self::TurnRestarted { .. }
            | Self::TurnFinished { .. }
            | Self::RunPaused { .. } => {}
        }
    }
}
