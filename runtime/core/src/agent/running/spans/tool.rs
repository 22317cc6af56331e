//! The span `execute_tool` of a tool call.

use onionskin_definitions::content::ContentBlock;
use onionskin_tools::context::ToolEntry;
use onionskin_tools::event::CallResult;
use onionskin_tools::model::ToolCall;
use tracing::Span;
use tracing::field::Empty;

use crate::agent::running::run::AgentRun;

use super::content::{Content, parsed};
use super::{TARGET, fail, hidden};

/// The span of a tool call, from its start to its end.
pub(in crate::agent) struct ToolSpan(Span);

impl ToolSpan {
    /// The span of a call that has not begun.
    pub(in crate::agent) fn none() -> Self {
        Self(Span::none())
    }

    /// Begins the span. `tool` is the name that hooks see; `entry` is its tool, if the agent has it.
    pub(in crate::agent) fn begin(
        run: &AgentRun,
        entry: Option<&ToolEntry>,
        tool: &str,
        asked: &ToolCall,
    ) -> Self {
        let description = || entry.map(|entry| hidden(&run.cx, &*entry.definition.description));
        let span = tracing::info_span!(
            target: TARGET,
            "execute_tool",
            otel.name = &*format!("execute_tool {tool}"),
            otel.kind = "internal",
            otel.status_code = Empty,
            otel.status_description = Empty,
            gen_ai.operation.name = "execute_tool",
            gen_ai.agent.name = run.cx.agent().name(),
            gen_ai.tool.name = tool,
            gen_ai.tool.type = "function",
            gen_ai.tool.call.id = &*hidden(&run.cx, &*asked.id),
            gen_ai.tool.description = description().as_deref(),
            error.type = Empty,
            onionskin.tool.attempts = Empty,
            gen_ai.tool.call.arguments = Empty,
            gen_ai.tool.call.result = Empty,
        );
        Self(span)
    }

    /// The span, for the work of the call.
    pub(in crate::agent) fn span(&self) -> Span {
        self.0.clone()
    }

    /// Records the end of the call. The arguments are recorded here too, because the call can register secrets.
    pub(in crate::agent) fn end(
        &mut self,
        run: &AgentRun,
        asked: &ToolCall,
        result: &CallResult,
        attempts: u32,
    ) {
        if !self.0.is_disabled() {
            close(&self.0, run, asked, result, attempts);
            self.0 = Span::none();
        }
    }
}

#[cold]
fn close(span: &Span, run: &AgentRun, asked: &ToolCall, result: &CallResult, attempts: u32) {
    span.record("onionskin.tool.attempts", i64::from(attempts));
    let content = run.instance.trace_content.then(|| Content::new(&run.cx));
    if let Some(content) = &content {
        content.record(span, "gen_ai.tool.call.arguments", parsed(&asked.arguments));
        let shown = match result.structured.read(&result.content) {
            Some(value) => value.into_owned(),
            None => ContentBlock::join(&result.content).into(),
        };
        content.record(span, "gen_ai.tool.call.result", shown);
    }
    if let Some(kind) = result.outcome.error_type() {
        let words = content.map(|_| hidden(&run.cx, ContentBlock::join(&result.content)));
        fail(span, kind, words.as_deref());
    }
}
