//! A scripted model: plays prepared turns, for tests, demonstrations and work without a network.

#[cfg(feature = "yaml")]
mod yaml;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{History, Message, Model, ModelDelta, ModelError, ModelRequest, ModelResponse, ToolCall, Usage};
use crate::content::ContentBlock;
use crate::text::nearest;

/// A model that plays a script: for each agent a list of turns.
///
/// Which turn is played depends only on the conversation: the n-th answer in it is the n-th turn of its
/// agent's list, so runs may go on side by side and repeat. The conversation is all of it: in a session
/// the second run goes on where the first one ended, and an agent that starts from other messages
/// (`history_source`) counts the answers in them. A turn that fails is no answer: asked again, it fails
/// again.
///
/// ```
/// use onionskin::{ScriptedModel, ScriptedTurn};
/// let script = ScriptedModel::new().agent("adder", [
///     ScriptedTurn::call("add_one", serde_json::json!({"x": 3})),
///     ScriptedTurn::say("The result is {last}."),
/// ]);
/// ```
///
/// In a turn's text and in the texts of a call's arguments, `{last}` stands for the text of the last message, `{input}` for what was
/// asked: the text of the last user's message.
///
/// A call of a tool that the agent does not have fails the run with [`ScriptedModelError::UnknownTool`], because it is most likely a
/// slip of the script. [`ScriptedTurn::call_unknown`] means it: the agent then tells the model, as it tells any other.
///
/// With feature `yaml`, [`ScriptedModel::from_yaml_file`] reads one from a file.
#[derive(Debug, Default)]
pub struct ScriptedModel {
    agents: HashMap<String, Vec<ScriptedTurn>>,
    requests: Mutex<Vec<ModelRequest>>,
}

/// One prepared answer of a [`ScriptedModel`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct ScriptedTurn {
    /// What it says; `{last}` and `{input}` are filled in, as [`ScriptedModel`] tells.
    pub say: String,
    /// What it calls.
    pub calls: Vec<ScriptedCall>,
    /// How long it thinks first, in milliseconds.
    pub wait_ms: u64,
    /// Fails with this HTTP status instead of answering.
    pub fail: Option<u16>,
}

/// One tool call of a [`ScriptedTurn`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScriptedCall {
    /// The tool's wire name.
    pub tool: String,
    /// The arguments; a string is taken as the raw text, so that a script can send broken JSON.
    #[serde(default = "empty_object")]
    pub args: Value,
    /// Whether the agent need not have the tool.
    #[serde(default)]
    pub unknown: bool,
}

fn empty_object() -> Value {
    Value::Object(serde_json::Map::new())
}

/// A script has no turn for a request.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ScriptedModelError {
    /// The agent is not in the script.
    #[error("the script has no turns for the agent `{agent}`; it has: {known}")]
    NoAgent {
        /// The agent.
        agent: String,
        /// The agents in the script.
        known: String,
    },
    /// All its turns were played.
    #[error(
        "the script of the agent `{agent}` has {turns} turns and was asked for turn {asked}: each answer in the \
         conversation is a turn, those that were there before it began too"
    )]
    Ended {
        /// The agent.
        agent: String,
        /// How many turns there are.
        turns: usize,
        /// The turn that was asked for.
        asked: usize,
    },
    /// A turn calls a tool that the agent does not have.
    #[error(
        "the script of the agent `{agent}` calls the tool `{tool}`, which the agent does not have{near} It has: {known}. Where \
         the call is meant, write `call_unknown`, or `unknown: true` in a file"
    )]
    UnknownTool {
        /// The agent.
        agent: String,
        /// The tool.
        tool: String,
        /// The nearest name, as a question.
        near: String,
        /// The tools of the request.
        known: String,
    },
    /// The file could not be read.
    #[error("cannot read the script {file}: {reason}")]
    File {
        /// The file.
        file: String,
        /// Why.
        reason: String,
    },
    /// What the file holds is no script.
    #[error("{file}:{line}:{column}: {reason}")]
    Content {
        /// The file.
        file: String,
        /// The line, from 1.
        line: u64,
        /// The column, from 1.
        column: u64,
        /// What is wrong there.
        reason: String,
    },
}

impl ScriptedModel {
    /// An empty script.
    pub fn new() -> Self {
        Self::default()
    }

    /// A script whose turns are played for any agent.
    pub fn turns(turns: impl IntoIterator<Item = ScriptedTurn>) -> Self {
        Self::new().agent("*", turns)
    }

    /// Adds an agent's turns; `*` stands for every agent that is not named.
    #[must_use]
    pub fn agent(mut self, name: impl Into<String>, turns: impl IntoIterator<Item = ScriptedTurn>) -> Self {
        self.agents.insert(name.into(), turns.into_iter().collect());
        self
    }

    /// The requests that were made of it, in order.
    pub fn requests(&self) -> Vec<ModelRequest> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn turn(&self, request: &ModelRequest) -> Result<(usize, &ScriptedTurn), ScriptedModelError> {
        let agent = &*request.agent;
        let Some(turns) = self.agents.get(agent).or_else(|| self.agents.get("*")) else {
            let mut known: Vec<_> = self.agents.keys().cloned().collect();
            known.sort();
            return Err(ScriptedModelError::NoAgent { agent: agent.to_owned(), known: known.join(", ") });
        };
        let answered = request.messages.iter().filter(|message| matches!(message, Message::Assistant { .. }));
        let index = answered.count();
        let turn = turns.get(index).ok_or_else(|| ScriptedModelError::Ended {
            agent: agent.to_owned(),
            turns: turns.len(),
            asked: index + 1,
        })?;
        Ok((index, turn))
    }
}

