//! Events: what happens in a run, reported in order while it happens.

mod call_record;
mod call_result;
mod json;
mod outcome;
mod queue;
mod reports;
mod run_output;
mod turn_text;

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
pub use turn_text::{TurnChange, TurnText};

use crate::journal::StepId;
use crate::model::{PrefixCause, PrefixChange, StopReason, Usage, UsageByModel};
use crate::question::Question;
use onionskin_definitions::content::ContentBlock;
use onionskin_definitions::definition::ToolSource;
use onionskin_definitions::output::StructuredContent;
use onionskin_definitions::secret::{Redact, Redactor};

/// One event of a run. As JSON it has the form that the book describes.
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
    /// The step that the event belongs to.
    pub step: StepId,
    /// The event's number in the outermost run, counted from 1.
    pub seq: u64,
    /// The agent, with a number if it runs as a child (`London[2]`).
    pub agent: Arc<str>,
    /// The kind of event.
    pub kind: EventKind,
}

impl Event {
    /// Whether it is an event of the outermost run, and not of a run that one of its calls started. As JSON, the `scope` of
    /// its `step` is empty.
    ///
    /// ```
    /// use onionskin::event::{Event, EventKind};
    ///
    /// /// The text of the answer so far, without the texts of children.
    /// fn show(event: &Event, answer: &mut String) {
    ///     match &event.kind {
    ///         EventKind::TextDelta { text, .. } if event.is_outermost() => answer.push_str(text),
    ///         EventKind::TurnRestarted { .. } if event.is_outermost() => answer.clear(),
    ///         _ => {}
    ///     }
    /// }
    /// ```
    pub fn is_outermost(&self) -> bool {
        self.step.scope().is_empty()
    }
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
        /// False for child instances beyond `max_display_instances`, which need not be displayed.
        shown: bool,
    },
    /// A model request starts.
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
    /// A piece of a call that the model writes. It is reported before the hooks of the turn see the call; the
    /// call itself starts with [`ToolStarted`](Self::ToolStarted). Not every model reports pieces.
    #[non_exhaustive]
    ToolCallDelta {
        /// The id of the call, as in [`ToolStarted`](Self::ToolStarted).
        call_id: Arc<str>,
        /// The tool's name, as hooks see it.
        tool: Arc<str>,
        /// The text to append to the arguments so far; empty for a call that has just begun.
        arguments: String,
        /// Whether the call is the typed answer of the run. Such a call has no
        /// [`ToolStarted`](Self::ToolStarted).
        is_answer: bool,
    },
    /// The model request failed and is repeated. Discard the deltas of this agent's turn.
    #[non_exhaustive]
    TurnRestarted {
        /// The turn, counted from 1.
        turn: u32,
    },
    /// The request of a turn does not begin with the request before it, of this run or of the earlier one in the
    /// session, so the provider's cache ends at the change. A replay does not report it.
    #[non_exhaustive]
    PrefixChanged {
        /// The first change.
        change: PrefixChange,
        /// What made the change, if it is not the agent, its tools or the conversation itself.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cause: Option<PrefixCause>,
    },
    /// The model's turn ended.
    #[non_exhaustive]
    TurnFinished {
        /// The tokens of the turn.
        usage: Usage,
        /// The same tokens, by the models that were asked.
        #[serde(default, skip_serializing_if = "UsageByModel::is_empty")]
        usage_by_model: UsageByModel,
        /// Why the model stopped.
        stop: StopReason,
    },
    /// A tool call started.
    #[non_exhaustive]
    ToolStarted {
        /// The id that the model gave the call.
        call_id: Arc<str>,
        /// The tool's name, as hooks see it.
        tool: Arc<str>,
        /// The kind of source of the tool; `None` for an unknown tool.
        source: Option<ToolSource>,
        /// The arguments, as the model wrote them or as `before_tool_call` changed them, filtered by the run
        /// hooks as their pieces are. The tool gets them unfiltered.
        arguments: Arc<str>,
    },
    /// A tool call ended. Every started call has exactly one such event.
    #[serde(with = "json::finished")]
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
        /// The number of starts of the tool itself: more than 1 after retries, and 0 if a hook, a guardrail,
        /// a cache or an approver answered in its place, or if the arguments were invalid.
        attempts: u32,
        /// The structured value of the result or of the error.
        structured: StructuredContent,
        /// How each of the tool's own hooks left the call, the innermost first.
        hook_exits: Vec<HookExit>,
        /// The error and its causes, outermost first.
        error_chain: Vec<String>,
    },
    /// A tool reports progress.
    #[non_exhaustive]
    Progress {
        /// The call; `None` if the agent itself reports it.
        call_id: Option<Arc<str>>,
        /// The finished amount, in a unit that the tool chooses.
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
    /// A message for people who watch the run, for example about a restarted server or an omitted tool.
    #[non_exhaustive]
    Notice {
        /// The message.
        text: String,
    },
    /// A call asks a person. A question that is answered from a record is not reported.
    #[non_exhaustive]
    QuestionAsked {
        /// The question.
        question: Question,
    },
    /// A person changed the arguments of a call
    /// ([`Approval::AllowWith`](crate::approval::Approval::AllowWith)), which runs with them.
    #[non_exhaustive]
    ArgumentsChanged {
        /// The id that the model gave the call.
        call_id: Arc<str>,
        /// The tool's name as hooks see it.
        tool: Arc<str>,
        /// The approved arguments.
        arguments: Arc<str>,
    },
    /// An agent's run ended with an answer.
    #[non_exhaustive]
    RunFinished {
        /// The answer.
        text: String,
    },
    /// An agent's run paused: it waits for answers.
    #[non_exhaustive]
    RunPaused {
        /// The keys of the open questions, also of sibling runs.
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
    /// Whether the event is a piece of what the model writes.
    pub(crate) fn is_delta(&self) -> bool {
        matches!(self, Self::TextDelta { .. } | Self::ReasoningDelta { .. } | Self::ToolCallDelta { .. })
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
            Self::QuestionAsked { question } => question.redact(redactor),
            Self::TurnStarted { .. }
            | Self::TurnRestarted { .. }
            | Self::PrefixChanged { .. }
            | Self::TurnFinished { .. }
            | Self::RunPaused { .. } => {}
        }
    }
}
