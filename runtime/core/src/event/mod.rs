//! Events: everything that happens in a run, in order, as it happens.

mod outcome;
mod output;
mod queue;

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use outcome::{CallOutcome, HookEnd, HookExit};
pub use output::{RunOutput, ToolCallReport};
pub(crate) use queue::{Events, Queue};

use crate::content::ContentBlock;
use crate::definition::ToolSource;
use crate::journal::StepId;
use crate::model::{StopReason, Usage};
use crate::output::StructuredContent;
use crate::secret::{Redact, Redactor};

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
    pub(crate) fn adds_up(&self) -> bool {
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
