//! The JSON of requests and answers.

use std::collections::BTreeMap;

use onionskin_core::model::Message;
use onionskin_core::question::{Answer, Paused, QuestionKind};
use onionskin_core::{AgentHandle, ToolOutput};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::question::{Form, names};

/// The body of a request for a run.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RunBody {
    /// A text, or an object for an agent with a typed input.
    pub(super) input: Value,
    /// The session to continue or to begin.
    pub(super) session: Option<String>,
}

/// The body of a request with answers.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AnswerBody {
    /// The state of the run that waits.
    pub(super) state: String,
    /// Answers by the names of the questions.
    pub(super) answers: BTreeMap<String, Answer>,
    /// The session of the run, if it has one.
    pub(super) session: Option<String>,
}

/// An agent.
pub(super) fn agent(agent: &AgentHandle) -> Value {
    let definition = agent.definition();
    let mut shown = json!({
        "name": agent.name(), "description": definition.description, "input_schema": definition.input_schema,
    });
    if let Some(schema) = &definition.output_schema {
        shown["output_schema"] = (**schema).clone();
    }
    shown
}

/// A run that has ended.
pub(super) fn completed(id: &str, output: &ToolOutput) -> Value {
    let mut run = json!({ "id": id, "status": "completed", "text": output.to_text() });
    if let Some(structured) = output.structured_content() {
        run["structured"] = structured.into_owned();
    }
    run
}

/// A message of a session; `None` for what is of the inside: calls, their results, and messages of the runtime.
pub(super) fn message(message: &Message) -> Option<Value> {
    let role = match message {
        Message::User { by_runtime: false, .. } => "user",
        Message::Assistant { text, .. } if !text.is_empty() => "assistant",
        Message::User { .. } | Message::Assistant { .. } | Message::Tool { .. } => return None,
    };
    Some(json!({ "role": role, "text": message.to_text() }))
}

/// A run that waits for answers.
pub(super) fn waiting(id: &str, paused: &Paused, state: &str) -> Value {
    let questions = paused.questions().iter().zip(names(paused.questions())).map(|(question, name)| {
        let mut shown = Map::from_iter([
            ("name".to_owned(), name.into()),
            ("kind".to_owned(), question.kind().word().into()),
            ("tool".to_owned(), question.tool_name().into()),
            ("agents".to_owned(), json!(question.agents())),
            ("arguments".to_owned(), question.arguments().clone()),
            ("answer_schema".to_owned(), question.answer_schema().clone()),
        ]);
        if let Some(form) = Form::new(question) {
            shown.insert("message".to_owned(), form.message.into());
        }
        if let QuestionKind::Component(component) = question.kind() {
            shown.insert("component".to_owned(), component.component().into());
            shown.insert("payload".to_owned(), component.payload().clone());
        }
        Value::Object(shown)
    });
    json!({ "id": id, "status": "waiting", "questions": questions.collect::<Vec<_>>(), "state": state })
}
