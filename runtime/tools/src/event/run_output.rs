//! The output of a run, as the sum of its events.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::json::CallEnd;
use super::{CallOutcome, Event, EventKind, HookExit};
use crate::journal::{StepId, StepRef};
use crate::model::{StopReason, Usage, UsageByModel};
use onionskin_definitions::content::ContentBlock;
use onionskin_definitions::definition::ToolSource;
use onionskin_definitions::output::StructuredContent;

/// The output of a run: the sum of its events. It can be written as JSON, for example as the answer of a web server.
///
/// ```
/// use onionskin::{ScriptedModel, ScriptedTurn, agent, tool};
/// use serde_json::json;
///
/// /// Adds one.
/// #[tool]
/// fn add_one(x: i64) -> i64 {
///     x + 1
/// }
///
/// agent! { Clerk { instruction: "Do sums.", function_tools: [add_one] } }
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let model = ScriptedModel::turns([ScriptedTurn::call("add_one", json!({ "x": 41 })), ScriptedTurn::say("42.")]);
/// let output = Clerk::builder().model(model).run("41 + 1?").await.unwrap();
/// assert_eq!((&*output.text, output.turns), ("42.", 2));
/// assert_eq!((&*output.tool_calls[0].tool, &*output.tool_calls[0].to_text()), ("add_one", "42"));
/// # });
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RunOutput {
    /// The answer.
    pub text: String,
    /// The tokens, including those of child agents.
    pub usage: Usage,
    /// The same tokens, by model. [`Prices::total_cost`](crate::model::Prices::total_cost) says what they cost.
    #[serde(default, skip_serializing_if = "UsageByModel::is_empty")]
    pub usage_by_model: UsageByModel,
    /// Why the model stopped in the agent's own last turn: [`StopReason::ToolCalls`] if a tool ended the run.
    /// A reason that is not [whole](StopReason::is_whole) fails the run, unless a hand-written loop decides
    /// otherwise.
    pub stop: StopReason,
    /// The agent's own model turns.
    pub turns: u32,
    /// The tool calls, including those of child agents, in the order of their starts.
    pub tool_calls: Vec<ToolCallReport>,
}

/// One tool call of a run.
/// ```
/// use onionskin::{ScriptedModel, ScriptedTurn, agent, tool};
///
/// /// Adds one.
/// #[tool]
/// fn add_one(x: i64) -> i64 {
///     x + 1
/// }
///
/// agent! {
///     Clerk { instruction: "Count.", function_tools: [add_one] }
/// }
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let turns = [ScriptedTurn::call("add_one", serde_json::json!({"x": 1})), ScriptedTurn::say("Two.")];
/// let clerk = Clerk::builder().model(ScriptedModel::turns(turns)).build().await.unwrap();
/// let output = clerk.run("Add one to 1.").await.unwrap();
/// let call = &output.tool_calls[0];
/// assert_eq!((&*call.tool, call.attempts), ("add_one", 1));
/// assert_eq!(call.structured_content().unwrap()["result"], 2);
/// # });
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(into = "Report", from = "Report")]
#[non_exhaustive]
pub struct ToolCallReport {
    /// The agent that made the call, with a number if it ran as a child.
    pub agent: Arc<str>,
    /// The id that the model gave the call.
    pub call_id: Arc<str>,
    /// The call's step.
    pub step: StepId,
    /// The tool's name, as hooks see it.
    pub tool: Arc<str>,
    /// The kind of source of the tool; `None` for an unknown tool.
    pub source: Option<ToolSource>,
    /// The arguments as the model wrote them, or as `before_tool_call` or a person
    /// ([`Approval::AllowWith`](crate::approval::Approval::AllowWith)) changed them.
    pub arguments: Arc<str>,
    /// How the call ended; `None` before its end.
    pub outcome: Option<CallOutcome>,
    /// The content for the model.
    pub content: Arc<[ContentBlock]>,
    /// The time from the start of the call to its end, with hooks, approval and retries.
    pub duration: Duration,
    /// The number of starts of the tool itself; 0 if another layer answered in its place, or if the call
    /// ended before.
    pub attempts: u32,
    /// The structured value, which [`Self::structured_content`] reads.
    pub structured: StructuredContent,
    /// How each of the tool's own hooks left the call, the innermost first.
    pub hook_exits: Vec<HookExit>,
    /// The error and its causes, outermost first; empty if the call did not fail.
    pub error_chain: Vec<String>,
}

impl ToolCallReport {
    /// All text of the content.
    pub fn to_text(&self) -> Cow<'_, str> {
        ContentBlock::join(&self.content)
    }

    /// The structured value of the result or of the error.
    pub fn structured_content(&self) -> Option<Cow<'_, Value>> {
        self.structured.read(&self.content)
    }

    /// Whether the call ended with a tool error or an abort.
    pub fn is_error(&self) -> bool {
        matches!(self.outcome, Some(CallOutcome::Error(_) | CallOutcome::Abort))
    }
}

