//! The cases in `data/providers`, and what an answer is compared with.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

use onionskin::genai::GenaiModel;
use onionskin::model::{ModelDelta, ModelError, ModelResponse, StopReason};
use serde::Deserialize;
use serde_json::Value;

use super::server::Wire;

/// A protocol of providers, with a file of cases.
#[derive(Clone, Copy, Debug)]
pub struct Protocol {
    /// The name of the file.
    pub file: &'static str,
    pub adapter: &'static str,
    pub model: &'static str,
    pub framing: Framing,
    /// An answer with the text "Fine.", streamed and whole.
    pub fine: [&'static str; 2],
}

/// How a stream separates its events.
#[derive(Clone, Copy, Debug)]
pub enum Framing {
    /// Events of one field, `data`.
    Data,
    /// Events with their type as their name.
    Named,
    /// A line each.
    Lines,
}

/// What a provider says, and what has to become of it. `README.md` beside the files has the meaning of the fields.
#[derive(Deserialize, Clone, Debug)]
#[serde(deny_unknown_fields)]
pub struct Case {
    pub name: String,
    #[serde(default = "yes")]
    pub stream: bool,
    #[serde(default = "ok")]
    status: u16,
    #[serde(rename = "type")]
    content_type: Option<String>,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    #[serde(default)]
    events: Vec<String>,
    #[serde(default)]
    body: String,
    #[serde(default)]
    tail: Vec<u8>,
    endless: Option<String>,
    endless_raw: Option<String>,
    #[serde(default)]
    breaks: bool,

    text: Option<String>,
    reasoning: Option<String>,
    #[serde(default)]
    pub calls: Vec<Called>,
    pub stop: Option<StopReason>,
    usage: Option<[u64; 2]>,
    /// The parts of the usage.
    parts: Option<Parts>,
    pub error: Option<String>,
    #[serde(default)]
    says: Vec<String>,
}

/// The parts of the usage that a provider reports.
#[derive(Deserialize, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[serde(deny_unknown_fields, default)]
struct Parts {
    cached: u64,
    cache_write: u64,
    reasoning: u64,
    server_tools: u64,
}

/// A call that has to be in an answer.
#[derive(Deserialize, Clone, Debug)]
#[serde(deny_unknown_fields)]
pub struct Called {
    id: Option<String>,
    pub name: String,
    /// A text is the text of the arguments; another value is what their JSON says.
    pub args: Value,
}

impl Called {
    /// Whether its arguments are an object.
    pub fn has_arguments(&self) -> bool {
        match &self.args {
            Value::String(text) => serde_json::from_str::<Value>(text).is_ok_and(|args| args.is_object()),
            args => args.is_object(),
        }
    }
}

fn yes() -> bool {
    true
}

fn ok() -> u16 {
    200
}

impl Protocol {
    pub fn cases(&self) -> Vec<Case> {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/providers").join(self.file);
        let text = std::fs::read_to_string(&path).unwrap();
        let cases: Vec<Case> =
            serde_saphyr::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", self.file));
        let names: HashSet<_> = cases.iter().map(|case| &case.name).collect();
        assert_eq!(names.len(), cases.len(), "{}: two cases of one name", self.file);
        cases
    }

    pub fn model(&self, url: &str, stream: bool) -> GenaiModel {
        GenaiModel::new(self.model).base_url(url).adapter(self.adapter).api_key("key-1").stream(stream)
    }

    /// The answer with the text "Fine.".
    pub fn fine(&self, stream: bool) -> Wire {
        let [events, whole] = self.fine;
        let body =
            if stream { events.lines().map(|event| self.framed(event)).collect() } else { whole.to_owned() };
        self.wire(stream, body.into_bytes())
    }

    fn framed(&self, event: &str) -> String {
        match self.framing {
            Framing::Data => format!("data: {event}\n\n"),
            Framing::Lines => format!("{event}\n"),
            Framing::Named => {
                let json: Value = serde_json::from_str(event).unwrap_or_default();
                match json["type"].as_str() {
                    Some(name) => format!("event: {name}\ndata: {event}\n\n"),
                    None => format!("data: {event}\n\n"),
                }
            }
        }
    }

    fn wire(&self, stream: bool, body: Vec<u8>) -> Wire {
        let content_type = match (stream, self.framing) {
            (false, _) => "application/json",
            (true, Framing::Lines) => "application/x-ndjson",
            (true, Framing::Data | Framing::Named) => "text/event-stream",
        };
        let headers = vec![("content-type".to_owned(), content_type.to_owned())];
        Wire { status: 200, headers, body, endless: None, breaks: false, pieces: None }
    }

    pub fn wire_of(&self, case: &Case) -> Wire {
        let framed: String = case.events.iter().map(|event| self.framed(event)).collect();
        let body = [framed.as_bytes(), case.body.as_bytes(), &case.tail].concat();
        let mut wire = self.wire(case.stream, body);
        wire.status = case.status;
        wire.breaks = case.breaks;
        wire.endless = match (&case.endless, &case.endless_raw) {
            (Some(event), _) => Some(self.framed(event).into_bytes()),
            (None, raw) => raw.clone().map(String::into_bytes),
        };
        if let Some(content_type) = &case.content_type {
            wire.headers[0].1.clone_from(content_type);
        }
        wire.headers.extend(case.headers.clone());
        wire
    }
}

/// The kind of an error, as the cases name it.
pub fn kind_of(error: &ModelError) -> String {
    match error {
        ModelError::Status { status, .. } => format!("status {status}"),
        ModelError::TooLong(_) => "too long".to_owned(),
        ModelError::Transport(_) => "transport".to_owned(),
        ModelError::Malformed(_) => "malformed".to_owned(),
        ModelError::Incomplete(_) => "incomplete".to_owned(),
        error => format!("another error: {error:?}"),
    }
}

impl Case {
    pub fn is_endless(&self) -> bool {
        self.endless.is_some() || self.endless_raw.is_some()
    }

