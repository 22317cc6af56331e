//! The records of a session's log, as stores keep them.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::SessionStoreError;
use crate::journal::StepRecord;
use crate::model::{Message, ToolResultMessage, UsageByModel};
use crate::question::{Answer, Paused};
use onionskin_definitions::json::{self, Problem, Unread};

/// The version of the stored form. A later one adds kinds of changes or fields.
const VERSION: u64 = 1;

/// The most levels of a record, so that an export can be read, which has two more.
const MAX_LEVELS: usize = json::MAX_LEVELS - 2;

/// The last moment that a record can have, in milliseconds since 1970: the end of the year 9999.
const LAST_MOMENT: u64 = 253_402_300_799_999;

/// One record of a session's log: a message, a changed value, an open question. It is opaque: a store keeps its
/// [JSON](Self::to_json), and returns the same record later.
///
/// The session's secrets are redacted, except in a model's `provider_data`, which the provider must receive unchanged,
/// and in the answers of people.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionRecord {
    /// Milliseconds since 1970.
    at: u64,
    change: Change,
}

/// What a record says of its session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[doc(hidden)]
pub enum Change {
    /// A run began.
    Began {
        run_id: Arc<str>,
        agent: Arc<str>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        user: Option<Arc<str>>,
        /// The number of records before it that the session had, or was given by its program.
        since: u64,
    },
    /// A message was appended, but none with results of tools.
    Message { message: Message },
    /// Calls of the newest message have these results.
    Results { results: Vec<ToolResultMessage> },
    /// The conversation has only this number of messages.
    Cut { messages: usize },
    /// The conversation of a child has these messages after its first `from` ones.
    Child { child: Arc<str>, from: usize, messages: Vec<Message> },
    /// A value of the session's state was set, or removed.
    Value {
        key: String,
        #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "json::present")]
        value: Option<Value>,
    },
    /// A typed state changed.
    State { name: Arc<str>, value: Value },
    /// A conversation with an agent tool changed.
    Thread { thread: ThreadKey, change: Box<Change> },
    /// A run used these tokens.
    Usage { usage: UsageByModel },
    /// A run waits for answers. The records after `since` are set aside until it continues. The records of its steps
    /// are not in the value. `messages` is the number of messages of its conversation.
    Paused { paused: Box<Paused>, since: u64, messages: usize },
    /// A person answered a question of the run that waits; `hash` is that of the question.
    Answered { run_id: Arc<str>, question: String, hash: String, answer: Answer },
    /// A step of a run that waits for answers, or continues with them.
    Step { run_id: Arc<str>, step: String, record: StepRecord },
    /// The run that waited for answers continues no more.
    Resolved { run_id: Arc<str> },
    /// The session is as it was after this number of records.
    Rewound { to: u64 },
}

/// A conversation with an agent tool.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[doc(hidden)]
pub struct ThreadKey {
    /// The calling agent.
    pub caller: Box<str>,
    /// The tool that has the thread.
    pub tool: Box<str>,
    /// The user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<Arc<str>>,
    /// Whether a model chose its name.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_model: bool,
    /// Its name.
    pub name: Box<str>,
}

impl SessionRecord {
    /// When it was written.
    pub fn at(&self) -> SystemTime {
        UNIX_EPOCH + Duration::from_millis(self.at)
    }

    /// The user of the run that begins with this record.
    pub fn user(&self) -> Option<&Arc<str>> {
        match &self.change {
            Change::Began { user, .. } => user.as_ref(),
            Change::Message { .. }
            | Change::Results { .. }
            | Change::Cut { .. }
            | Change::Child { .. }
            | Change::Value { .. }
            | Change::State { .. }
            | Change::Thread { .. }
            | Change::Usage { .. }
            | Change::Paused { .. }
            | Change::Answered { .. }
            | Change::Step { .. }
            | Change::Resolved { .. }
            | Change::Rewound { .. } => None,
        }
    }

    /// The text by which searches find the session: that of a message of the user or the model.
    pub fn search_text(&self) -> Option<String> {
        match &self.change {
            Change::Message { message } => {
                let text = message.to_text();
                (!text.is_empty()).then(|| text.into_owned())
            }
            Change::Began { .. }
            | Change::Results { .. }
            | Change::Cut { .. }
            | Change::Child { .. }
            | Change::Value { .. }
            | Change::State { .. }
            | Change::Thread { .. }
            | Change::Usage { .. }
            | Change::Paused { .. }
            | Change::Answered { .. }
            | Change::Step { .. }
            | Change::Resolved { .. }
            | Change::Rewound { .. } => None,
        }
    }

    /// The stored form: JSON with its version.
    ///
    /// # Errors
    /// Returns [`SessionStoreError::Storage`] if a value of the session cannot be written as JSON, or is nested so deeply
    /// that it could not be read.
    pub fn to_json(&self) -> Result<String, SessionStoreError> {
        let stored = json!({ "version": VERSION, "at": self.at, "change": self.change });
        if json::levels_of(&stored) > MAX_LEVELS {
            return Err(SessionStoreError::storage(format!(
                "a value or a message has more than {MAX_LEVELS} levels of lists and objects inside of each other: make it flatter"
            )));
        }
        serde_json::to_string(&stored).map_err(SessionStoreError::storage)
    }

    /// Reads the stored form.
    ///
    /// # Errors
    /// Returns [`SessionStoreError::Version`] for a record of a later version, and [`SessionStoreError::Corrupt`] for a
    /// text that is not a record, or has an unknown field. The errors quote no values.
    pub fn from_json(text: &str) -> Result<Self, SessionStoreError> {
        let corrupt = |reason: String| SessionStoreError::corrupt("a record of a session", reason);
        let mut stored =
            json::read_deep(text).map_err(|error| corrupt(format!("its JSON cannot be read: {error}")))?;
        match stored.get("version").and_then(Value::as_u64) {
            Some(VERSION) => {}
            Some(found) => return Err(SessionStoreError::version("a record of a session", found, VERSION)),
            None => return Err(corrupt("it has no version".to_owned())),
        }
        let at = stored.get("at").and_then(Value::as_u64).filter(|at| *at <= LAST_MOMENT);
        let at = at.ok_or_else(|| corrupt("it has no time before the year 10000".to_owned()))?;
        let change = stored.get_mut("change").map(Value::take).unwrap_or_default();
        let change = json::read_stored(&change).map_err(|Unread { path, problem }| match problem {
            Problem::UnknownField => corrupt(format!("the field `change{path}` is unknown")),
            Problem::Other(reason) => corrupt(format!("`change{path}`: {reason}")),
        })?;
        Ok(Self { at, change })
    }
}

/// For the crates of the runtime.
#[doc(hidden)]
impl SessionRecord {
    /// A record of this moment.
    pub fn now(change: Change) -> Self {
        let at = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
        Self { at: u64::try_from(at).unwrap_or(LAST_MOMENT).min(LAST_MOMENT), change }
    }

    pub fn change(&self) -> &Change {
        &self.change
    }

    pub fn into_change(self) -> Change {
        self.change
    }
}