impl RunOutput {
    /// Adds one event. The sum of all events of a run is its output.
    pub fn add(&mut self, event: &Event) {
        self.add_in("", event);
    }

    /// As [`Self::add`], for the run in this scope.
    pub(crate) fn add_in(&mut self, scope: &str, event: &Event) {
        // The pieces of a turn add nothing, and are too many to be cloned.
        if !event.kind.is_delta() {
            self.add_owned(scope, &event.agent, event.step.as_step(), event.kind.clone());
        }
    }

    /// As [`Self::add_in`], for the parts of an event that nobody reads.
    pub(crate) fn add_owned(&mut self, scope: &str, agent: &Arc<str>, step: StepRef<'_>, kind: EventKind) {
        match kind {
            EventKind::TurnStarted { .. } if **step.scope == *scope => self.turns += 1,
            EventKind::TurnFinished { usage, usage_by_model, stop } => {
                self.usage += usage;
                self.usage_by_model += &usage_by_model;
                if **step.scope == *scope {
                    self.stop = stop;
                }
            }
            EventKind::ToolStarted { call_id, tool, source, arguments } => {
                self.tool_calls.push(ToolCallReport {
                    agent: Arc::clone(agent),
                    call_id,
                    step: step.to_id(),
                    tool,
                    source,
                    arguments,
                    outcome: None,
                    content: Arc::default(),
                    duration: Duration::ZERO,
                    attempts: 0,
                    structured: StructuredContent::None,
                    hook_exits: Vec::new(),
                    error_chain: Vec::new(),
                });
            }
            EventKind::ArgumentsChanged { arguments, .. } => {
                let is_of = |call: &&mut ToolCallReport| call.outcome.is_none() && step.is(&call.step);
                if let Some(call) = self.tool_calls.iter_mut().rev().find(is_of) {
                    call.arguments = arguments;
                }
            }
            EventKind::ToolFinished {
                call_id,
                tool,
                outcome,
                content,
                duration,
                attempts,
                structured,
                hook_exits,
                error_chain,
            } => {
                // Children of two parents can have the same name, so calls are found by id. A call can
                // register a secret that its own id contains: its last event then has another id.
                let open = |id: Option<&str>| {
                    self.tool_calls.iter().rposition(|call| {
                        call.outcome.is_none()
                            && step.is(&call.step)
                            && id.is_none_or(|id| *call.call_id == *id)
                    })
                };
                if let Some(at) = open(Some(&call_id)).or_else(|| open(None)) {
                    let call = &mut self.tool_calls[at];
                    if call.tool != tool {
                        call.step = step.to_id();
                    }
                    (call.call_id, call.tool) = (call_id, tool);
                    call.outcome = Some(outcome);
                    call.content = content;
                    call.duration = duration;
                    call.attempts = attempts;
                    call.structured = structured;
                    call.hook_exits = hook_exits;
                    call.error_chain = error_chain;
                }
            }
            EventKind::RunFinished { text } if **step.scope == *scope => self.text = text,
            EventKind::RunStarted { .. }
            | EventKind::TurnStarted { .. }
            | EventKind::TextDelta { .. }
            | EventKind::ReasoningDelta { .. }
            | EventKind::ToolCallDelta { .. }
            | EventKind::TurnRestarted { .. }
            | EventKind::PrefixChanged { .. }
            | EventKind::Progress { .. }
            | EventKind::User { .. }
            | EventKind::Notice { .. }
            | EventKind::QuestionAsked { .. }
            | EventKind::RunFinished { .. }
            | EventKind::RunPaused { .. }
            | EventKind::RunFailed { .. } => {}
        }
    }
}

/// A [`ToolCallReport`] as JSON.
#[derive(Serialize, Deserialize)]
struct Report {
    agent: Arc<str>,
    call_id: Arc<str>,
    step: StepId,
    tool: Arc<str>,
    source: Option<ToolSource>,
    arguments: Arc<str>,
    outcome: Option<CallOutcome>,
    #[serde(flatten)]
    end: CallEnd,
}

impl From<ToolCallReport> for Report {
    fn from(report: ToolCallReport) -> Self {
        let ToolCallReport { agent, call_id, step, tool, source, arguments, outcome, content, .. } = report;
        let ToolCallReport { duration, attempts, structured, hook_exits, error_chain, .. } = report;
        let end = CallEnd::new(&content, duration, attempts, &structured, &hook_exits, &error_chain);
        Self { agent, call_id, step, tool, source, arguments, outcome, end }
    }
}

impl From<Report> for ToolCallReport {
    fn from(report: Report) -> Self {
        let Report { agent, call_id, step, tool, source, arguments, outcome, mut end } = report;
        let structured = end.structured();
        let CallEnd { content, duration_ms, attempts, hook_exits, error_chain, .. } = end;
        let duration = duration_ms;
        Self {
            agent,
            call_id,
            step,
            tool,
            source,
            arguments,
            outcome,
            content,
            duration,
            attempts,
            structured,
            hook_exits,
            error_chain,
        }
    }
}