    /// Compares an error with the one that has to come.
    pub fn fails_with(&self, error: &ModelError) -> Result<(), String> {
        let Some(kinds) = &self.error else { return Err(format!("it fails: {error}")) };
        let kind = kind_of(error);
        if !kinds.split('|').any(|known| known == kind) {
            return Err(format!("the error is {kind}, not {kinds}: {error}"));
        }
        let text = error.to_string();
        if text.contains("key-1") || text.len() > 8_000 {
            return Err(format!("the error has {} bytes, or shows the key", text.len()));
        }
        match self.says.iter().find(|part| !text.contains(&**part)) {
            Some(part) => Err(format!("the error lacks {part:?}: {text}")),
            None => Ok(()),
        }
    }

    /// Compares an answer with the one that has to come.
    pub fn answers_with(&self, answer: &ModelResponse) -> Result<(), String> {
        if let Some(kinds) = &self.error {
            return Err(format!("it is an answer and not an error ({kinds}): {answer:?}"));
        }
        let same = |what: &str, found: &str, wanted: &str| {
            if found == wanted { Ok(()) } else { Err(format!("the {what} is {found:?}, not {wanted:?}")) }
        };
        same("text", &answer.text, self.text.as_deref().unwrap_or_default())?;
        if let Some(reasoning) = &self.reasoning {
            same("reasoning", answer.reasoning.as_deref().unwrap_or_default(), reasoning)?;
        }
        if Some(answer.stop) != self.stop {
            return Err(format!("the reason to stop is {:?}, not {:?}", answer.stop, self.stop));
        }
        if let Some(usage) = self.usage {
            let found = [answer.usage.input_tokens, answer.usage.output_tokens];
            if found != usage {
                return Err(format!("the usage is {found:?}, not {usage:?}"));
            }
        }
        if let Some(parts) = self.parts {
            let usage = answer.usage;
            let found = Parts {
                cached: usage.cached_input_tokens,
                cache_write: usage.cache_write_tokens,
                reasoning: usage.reasoning_tokens,
                server_tools: usage.server_tool_uses,
            };
            if found != parts {
                return Err(format!("the parts of the usage are {found:?}, not {parts:?}"));
            }
        }
        if answer.tool_calls.len() != self.calls.len() {
            return Err(format!(
                "there are {} calls, not {}: {answer:?}",
                answer.tool_calls.len(),
                self.calls.len()
            ));
        }
        for (call, wanted) in answer.tool_calls.iter().zip(&self.calls) {
            same("tool", &call.name, &wanted.name)?;
            if let Some(id) = &wanted.id {
                same("id", &call.id, id)?;
            }
            match &wanted.args {
                Value::String(text) => same("arguments", &call.arguments, text)?,
                // A tool without parameters is called with nothing, too.
                value => {
                    let text = if call.arguments.is_empty() { "{}" } else { &*call.arguments };
                    let found: Value =
                        serde_json::from_str(text).map_err(|error| format!("{text:?}: {error}"))?;
                    if found != *value {
                        return Err(format!("the arguments are {found}, not {value}"));
                    }
                }
            }
        }
        Ok(())
    }
}

/// What holds for every answer, and for its pieces.
pub fn holds_together(answer: &ModelResponse, deltas: &[ModelDelta]) -> Result<(), String> {
    let ids: HashSet<_> = answer.tool_calls.iter().map(|call| &call.id).collect();
    if ids.len() != answer.tool_calls.len() || ids.iter().any(|id| id.is_empty()) {
        return Err(format!("the ids of calls are not each their own: {:?}", answer.tool_calls));
    }
    if answer.tool_calls.iter().any(|call| call.name.is_empty()) {
        return Err("a call has no name".to_owned());
    }
    if answer.tool_calls.is_empty() {
        if answer.stop == StopReason::ToolCalls {
            return Err("it announces calls and has none".to_owned());
        }
        if answer.stop.is_whole() && answer.text.trim().is_empty() {
            return Err(format!("it is empty, and {}", answer.stop));
        }
    }
    let (mut text, mut calls) = (String::new(), HashMap::<&str, String>::new());
    for delta in deltas {
        match delta {
            ModelDelta::Text(piece) => text.push_str(piece),
            ModelDelta::ToolCall(piece) => calls.entry(&piece.id).or_default().push_str(&piece.arguments),
            _ => {}
        }
    }
    if !text.is_empty() && text != answer.text {
        return Err(format!("the pieces of the text are {text:?}, and the text is {:?}", answer.text));
    }
    for (id, pieces) in calls {
        match answer.tool_calls.iter().find(|call| *call.id == *id) {
            Some(call) if *call.arguments == *pieces => {}
            Some(call) => {
                return Err(format!(
                    "the pieces of {id} are {pieces:?}, and its arguments {:?}",
                    call.arguments
                ));
            }
            None => return Err(format!("the call {id} has pieces, and the answer lacks it")),
        }
    }
    Ok(())
}
