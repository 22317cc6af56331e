//! The content of runs in the form of OpenTelemetry's conventions: messages as JSON.

use std::sync::Arc;

use serde_json::{Value, json};
use tracing::Span;

use onionskin_definitions::content::ContentBlock;
use onionskin_definitions::json::exact_value;
use onionskin_definitions::secret::{Redact as _, Redactor};
use onionskin_tools::context::RunContext;
use onionskin_tools::model::{History, Message, ToolDeclaration};

/// Records content, redacted with the current secrets of the session.
pub(super) struct Content(Option<Arc<Redactor>>);

impl Content {
    pub(super) fn new(cx: &RunContext) -> Self {
        Self(cx.redactor())
    }

    /// Records a value: a text as it is, any other value as JSON.
    pub(super) fn record(&self, span: &Span, field: &'static str, mut value: Value) {
        if let Some(redactor) = &self.0 {
            value.redact(redactor);
        }
        let text = if let Value::String(text) = value { text } else { value.to_string() };
        span.record(field, text);
    }
}

/// JSON text as a value; other text as it is.
pub(super) fn parsed(text: &str) -> Value {
    exact_value(text).unwrap_or_else(|_| text.into())
}

/// A message of one text.
pub(super) fn text_message(role: &str, text: &str, finish_reason: Option<&str>) -> Value {
    message_json(role, vec![text_part(text)], finish_reason)
}

pub(super) fn messages(history: &History) -> Value {
    history.iter().flat_map(|one| message(one, None)).collect()
}

/// A message; the results of tool calls are one message each.
pub(super) fn message(message: &Message, finish_reason: Option<&str>) -> Vec<Value> {
    match message {
        Message::User { content, .. } => {
            vec![message_json("user", content.iter().map(part).collect::<Value>(), None)]
        }
        Message::Assistant { text, tool_calls, .. } => {
            let text = (!text.is_empty()).then(|| text_part(text));
            let calls = tool_calls.iter().map(|call| {
                let arguments = parsed(&call.arguments);
                json!({ "type": "tool_call", "id": &*call.id, "name": &*call.name, "arguments": arguments })
            });
            vec![message_json("assistant", text.into_iter().chain(calls).collect::<Value>(), finish_reason)]
        }
        Message::Tool { results, .. } => {
            let result = |result: &onionskin_tools::model::ToolResultMessage| {
                let response = ContentBlock::join(&result.content);
                let part =
                    json!({ "type": "tool_call_response", "id": &*result.call_id, "response": response });
                message_json("tool", vec![part], None)
            };
            results.iter().map(result).collect()
        }
    }
}

/// The system prompt.
pub(super) fn instructions(text: &str) -> Value {
    json!([text_part(text)])
}

pub(super) fn tools(tools: &[ToolDeclaration]) -> Value {
    let definition = |tool: &ToolDeclaration| {
        json!({
            "type": "function",
            "name": &*tool.name,
            "description": &*tool.description,
            "parameters": *tool.input_schema,
        })
    };
    tools.iter().map(definition).collect()
}

fn message_json(role: &str, parts: impl Into<Value>, finish_reason: Option<&str>) -> Value {
    let parts = parts.into();
    match finish_reason {
        None => json!({ "role": role, "parts": parts }),
        Some(reason) => json!({ "role": role, "parts": parts, "finish_reason": reason }),
    }
}

fn text_part(text: &str) -> Value {
    json!({ "type": "text", "content": text })
}

/// A block of content. Data of media is left out: it does not belong in a span.
fn part(block: &ContentBlock) -> Value {
    match block {
        ContentBlock::Text(text) => text_part(text),
        ContentBlock::Image(media) => json!({ "type": "image", "mime_type": media.mime_type() }),
        ContentBlock::Audio(media) => json!({ "type": "audio", "mime_type": media.mime_type() }),
        ContentBlock::Resource(resource) => json!({ "type": "resource", "uri": resource.uri() }),
        ContentBlock::ResourceLink(link) => json!({ "type": "uri", "uri": link.uri() }),
    }
}
