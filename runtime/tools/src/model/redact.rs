//! Redaction of model messages, answers and errors.

use std::borrow::Cow;
use std::sync::Arc;

use super::{Message, ModelError, ModelResponse, ToolCall};
use onionskin_definitions::definition::wire_name;
use onionskin_definitions::secret::{Redact, Redactor};

/// Redacts the name of a call, in characters that providers accept. Names of existing tools stay, because
/// calls refer to them and models know them.
pub fn redact_name(name: &mut Arc<str>, redactor: &Redactor, is_tool: impl Fn(&str) -> bool) {
    if let Cow::Owned(redacted) = redactor.redact(&**name)
        && !is_tool(name)
    {
        let mut redacted = wire_name(&redacted).into_owned();
        // The redacted name must not be that of another tool.
        while is_tool(&redacted) {
            redacted.push('_');
        }
        *name = redacted.into();
    }
}

/// Redacts a message, and the names of tools in it that are not the names of tools.
pub(crate) fn redact_message(message: &mut Message, redactor: &Redactor, is_tool: impl Fn(&str) -> bool) {
    message.redact(redactor);
    match message {
        Message::User { .. } => {}
        Message::Assistant { tool_calls, .. } => {
            for call in tool_calls {
                redact_name(&mut call.name, redactor, &is_tool);
            }
        }
        Message::Tool { results } => {
            for result in results {
                redact_name(&mut result.name, redactor, &is_tool);
            }
        }
    }
}

/// Redacts neither provider data nor names of tools: see `redact_name`.
impl Redact for Message {
    fn redact(&mut self, redactor: &Redactor) {
        match self {
            Self::User { content, .. } => content.redact(redactor),
            Self::Assistant { text, tool_calls, .. } => {
                text.redact(redactor);
                tool_calls.redact(redactor);
            }
            Self::Tool { results } => {
                for result in results {
                    redactor.redact_id(&mut result.call_id);
                    result.content.redact(redactor);
                }
            }
        }
    }
}

impl Redact for ToolCall {
    fn redact(&mut self, redactor: &Redactor) {
        redactor.redact_id(&mut self.id);
        self.arguments.redact(redactor);
    }
}

impl Redact for ModelResponse {
    fn redact(&mut self, redactor: &Redactor) {
        self.text.redact(redactor);
        self.reasoning.redact(redactor);
        self.tool_calls.redact(redactor);
        self.model.redact(redactor);
        self.id.redact(redactor);
    }
}

impl Redact for ModelError {
    fn redact(&mut self, redactor: &Redactor) {
        match self {
            Self::Status { message: text, .. }
            | Self::TooLong(text)
            | Self::Transport(text)
            | Self::Malformed(text)
            | Self::Incomplete(text)
            | Self::Setup(text)
            | Self::UnreadContent { kind: text }
            | Self::Unavailable { reason: text, .. }
            | Self::Unsupported { reason: text, .. } => text.redact(redactor),
            Self::NoKey { .. }
            | Self::Timeout(_)
            | Self::Unended(_)
            | Self::Tools(_)
            | Self::ToolChoice(_)
            | Self::Script(_) => {}
        }
    }
}
