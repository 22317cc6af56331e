//! Takes secrets out of what a run tells: events, requests to models and their answers, messages, errors.

use std::borrow::Cow;
use std::sync::Arc;

use super::needles::Needles;
use crate::agent::{EventKind, RunError, ToldValue};
use crate::content::ContentBlock;
use crate::model::{Message, ModelError, ModelResponse, ToolCall, ToolDeclaration};
#[cfg(feature = "mcp")]
use crate::tool::ToolDefinition;

impl Needles {
    pub(super) fn shared(&self, text: &mut Arc<str>) {
        if let Cow::Owned(hidden) = self.hide(&**text) {
            *text = hidden.into();
        }
    }

    pub(crate) fn event(&self, kind: &mut EventKind) {
        match kind {
            EventKind::RunStarted { input, .. } => self.shared(input),
            EventKind::TextDelta { text }
            | EventKind::ReasoningDelta { text }
            | EventKind::Notice { text }
            | EventKind::RunFinished { text }
            | EventKind::RunFailed { error: text } => self.text(text),
            EventKind::ToolStarted { arguments, .. } => self.shared(arguments),
            EventKind::ToolFinished { content, structured, error_chain, .. } => {
                self.blocks(content);
                if let ToldValue::Apart(value) = structured {
                    self.value(Arc::make_mut(value));
                }
                for text in error_chain {
                    self.text(text);
                }
            }
            EventKind::Progress { message: Some(message), .. } => self.text(message),
            EventKind::User { value, .. } => self.value(value),
            EventKind::Progress { message: None, .. }
            | EventKind::TurnStarted { .. }
            | EventKind::TurnRestarted { .. }
            | EventKind::TurnFinished { .. } => {}
        }
    }

    /// What a server says of a tool. Names stay: calls go by them.
    #[cfg(feature = "mcp")]
    pub(crate) fn definition(&self, definition: &mut ToolDefinition) {
        self.shared(&mut definition.description);
        definition.title.iter_mut().for_each(|title| self.shared(title));
        let more = [&mut definition.output_schema, &mut definition.meta].into_iter().flatten();
        for value in std::iter::once(&mut definition.input_schema).chain(more) {
            self.value(Arc::make_mut(value));
        }
    }

    /// What a model is shown of these tools.
    pub(super) fn declarations(&self, tools: &Arc<[ToolDeclaration]>) -> Arc<[ToolDeclaration]> {
        let shows = |tool: &ToolDeclaration| {
            self.shows(&tool.description) || self.shows(&tool.input_schema.to_string())
        };
        if !tools.iter().any(shows) {
            return Arc::clone(tools);
        }
        let mut tools = tools.to_vec();
        for tool in &mut tools {
            self.shared(&mut tool.description);
            self.value(Arc::make_mut(&mut tool.input_schema));
        }
        tools.into()
    }

    /// Blocks that show no secret stay shared.
    fn blocks(&self, blocks: &mut Arc<[ContentBlock]>) {
        if blocks.iter().any(|block| self.shows_in_block(block)) {
            Arc::make_mut(blocks).iter_mut().for_each(|block| self.block(block));
        }
    }

    /// What a provider must get back unchanged is.
    pub(super) fn message(&self, message: &mut Message) {
        match message {
            Message::User { content } => content.iter_mut().for_each(|block| self.block(block)),
            Message::Assistant { text, tool_calls, .. } => {
                self.text(text);
                self.calls(tool_calls);
            }
            Message::Tool { results } => {
                results.iter_mut().for_each(|result| self.blocks(&mut result.content));
            }
        }
    }

    fn calls(&self, calls: &mut [ToolCall]) {
        for call in calls {
            self.shared(&mut call.arguments);
        }
    }

    pub(crate) fn response(&self, response: &mut ModelResponse) {
        self.text(&mut response.text);
        response.reasoning.iter_mut().for_each(|reasoning| self.text(reasoning));
        self.calls(&mut response.tool_calls);
    }

    pub(crate) fn run_error(&self, error: &mut RunError) {
        match error {
            RunError::Model { source, .. } => self.model_error(source),
            RunError::Aborted(abort) => *abort = self.abort(abort.clone()),
            RunError::Retries { message: text, .. } | RunError::Agent { reason: text, .. } => self.text(text),
            RunError::Limit { .. }
            | RunError::Depth { .. }
            | RunError::Cancelled { .. }
            | RunError::Busy { .. }
            | RunError::RunIdInUse { .. }
            | RunError::WaitsForItself { .. }
            | RunError::NoState { .. }
            | RunError::UnknownAgent { .. }
            | RunError::Build(_) => {}
        }
    }

    pub(crate) fn model_error(&self, error: &mut ModelError) {
        match error {
            ModelError::Status { message: text, .. }
            | ModelError::Transport(text)
            | ModelError::Malformed(text)
            | ModelError::Setup(text) => self.text(text),
            ModelError::Timeout(_) | ModelError::Tools(_) | ModelError::Script(_) => {}
        }
    }
}
