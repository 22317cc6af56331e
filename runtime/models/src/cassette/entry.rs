//! The entries of a recording: what was asked, and what came of it.

use std::sync::Arc;

use onionskin_core::model::{Message, ModelDelta, ModelError, ModelRequest, ModelResponse, RequestParams};
use onionskin_core::secret::{Redact as _, Redactor};
use serde::Serialize;
use serde_json::{Map, Value};

use super::stream;

/// A request with what came of it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Entry {
    pub(super) request: Request,
    /// The pieces of the answer, in order.
    pub(super) stream: Vec<ModelDelta>,
    pub(super) outcome: Outcome,
}

/// What came of a request.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Outcome {
    Answer(Box<ModelResponse>),
    Error(ModelError),
    /// The run dropped the request, for its time or because it ended.
    Cancelled,
}

/// A request as values of JSON, without ids and without parts that are not set.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Request {
    /// All fields except the messages.
    pub(super) fields: Map<String, Value>,
    pub(super) messages: Vec<Value>,
}

/// The field of the messages.
const MESSAGES: &str = "messages";
/// The field of the parameters.
const PARAMS: &str = "params";

impl Request {
    pub(super) fn new(request: &ModelRequest) -> serde_json::Result<Self> {
        let mut fields = fields(request)?;
        let messages = match fields.remove(MESSAGES) {
            Some(Value::Array(messages)) => messages,
            other => {
                let other = other.unwrap_or_default();
                return Err(serde::ser::Error::custom(format!("expected a list of messages, not {other}")));
            }
        };
        let unset = self::fields(&RequestParams::default())?;
        if let Some(Value::Object(params)) = fields.get_mut(PARAMS) {
            params.retain(|name, value| unset.get(name) != Some(value));
        }
        fields.retain(|_, value| !is_unset(value));
        Ok(Self { fields, messages })
    }

    /// The name of the agent.
    pub(super) fn agent(&self) -> &str {
        self.fields.get("agent").and_then(Value::as_str).unwrap_or_default()
    }

    /// Whether the request has a tool with this name.
    fn offers(&self, name: &str) -> bool {
        let tools = self.fields.get("tools").and_then(Value::as_array);
        tools.is_some_and(|tools| tools.iter().any(|tool| tool["name"] == *name))
    }
}

fn is_unset(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

/// The fields of a value that is serialised as an object.
pub(super) fn fields(value: &impl Serialize) -> serde_json::Result<Map<String, Value>> {
    let value = serde_json::to_value(value)?;
    let Value::Object(fields) = value else {
        return Err(serde::ser::Error::custom(format!("expected an object, not {value}")));
    };
    Ok(fields)
}

impl Entry {
    pub(super) fn begin(request: Request) -> Self {
        Self { request, stream: Vec::new(), outcome: Outcome::Cancelled }
    }

    /// The answer as the message of a conversation that continues.
    pub(super) fn answer_message(&self) -> Option<serde_json::Result<Value>> {
        match &self.outcome {
            Outcome::Answer(answer) => Some(serde_json::to_value(Message::from((**answer).clone()))),
            Outcome::Error(_) | Outcome::Cancelled => None,
        }
    }

    /// Masks secrets in the pieces and the outcome. Requests have no secrets: the run masks them.
    pub(super) fn redact(&mut self, redactor: &Redactor) {
        let Self { request, stream, outcome } = self;
        let redact_name = |name: &mut Arc<str>| {
            // The name of a tool is in the request too, and a replay calls the tool by it.
            if redactor.shows(name) && !request.offers(name) {
                *name = redactor.redact(&**name).into();
            }
        };
        stream::redact(stream, redactor, redact_name);
        match outcome {
            Outcome::Answer(answer) => {
                answer.redact(redactor);
                answer.tool_calls.iter_mut().for_each(|call| redact_name(&mut call.name));
            }
            Outcome::Error(error) => error.redact(redactor),
            Outcome::Cancelled => {}
        }
    }
}
