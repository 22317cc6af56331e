//! A scripted model with prepared turns, for tests, demonstrations and offline work.

#[cfg(feature = "yaml")]
mod yaml;

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::error::ScriptedModelError;
use super::history::Sum;
use super::{
    History, Message, Model, ModelDelta, ModelError, ModelIdentity, ModelRequest, ModelResponse,
    RequestOption, ToolCall, ToolCallDelta, Usage,
};
use onionskin_definitions::content::ContentBlock;
use onionskin_definitions::lock::lock;
use onionskin_definitions::text::nearest;

/// A model with prepared answers: a list of turns for each agent.
///
/// The conversation alone selects the turn: its n-th answer is the n-th turn of the agent's list. So runs can
/// be concurrent and repeated. The whole conversation counts: the second run in a session continues with the
/// turn after the first run's last one, and answers in an agent's initial messages (`history_source`) count
/// too. A failed turn is not an answer, so a retry fails again.
///
/// ```
/// use onionskin::{ScriptedModel, ScriptedTurn};
/// let script = ScriptedModel::new().agent("adder", [
///     ScriptedTurn::call("add_one", serde_json::json!({"x": 3})),
///     ScriptedTurn::say("The result is {last}."),
/// ]);
/// ```
///
/// Texts and arguments of calls are streamed in pieces.
///
/// In a turn's text and in the strings of a call's arguments, the text of the last message replaces `{last}`,
/// and the text of the last user's message replaces `{input}`. In a text that is JSON, such as `{"city": "{last}"}`, quotes and line ends of
/// the inserted text are escaped.
///
/// A call of a tool that the agent lacks fails the run with [`ScriptedModelError::UnknownTool`], because it
/// is most likely a mistake in the script. To call an unknown tool on purpose, use
/// [`ScriptedTurn::call_unknown`]: the model then gets the tool error.
///
/// A fault in a script ([`ModelError::Script`]) is a mistake in a test. It ends the agent's run and all its
/// parent runs, and no hook or hand-written agent can suppress it. For a model failure that a parent handles,
/// use [`ScriptedTurn::fail`].
///
/// With feature `yaml`, [`ScriptedModel::from_yaml_file`] reads a script from a file.
#[derive(Debug, Default)]
pub struct ScriptedModel {
    /// The provider and the name that it is known by.
    identity: Option<ModelIdentity>,
    agents: HashMap<String, Vec<ScriptedTurn>>,
    requests: Mutex<Vec<ModelRequest>>,
    unsupported: Vec<RequestOption>,
}

/// One prepared answer of a [`ScriptedModel`].
/// ```
/// use onionskin::ScriptedTurn;
/// use serde_json::json;
///
/// let both = ScriptedTurn::call("search", json!({"text": "tea"})).and_call("search", json!({"text": "milk"}));
/// assert_eq!(both.calls.len(), 2);
/// assert_eq!(ScriptedTurn::fail(503).fail, Some(503));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct ScriptedTurn {
    /// The text. `{last}` and `{input}` are replaced, as [`ScriptedModel`] describes.
    pub say: String,
    /// The tool calls.
    pub calls: Vec<ScriptedCall>,
    /// The delay before the answer, in milliseconds.
    pub wait_ms: u64,
    /// Fails with this HTTP status instead of answering.
    pub fail: Option<u16>,
    /// The tokens that the answer costs; without them, the words of the conversation and of the text count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
}

/// One tool call of a [`ScriptedTurn`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ScriptedCall {
    /// The name of the tool as the model sees it ([`ToolContext::wire_name`](crate::ToolContext::wire_name)).
    pub tool: String,
    /// The arguments. A string is used as the raw text, so that a script can send invalid JSON.
    #[serde(default = "empty_object")]
    pub args: Value,
    /// Whether the agent may lack the tool.
    #[serde(default)]
    pub unknown: bool,
}

fn empty_object() -> Value {
    Value::Object(serde_json::Map::new())
}

impl ScriptedModel {
    /// Creates a script without turns.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a script with the same turns for every agent.
    pub fn turns(turns: impl IntoIterator<Item = ScriptedTurn>) -> Self {
        Self::new().agent("*", turns)
    }

    /// Adds an agent's turns; `*` applies to every agent without its own turns.
    #[must_use]
    pub fn agent(mut self, name: impl Into<String>, turns: impl IntoIterator<Item = ScriptedTurn>) -> Self {
        self.agents.insert(name.into(), turns.into_iter().collect());
        self
    }

