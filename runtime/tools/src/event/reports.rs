//! The events that the loop of an agent reports.

use std::fmt::Display;
use std::sync::Arc;

use serde_json::Value;

use super::EventKind;
use crate::model::{PrefixCause, PrefixChange, StopReason, UsageByModel};
use onionskin_definitions::definition::ToolSource;

/// For the crates of the runtime.
#[doc(hidden)]
impl EventKind {
    /// A run started; `shown` is false for a child instance that is not displayed.
    pub fn run_started(input: &str, shown: bool) -> Self {
        Self::RunStarted { input: input.into(), shown }
    }

    /// A model request started.
    pub fn turn_started(turn: u32) -> Self {
        Self::TurnStarted { turn }
    }

    /// The model request is repeated.
    pub fn turn_restarted(turn: u32) -> Self {
        Self::TurnRestarted { turn }
    }

    /// The request does not begin with the one before it.
    pub fn prefix_changed(change: PrefixChange, cause: Option<PrefixCause>) -> Self {
        Self::PrefixChanged { change, cause }
    }

    /// The turn ended.
    pub fn turn_finished(usage_by_model: UsageByModel, stop: StopReason) -> Self {
        Self::TurnFinished { usage: usage_by_model.total(), usage_by_model, stop }
    }

    /// A piece of the answer.
    pub fn text_delta(text: String) -> Self {
        Self::TextDelta { text }
    }

    /// A piece of the reasoning.
    pub fn reasoning_delta(text: String) -> Self {
        Self::ReasoningDelta { text }
    }

    /// A piece of a call, or of a typed answer that the model writes as a call.
    pub fn tool_call_delta(call_id: Arc<str>, tool: Arc<str>, arguments: String, is_answer: bool) -> Self {
        Self::ToolCallDelta { call_id, tool, arguments, is_answer }
    }

    /// A call started; an unknown tool has no source.
    pub fn tool_started(
        call_id: Arc<str>,
        tool: Arc<str>,
        source: Option<ToolSource>,
        arguments: Arc<str>,
    ) -> Self {
        Self::ToolStarted { call_id, tool, source, arguments }
    }

    /// Progress of a call, or of the run.
    pub fn progress(
        call_id: Option<Arc<str>>,
        done: f64,
        total: Option<f64>,
        message: Option<String>,
    ) -> Self {
        Self::Progress { call_id, done, total, message }
    }

    /// An event of the program, from a call or from the run.
    pub fn user(call_id: Option<Arc<str>>, value: Value) -> Self {
        Self::User { call_id, value }
    }

    /// A message for people.
    pub fn notice(text: impl Into<String>) -> Self {
        Self::Notice { text: text.into() }
    }

    /// The run ended with an answer.
    pub fn run_finished(text: &str) -> Self {
        Self::RunFinished { text: text.to_owned() }
    }

    /// The run waits for the answers to these questions.
    pub fn run_paused<'k>(open: impl Iterator<Item = &'k str>) -> Self {
        Self::RunPaused { open: open.map(Into::into).collect() }
    }

    /// The run failed.
    pub fn run_failed(error: &impl Display) -> Self {
        Self::RunFailed { error: error.to_string() }
    }
}