impl ScriptedTurn {
    /// Says something and calls nothing.
    pub fn say(text: impl Into<String>) -> Self {
        Self { say: text.into(), ..Self::default() }
    }

    /// Calls one tool. `args` may be a string: the raw text.
    pub fn call(tool: impl Into<String>, args: Value) -> Self {
        Self::default().and_call(tool, args)
    }

    /// Calls one more tool.
    #[must_use]
    pub fn and_call(mut self, tool: impl Into<String>, args: Value) -> Self {
        self.calls.push(ScriptedCall { tool: tool.into(), args, unknown: false });
        self
    }

    /// Calls a tool that the agent may not have, to see what becomes of it.
    pub fn call_unknown(tool: impl Into<String>, args: Value) -> Self {
        Self::default().and_call_unknown(tool, args)
    }

    /// Calls one more tool that the agent may not have.
    #[must_use]
    pub fn and_call_unknown(mut self, tool: impl Into<String>, args: Value) -> Self {
        self.calls.push(ScriptedCall { tool: tool.into(), args, unknown: true });
        self
    }

    /// Fails with an HTTP status.
    pub fn fail(status: u16) -> Self {
        Self { fail: Some(status), ..Self::default() }
    }
}

impl ScriptedTurn {
    /// Whether the agent has the tools that are called.
    fn check(&self, request: &ModelRequest) -> Result<(), ScriptedModelError> {
        let names = || request.tools.iter().map(|tool| &*tool.name);
        let missing = self.calls.iter().find(|call| !call.unknown && !names().any(|name| name == call.tool));
        let Some(ScriptedCall { tool, .. }) = missing else { return Ok(()) };
        let near = nearest(tool, names()).map(|near| format!("; did you mean `{near}`?"));
        let known: Vec<_> = names().map(|name| format!("`{name}`")).collect();
        Err(ScriptedModelError::UnknownTool {
            agent: request.agent.to_string(),
            tool: tool.clone(),
            near: near.unwrap_or_else(|| ".".to_owned()),
            known: if known.is_empty() { "none".to_owned() } else { known.join(", ") },
        })
    }
}

impl Model for ScriptedModel {
    async fn respond(
        &self,
        request: &ModelRequest,
        deltas: &mut (dyn FnMut(ModelDelta) + Send),
    ) -> Result<ModelResponse, ModelError> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner).push(request.clone());
        let (index, turn) = self.turn(request).map_err(ModelError::Script)?;
        if turn.wait_ms > 0 {
            tokio::time::sleep(Duration::from_millis(turn.wait_ms)).await;
        }
        if let Some(status) = turn.fail {
            let message = "the script says so".to_owned();
            return Err(ModelError::Status { status, message, retry_after: None });
        }
        turn.check(request).map_err(ModelError::Script)?;
        let say = fill(&turn.say, &request.messages);
        for piece in say.split_inclusive(' ') {
            deltas(ModelDelta::Text(piece.to_owned()));
        }
        let calls = turn.calls.iter().enumerate().map(|(number, call)| {
            let arguments: Arc<str> = match &call.args {
                Value::String(raw) => fill(raw, &request.messages).into(),
                value => filled(value, &request.messages).to_string().into(),
            };
            ToolCall::new(format!("call_{}_{}", index + 1, number + 1), call.tool.as_str(), arguments)
        });
        let mut response = ModelResponse::tool_calls(calls);
        if response.tool_calls.is_empty() {
            response.stop = super::StopReason::Done;
        }
        // Scripts cost nothing, but a count by words lets token limits be tried out.
        response.usage = Usage::new(request.messages.iter().map(words_of).sum(), words(&say));
        response.text = say;
        Ok(response)
    }
}

fn words(text: &str) -> u64 {
    text.split_whitespace().count() as u64
}

/// The words of a message, of which no copy is made: a script reads the whole conversation in each turn.
fn words_of(message: &Message) -> u64 {
    match message {
        Message::Tool { results } => {
            results.iter().map(|result| words(&ContentBlock::join(&result.content))).sum()
        }
        message => words(&message.to_text()),
    }
}

/// A value whose texts are filled in, at any depth.
fn filled(value: &Value, messages: &History) -> Value {
    match value {
        Value::String(text) => fill(text, messages).into(),
        Value::Array(items) => items.iter().map(|item| filled(item, messages)).collect(),
        Value::Object(fields) => {
            fields.iter().map(|(key, value)| (key.clone(), filled(value, messages))).collect()
        }
        value => value.clone(),
    }
}

/// Fills a turn's text in. What is filled in is not looked at again: a tool's result may say `{input}`.
fn fill(say: &str, messages: &History) -> String {
    let text = |message: Option<&Message>| message.map(|m| m.to_text().into_owned()).unwrap_or_default();
    let mut filled = String::with_capacity(say.len());
    let mut rest = say;
    while let Some(at) = rest.find('{') {
        filled.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some(after) = rest.strip_prefix("{last}") {
            filled.push_str(&text(messages.last()));
            rest = after;
        } else if let Some(after) = rest.strip_prefix("{input}") {
            let asked = messages.iter().rev().find(|message| matches!(message, Message::User { .. }));
            filled.push_str(&text(asked));
            rest = after;
        } else {
            filled.push('{');
            rest = &rest[1..];
        }
    }
    filled.push_str(rest);
    filled
}