    /// Simulates the model of this name at a provider: prices, limits and spans know it by them.
    ///
    /// ```
    /// use onionskin::model::{Model, Price, Prices, Usage};
    /// use onionskin::{ScriptedModel, ScriptedTurn, agent};
    ///
    /// agent! {
    ///     Poet { instruction: "Answer in rhyme." }
    /// }
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let turn = ScriptedTurn::say("A crab.").usage(Usage::new(1_000, 200));
    /// let model = ScriptedModel::turns([turn]).named("openai", "gpt-5");
    /// assert_eq!(model.identity(None).model(), Some("gpt-5"));
    /// let prices = Prices::new().with("gpt-5", Price::new(2_000_000, 10_000_000));
    /// let output = Poet::builder().model(model).build().await.unwrap().run("A crab?").await.unwrap();
    /// assert_eq!(prices.total_cost(&output.usage_by_model).unwrap().to_string(), "0.004");
    /// # });
    /// ```
    #[must_use]
    pub fn named(mut self, provider: impl Into<Cow<'static, str>>, model: &str) -> Self {
        self.identity = Some(ModelIdentity::new(provider, Some(model)));
        self
    }

    /// Simulates a model that does not support these options. By default all options are supported.
    #[must_use]
    pub fn without(mut self, options: impl IntoIterator<Item = RequestOption>) -> Self {
        self.unsupported.extend(options);
        self
    }

    /// Copies of the received requests, in order. The list is never emptied.
    pub fn requests(&self) -> Vec<ModelRequest> {
        lock(&self.requests).clone()
    }

    /// Checks that requests played every turn of the script, as the last step of a test.
    ///
    /// ```
    /// use onionskin::{ScriptedModel, ScriptedTurn};
    ///
    /// let script = ScriptedModel::new().agent("desk", [ScriptedTurn::say("Good evening.")]);
    /// assert!(script.finish().is_err_and(|error| error.to_string().contains("`desk`")));
    /// ```
    ///
    /// # Errors
    /// Returns [`ScriptedModelError::Unplayed`] for the first agent in alphabetical order that has such a turn.
    pub fn finish(&self) -> Result<(), ScriptedModelError> {
        let requests = lock(&self.requests);
        let mut played: HashMap<&str, HashSet<usize>> = HashMap::new();
        for request in &*requests {
            played.entry(self.script_of(&request.agent)).or_default().insert(count(request).answers);
        }
        let unplayed = |agent: &String| {
            let is_unplayed =
                |turn: &usize| !played.get(agent.as_str()).is_some_and(|played| played.contains(turn));
            (0..self.agents[agent].len()).filter(is_unplayed).map(|turn| turn + 1).collect::<Vec<_>>()
        };
        let mut agents: Vec<_> = self.agents.keys().collect();
        agents.sort();
        let first =
            agents.into_iter().map(|agent| (agent, unplayed(agent))).find(|(_, turns)| !turns.is_empty());
        first.map_or(Ok(()), |(agent, unplayed)| {
            Err(ScriptedModelError::Unplayed { agent: agent.clone(), unplayed })
        })
    }

    /// The name of the script that an agent plays.
    fn script_of<'a>(&self, agent: &'a str) -> &'a str {
        if self.agents.contains_key(agent) { agent } else { "*" }
    }

    fn turn(&self, request: &ModelRequest, index: usize) -> Result<&ScriptedTurn, ScriptedModelError> {
        let agent = &*request.agent;
        let Some(turns) = self.agents.get(self.script_of(agent)) else {
            let mut known: Vec<_> = self.agents.keys().cloned().collect();
            known.sort();
            return Err(ScriptedModelError::NoAgent { agent: agent.to_owned(), known: known.join(", ") });
        };
        turns.get(index).ok_or_else(|| ScriptedModelError::Ended {
            agent: agent.to_owned(),
            turns: turns.len(),
            requested: index + 1,
            shared: self.shares(agent),
        })
    }

    /// Whether another agent used the agent's turns.
    fn shares(&self, agent: &str) -> bool {
        let is_shared = |agent: &str| self.script_of(agent) == "*";
        is_shared(agent)
            && lock(&self.requests).iter().any(|other| *other.agent != *agent && is_shared(&other.agent))
    }
}

impl ScriptedTurn {
    /// A turn with a text and without tool calls.
    pub fn say(text: impl Into<String>) -> Self {
        Self { say: text.into(), ..Self::default() }
    }

    /// A turn with one tool call. `args` may be a string with the raw text.
    pub fn call(tool: impl Into<String>, args: Value) -> Self {
        Self::default().and_call(tool, args)
    }

    /// Adds a tool call.
    #[must_use]
    pub fn and_call(mut self, tool: impl Into<String>, args: Value) -> Self {
        self.calls.push(ScriptedCall { tool: tool.into(), args, unknown: false });
        self
    }

    /// A turn that calls a tool that the agent may lack.
    pub fn call_unknown(tool: impl Into<String>, args: Value) -> Self {
        Self::default().and_call_unknown(tool, args)
    }

    /// Adds a call of a tool that the agent may lack.
    #[must_use]
    pub fn and_call_unknown(mut self, tool: impl Into<String>, args: Value) -> Self {
        self.calls.push(ScriptedCall { tool: tool.into(), args, unknown: true });
        self
    }

