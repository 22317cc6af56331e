//! The form of a recording in its file. An entry that continues the conversation of an earlier one contains only what is new.

use onionskin_core::model::ModelResponse;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::entry::{Entry, Outcome, Request, fields};
use super::failure::StoredError;
use super::readable;
use super::stream::{self, StoredPieces};

/// The memory that the requests of a file may take, in bytes. Each entry has its whole request, and the file has what is new in it: without
/// a bound, a small file takes all memory.
const MAX_MEMORY: usize = 512 << 20;

/// The version of the form.
const VERSION: u32 = 1;

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StoredTape {
    version: u32,
    entries: Vec<StoredEntry>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredEntry {
    /// The number, counted from 1.
    entry: usize,
    /// The entry that has the beginning of the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    continues: Option<usize>,
    /// The fields of the request; after `continues`, those that are different, and `null` for those that are removed.
    #[serde(default, skip_serializing_if = "Map::is_empty", serialize_with = "readable::object")]
    request: Map<String, Value>,
    /// The messages; after `continues`, those that are added.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    messages: Vec<StoredMessage>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    answer: Option<StoredAnswer>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    error: Option<StoredError>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    cancelled: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    stream: Vec<StoredPieces>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged)]
enum StoredMessage {
    /// The answer of this entry, as a message.
    Answer(AnswerOf),
    Message(#[serde(serialize_with = "readable::value")] Value),
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct AnswerOf {
    answer_of: usize,
}

/// The parts of an answer that are set.
#[derive(Debug, Serialize, Deserialize)]
#[serde(transparent)]
struct StoredAnswer(#[serde(serialize_with = "readable::object")] Map<String, Value>);

impl StoredTape {
    /// The form of these entries.
    ///
    /// # Errors
    /// Returns an error if a part has no form in JSON.
    pub(super) fn new(entries: &[Entry]) -> serde_json::Result<Self> {
        let stored = (0..entries.len()).map(|index| StoredEntry::new(entries, index));
        Ok(Self { version: VERSION, entries: stored.collect::<Result<_, _>>()? })
    }

    /// The entries.
    ///
    /// # Errors
    /// Returns the reason if the content is not a recording.
    pub(super) fn load(self) -> Result<Vec<Entry>, String> {
        if self.version != VERSION {
            return Err(format!("its version is {}; this crate reads version {VERSION}", self.version));
        }
        let mut entries: Vec<Entry> = Vec::new();
        let mut memory = Memory { rest: MAX_MEMORY };
        for stored in self.entries {
            let number = entries.len() + 1;
            let entry =
                stored.load(&entries, &mut memory).map_err(|reason| format!("entry {number}: {reason}"))?;
            entries.push(entry);
        }
        Ok(entries)
    }
}

impl StoredEntry {
    fn new(entries: &[Entry], index: usize) -> serde_json::Result<Self> {
        let Entry { request, stream, outcome } = &entries[index];
        let continued = continued(entries, index);
        let (before, from) = match continued {
            Some(earlier) => (&entries[earlier].request, entries[earlier].request.messages.len()),
            None => (&Request::default(), 0),
        };
        let mut changed = Map::new();
        for name in before.fields.keys().filter(|name| !request.fields.contains_key(*name)) {
            changed.insert(name.clone(), Value::Null);
        }
        for (name, value) in
            request.fields.iter().filter(|(name, value)| before.fields.get(*name) != Some(value))
        {
            changed.insert(name.clone(), value.clone());
        }
        let mut messages = Vec::new();
        for message in &request.messages[from..] {
            messages.push(StoredMessage::new(entries, index, message)?);
        }
        let (answer, error) = match outcome {
            Outcome::Answer(answer) => (Some(&**answer), None),
            Outcome::Error(error) => (None, StoredError::new(error)),
            Outcome::Cancelled => (None, None),
        };
        Ok(Self {
            entry: index + 1,
            continues: continued.map(|earlier| earlier + 1),
            request: changed,
            messages,
            answer: answer.map(StoredAnswer::new).transpose()?,
            error,
            cancelled: *outcome == Outcome::Cancelled,
            stream: stream::store(stream, answer),
        })
    }

    fn load(self, entries: &[Entry], memory: &mut Memory) -> Result<Entry, String> {
        if self.entry != entries.len() + 1 {
            return Err(format!("its number is {}; the entries are numbered in order", self.entry));
        }
        let earlier = |number: usize| {
            let entry = number.checked_sub(1).and_then(|index| entries.get(index));
            entry.ok_or_else(|| format!("there is no entry {number} before it"))
        };
        let mut request = match self.continues {
            Some(number) => {
                let request = &earlier(number)?.request;
                memory.take_fields(&request.fields)?;
                request.messages.iter().try_for_each(|message| memory.take(message))?;
                request.clone()
            }
            None => Request::default(),
        };
        for (name, value) in self.request {
            if value.is_null() {
                request.fields.remove(&name);
            } else {
                request.fields.insert(name, value);
            }
        }
        for message in self.messages {
            request.messages.push(match message {
                StoredMessage::Message(message) => message,
                StoredMessage::Answer(AnswerOf { answer_of }) => {
                    let message = earlier(answer_of)?.answer_message();
                    let message = message.ok_or_else(|| format!("entry {answer_of} has no answer"))?;
                    let message = message.map_err(|error| error.to_string())?;
                    memory.take(&message)?;
                    message
                }
            });
        }
        let outcome = match (self.answer, self.error, self.cancelled) {
            (Some(answer), None, false) => Outcome::Answer(Box::new(answer.load()?)),
            (None, Some(error), false) => Outcome::Error(error.into_error()),
            (None, None, true) => Outcome::Cancelled,
            _ => return Err("write one of `answer`, `error` and `cancelled: true`".to_owned()),
        };
        let answer = match &outcome {
            Outcome::Answer(answer) => Some(&**answer),
            Outcome::Error(_) | Outcome::Cancelled => None,
        };
        let stream = stream::load(self.stream, answer)?;
        Ok(Entry { request, stream, outcome })
    }
}

/// The memory for copies of what a file has once.
struct Memory {
    rest: usize,
}

impl Memory {
    /// Takes the memory of a value, in about its size.
    fn take(&mut self, value: &Value) -> Result<(), String> {
        self.take_bytes(size_of::<Value>())?;
        match value {
            Value::Null | Value::Bool(_) | Value::Number(_) => Ok(()),
            Value::String(text) => self.take_bytes(text.len()),
            Value::Array(items) => items.iter().try_for_each(|item| self.take(item)),
            Value::Object(fields) => self.take_fields(fields),
        }
    }

    fn take_fields(&mut self, fields: &Map<String, Value>) -> Result<(), String> {
        fields.iter().try_for_each(|(name, value)| {
            self.take_bytes(size_of::<String>() + name.len())?;
            self.take(value)
        })
    }

    fn take_bytes(&mut self, bytes: usize) -> Result<(), String> {
        self.rest = self.rest.checked_sub(bytes).ok_or_else(|| {
            let most = MAX_MEMORY >> 20;
            format!("the requests up to here take more than {most} MiB of memory: record fewer or shorter conversations in one file")
        })?;
        Ok(())
    }
}

impl StoredMessage {
    /// The form of a message of the entry `index`.
    fn new(entries: &[Entry], index: usize, message: &Value) -> serde_json::Result<Self> {
        for earlier in (0..index).rev() {
            if let Some(answer) = entries[earlier].answer_message()
                && answer? == *message
            {
                return Ok(Self::Answer(AnswerOf { answer_of: earlier + 1 }));
            }
        }
        Ok(Self::Message(message.clone()))
    }
}

/// The entry before `index` that has the longest beginning of its conversation, in the same agent.
fn continued(entries: &[Entry], index: usize) -> Option<usize> {
    let request = &entries[index].request;
    let begins = |earlier: &usize| {
        let before = &entries[*earlier].request;
        before.agent() == request.agent() && request.messages.starts_with(&before.messages)
    };
    (0..index).filter(begins).max_by_key(|earlier| entries[*earlier].request.messages.len())
}

impl StoredAnswer {
    fn new(answer: &ModelResponse) -> serde_json::Result<Self> {
        let unset = fields(&ModelResponse::default())?;
        let mut answer = fields(answer)?;
        answer.retain(|name, value| unset.get(name) != Some(value));
        Ok(Self(answer))
    }

    fn load(&self) -> Result<ModelResponse, String> {
        let reason = |error: serde_json::Error| format!("its answer: {error}");
        let mut all = fields(&ModelResponse::default()).map_err(reason)?;
        all.extend(self.0.clone());
        let response: ModelResponse = serde_json::from_value(Value::Object(all)).map_err(reason)?;
        let known = fields(&response).map_err(reason)?;
        match self.0.iter().find(|(name, value)| known.get(*name) != Some(value)) {
            Some((name, _)) => Err(format!("its answer: `{name}` is not a field of an answer")),
            None => Ok(response),
        }
    }
}
