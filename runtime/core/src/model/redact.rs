//! Redaction of messages, answers and errors of models.

use super::{Message, ModelError, ModelResponse, ToolCall};
use crate::secret::{Redact, Redactor};

/// Data to send back to the provider is not redacted.
impl Redact for Message {
    fn redact(&mut self, redactor: &Redactor) {
        match self {
            Self::User { content } => content.redact(redactor),
            Self::Assistant { text, tool_calls, .. } => {
                text.redact(redactor);
                tool_calls.redact(redactor);
            }
            Self::Tool { results } => results.iter_mut().for_each(|result| result.content.redact(redactor)),
        }
    }
}

impl Redact for ToolCall {
    fn redact(&mut self, redactor: &Redactor) {
        self.arguments.redact(redactor);
    }
}

impl Redact for ModelResponse {
    fn redact(&mut self, redactor: &Redactor) {
        self.text.redact(redactor);
        self.reasoning.redact(redactor);
        self.tool_calls.redact(redactor);
    }
}

impl Redact for ModelError {
    fn redact(&mut self, redactor: &Redactor) {
        match self {
            Self::Status { message: text, .. }
            | Self::Transport(text)
            | Self::Malformed(text)
            | Self::Setup(text) => text.redact(redactor),
            Self::Timeout(_) | Self::Tools(_) | Self::Script(_) => {}
        }
    }
}