    /// Sets the tokens that the answer costs.
    #[must_use]
    pub fn usage(mut self, usage: Usage) -> Self {
        self.usage = Some(usage);
        self
    }

    /// A turn that fails with an HTTP status.
    pub fn fail(status: u16) -> Self {
        Self { fail: Some(status), ..Self::default() }
    }
}

impl ScriptedTurn {
    /// Checks that the agent has the called tools.
    fn check(&self, request: &ModelRequest, script: &ScriptedModel) -> Result<(), ScriptedModelError> {
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
            shared: script.shares(&request.agent),
        })
    }
}

impl Model for ScriptedModel {
    async fn respond(
        &self,
        request: &ModelRequest,
        deltas: &mut (dyn FnMut(ModelDelta) + Send),
    ) -> Result<ModelResponse, ModelError> {
        lock(&self.requests).push(request.clone());
        let Sum { answers: index, words: read } = count(request);
        let turn = self.turn(request, index).map_err(ModelError::Script)?;
        if turn.wait_ms > 0 {
            tokio::time::sleep(Duration::from_millis(turn.wait_ms)).await;
        }
        if let Some(status) = turn.fail {
            let message = "the script says so".to_owned();
            return Err(ModelError::status(status, message, None));
        }
        turn.check(request, self).map_err(ModelError::Script)?;
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
        response.tool_calls.iter().for_each(|call| write_call(call, deltas));
        if response.tool_calls.is_empty() {
            response.stop = super::StopReason::Done;
        }
        // A script has no tokens of its own. Counting words makes token limits testable.
        response.usage = turn.usage.unwrap_or_else(|| Usage::new(read, words(&say)));
        response.text = say;
        Ok(response)
    }

    fn provider(&self) -> Cow<'static, str> {
        let own = self.identity.as_ref().map(|identity| identity.provider().to_owned().into());
        own.unwrap_or(Cow::Borrowed("onionskin"))
    }

    fn identity(&self, requested: Option<&str>) -> ModelIdentity {
        self.identity.clone().unwrap_or_else(|| ModelIdentity::new(self.provider(), requested))
    }

    /// A script ignores the content of the input.
    fn reads(&self, _: &ContentBlock) -> bool {
        true
    }

    fn supports(&self, option: RequestOption) -> bool {
        !self.unsupported.contains(&option)
    }
}

/// Streams a call in pieces that end at words and parts of the JSON.
fn write_call(call: &ToolCall, deltas: &mut (dyn FnMut(ModelDelta) + Send)) {
    let ends = [' ', '{', '[', ':', ','];
    // A call without arguments is one empty piece.
    let pieces = call.arguments.split_inclusive(ends).chain(call.arguments.is_empty().then_some(""));
    for piece in pieces {
        let (id, name) = (Arc::clone(&call.id), Arc::clone(&call.name));
        deltas(ModelDelta::ToolCall(ToolCallDelta::new(id, name, piece)));
    }
}

fn words(text: &str) -> u64 {
    text.split_whitespace().count() as u64
}

/// Counts the model's answers in the conversation, which select the turn, and the words.
fn count(request: &ModelRequest) -> Sum {
    request.messages.sum(sum_of)
}

/// Counts a message without copying its text.
fn sum_of(message: &Message) -> Sum {
    let words = match message {
        Message::Tool { results } => {
            results.iter().map(|result| words(&ContentBlock::join(&result.content))).sum()
        }
        Message::User { .. } | Message::Assistant { .. } => words(&message.to_text()),
    };
    Sum { answers: usize::from(matches!(message, Message::Assistant { .. })), words }
}

/// Replaces the placeholders in a value's texts at any depth.
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

/// Replaces the placeholders in a turn's text. Inserted text is not searched again, because a tool's result
/// may contain `{input}`. A placeholder in JSON is in a string, so the inserted text is escaped there.
fn fill(say: &str, messages: &History) -> String {
    let is_json = serde_json::from_str::<Value>(say).is_ok();
    let text = |message: Option<&Message>| {
        let text = message.map(|message| message.to_text().into_owned()).unwrap_or_default();
        if is_json { escaped(text) } else { text }
    };
    let mut filled = String::with_capacity(say.len());
    let mut rest = say;
    while let Some(at) = rest.find('{') {
        filled.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some(after) = rest.strip_prefix("{last}") {
            filled.push_str(&text(messages.last()));
            rest = after;
        } else if let Some(after) = rest.strip_prefix("{input}") {
            let input = messages.iter().rev().find(|message| matches!(message, Message::User { .. }));
            filled.push_str(&text(input));
            rest = after;
        } else {
            filled.push('{');
            rest = &rest[1..];
        }
    }
    filled.push_str(rest);
    filled
}

/// A text as it stands in a string of JSON, without the quotes.
fn escaped(text: String) -> String {
    let quoted = Value::String(text).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}
