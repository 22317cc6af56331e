//! The stored form of sessions.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde::ser::Error as _;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value, json};

use super::Session;
use crate::model::{History, Message, redact_message};
use crate::state::SessionState;
use onionskin_definitions::json::{self, Problem, Unread};
use onionskin_definitions::lock::lock;
use onionskin_definitions::secret::{Redact as _, Redactor};
use onionskin_definitions::text::short;

/// The version of the stored form. A later one adds fields or changes their meaning.
const VERSION: u64 = 1;

/// The maximum nesting depth of lists and objects. It allows a value as deep as `serde_json` parses, under
/// the longest key of a state.
const MAX_LEVELS: usize = 256;

/// The stored form of a session. To store a session, serialise the result of [`Session::save`]; to load it,
/// use [`from_json`](Self::from_json) and [`Session::restore`].
///
/// It contains the history, the values of [`Session::state`], the [typed states](Session::typed_state) and the
/// [histories of children](Session::child_history), with the session's secrets redacted. Only the `provider_data` of
/// messages is not redacted, because a provider rejects the conversation if its signatures change. Requests
/// to the model are redacted, so `provider_data` can only contain secrets that were registered after they had
/// been sent. The stored form does not contain the secrets, the conversations with agent tools, the calls that a
/// person [always](crate::approval::Approval::AllowAlways) allows, and the id of the session. Set the secrets
/// again after a restore.
///
/// The stored form contains its version. Deserialisation fails for another version, and for unknown fields
/// and kinds of content. `Serialize` fails if the result could not be read again: for a nesting depth of
/// lists and objects above 256, for values other than an object, and for a typed state that does not implement
/// `Serialize` and `Deserialize` or that holds a secret; [`without_states`](Self::without_states) leaves the
/// typed states out. Use [`from_json`](Self::from_json) to
/// read it, because `serde_json::from_str` stops at 128 levels.
///
/// ```
/// use onionskin::run::{SavedSession, SavedSessionError};
/// use onionskin::{ScriptedModel, ScriptedTurn, agent};
///
/// agent! { Clerk { instruction: "Be kind." } }
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let model = ScriptedModel::turns([ScriptedTurn::say("Hello.")]);
/// let clerk = Clerk::builder().model(model).build().await.unwrap();
/// let session = clerk.session();
/// clerk.request("Hi.").session(&session).run().await.unwrap();
/// session.state().set("user.name", "Ada");
/// let text = serde_json::to_string(&session.save()).unwrap();
///
/// // In a later process:
/// let session = clerk.session();
/// session.restore(SavedSession::from_json(&text).unwrap()).unwrap();
/// assert_eq!(session.history().len(), 2);
/// assert_eq!(session.state().get("user.name"), Some("Ada".into()));
///
/// let newer = text.replace("\"version\":1", "\"version\":9");
/// let error = SavedSession::from_json(&newer).unwrap_err();
/// assert!(matches!(error, SavedSessionError::Version { found: 9, .. }));
/// # });
/// ```
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(try_from = "Value")]
pub struct SavedSession {
    history: History,
    values: Value,
    children: BTreeMap<Arc<str>, History>,
    /// The typed states by the names of their types, or why one cannot be stored.
    states: BTreeMap<Arc<str>, Result<Value, String>>,
}

/// The reason why a [`SavedSession`] cannot be written, read or restored. The text names the place and what was expected there. It
/// quotes shortened field names, but no values.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SavedSessionError {
    /// The text is not valid JSON: for example, it was truncated, or has a duplicate field.
    #[error("the saved session is not JSON: {reason}")]
    #[non_exhaustive]
    NotJson {
        /// The mistake, and its place.
        reason: String,
    },
    /// Its lists and objects are nested too deeply.
    #[error(
        "the session has more than {MAX_LEVELS} levels of lists and objects inside of each other: make its values flatter"
    )]
    TooDeep,
    /// It has no version, so [`Session::save`] did not create it.
    #[error("there is no `version`, so this is not a session that `Session::save` has made")]
    NoVersion,
    /// It has another version.
    #[error(
        "the saved session has version {found}, and this program reads version {VERSION}: read it with the version of onionskin \
         that wrote it"
    )]
    #[non_exhaustive]
    Version {
        /// Its version.
        found: u64,
    },
    /// It has a field that this version does not know.
    #[error("the saved session has the field `{field}`, which this version of onionskin does not know")]
    #[non_exhaustive]
    UnknownField {
        /// The path of the field: `history[2].results[0].mood`.
        field: String,
    },
    /// A typed state cannot be stored.
    #[error(
        "the state `{state}` cannot be saved: {reason}. To save the session without its typed states, write \
         `session.save().without_states()`"
    )]
    #[non_exhaustive]
    UnsavedState {
        /// The name of its type.
        state: String,
        /// The mistake.
        reason: String,
    },
    /// It has a typed state that the session does not have.
    #[error(
        "the saved session has the state `{state}`, and the agents of this session do not: they have {known}"
    )]
    #[non_exhaustive]
    UnknownState {
        /// The name of its type.
        state: String,
        /// The states of the session.
        known: String,
    },
    /// A part of it cannot be read.
    #[error("`{part}` of the saved session cannot be read: {reason}")]
    #[non_exhaustive]
    Unreadable {
        /// The path of the part: `history[2]`.
        part: String,
        /// The mistake in it.
        reason: String,
    },
}

impl SavedSession {
    /// Reads a session from JSON.
    ///
    /// # Errors
    /// Returns an error if the text is not JSON, is not a saved session, has another version or unknown
    /// fields, or if providers would reject one of its histories ([`History::check`]).
    pub fn from_json(text: &str) -> Result<Self, SavedSessionError> {
        if json::levels(text) > MAX_LEVELS {
            return Err(SavedSessionError::TooDeep);
        }
        let stored = json::read_deep(text)
            .map_err(|error| SavedSessionError::NotJson { reason: error.to_string() })?;
        stored.try_into()
    }

    /// The messages.
    pub fn history(&self) -> &History {
        &self.history
    }

    /// The values of [`Session::state`].
    pub fn values(&self) -> &Value {
        &self.values
    }

    /// The same without the typed states. A session keeps its own ones when it restores this.
    #[must_use]
    pub fn without_states(self) -> Self {
        Self { states: BTreeMap::new(), ..self }
    }

    /// The content of a session, from its log.
    pub(super) fn from_parts(
        history: History,
        values: Map<String, Value>,
        children: BTreeMap<Arc<str>, History>,
        states: BTreeMap<Arc<str>, Value>,
    ) -> Self {
        let states = states.into_iter().map(|(name, state)| (name, Ok(state))).collect();
        Self { history, values: values.into(), children, states }
    }

    /// Checks that providers accept its conversations.
    pub(super) fn checked(self) -> Result<Self, SavedSessionError> {
        check("history", &self.history)?;
        for (child, history) in &self.children {
            check(&format!("children.{}", short(child, 100)), history)?;
        }
        Ok(self)
    }

    /// The same without these typed states.
    pub(super) fn without(mut self, states: &[&str]) -> Self {
        self.states.retain(|name, _| !states.contains(&&**name));
        self
    }

    fn to_json(&self) -> Result<Value, SavedSessionError> {
        let Self { history, values, children, states } = self;
        let mut stored =
            json!({ "version": VERSION, "history": history, "values": values, "children": children });
        let states =
            states.iter().map(|(name, state)| Ok((name.to_string(), stored_state(name, state)?.clone())));
        let states: Map<_, _> = states.collect::<Result<_, _>>()?;
        if !states.is_empty() {
            stored["states"] = states.into();
        }
        Ok(stored)
    }
}

impl Serialize for SavedSession {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if !self.values.is_object() {
            return Err(S::Error::custom(no_values()));
        }
        let stored = self.to_json().map_err(S::Error::custom)?;
        if json::levels_of(&stored) > MAX_LEVELS {
            return Err(S::Error::custom(SavedSessionError::TooDeep));
        }
        stored.serialize(serializer)
    }
}

impl TryFrom<Value> for SavedSession {
    type Error = SavedSessionError;

    fn try_from(mut stored: Value) -> Result<Self, SavedSessionError> {
        match stored.get("version") {
            None => return Err(SavedSessionError::NoVersion),
            Some(version) => match version.as_u64() {
                Some(VERSION) => {}
                Some(found) => return Err(SavedSessionError::Version { found }),
                None => return Err(unreadable("version", &"it is not a number")),
            },
        }
        let mut take = |field: &str| match stored.get_mut(field) {
            Some(value) => Ok(value.take()),
            None => Err(unreadable(field, &"it is missing")),
        };
        let history = messages("history", take("history")?)?;
        let values = take("values")?;
        if !values.is_object() {
            return Err(no_values());
        }
        let histories: Map<String, Value> = read("children", take("children")?)?;
        let children = histories.into_iter().map(|(child, history)| {
            let history = messages(&format!("children.{}", short(&child, 100)), history)?;
            Ok((child.into(), history))
        });
        let children = children.collect::<Result<_, _>>()?;
        let states = match stored.get_mut("states") {
            Some(states) => read::<BTreeMap<Arc<str>, Value>>("states", states.take())?,
            None => BTreeMap::new(),
        };
        let states = states.into_iter().map(|(name, state)| (name, Ok(state))).collect();
        let known = ["version", "history", "values", "children", "states"];
        let unknown =
            stored.as_object().and_then(|fields| fields.keys().find(|name| !known.contains(&&***name)));
        match unknown {
            Some(field) => Err(SavedSessionError::UnknownField { field: short(field, 100).into_owned() }),
            None => Ok(Self { history, values, children, states }),
        }
    }
}

fn stored_state<'s>(name: &str, state: &'s Result<Value, String>) -> Result<&'s Value, SavedSessionError> {
    let error =
        |reason: &String| SavedSessionError::UnsavedState { state: name.to_owned(), reason: reason.clone() };
    state.as_ref().map_err(error)
}

fn unreadable(part: &str, reason: &dyn std::fmt::Display) -> SavedSessionError {
    SavedSessionError::Unreadable { part: part.to_owned(), reason: reason.to_string() }
}

/// The error for a state that is not an object: the next change of the state would lose it.
pub(super) fn no_values() -> SavedSessionError {
    unreadable("values", &"expected an object, because they are found under keys")
}

fn read<T: DeserializeOwned>(part: &str, value: Value) -> Result<T, SavedSessionError> {
    serde_json::from_value(value).map_err(|error| unreadable(part, &json::problem_of(&error)))
}

/// Deserialises messages without losing stored data.
fn messages(part: &str, stored: Value) -> Result<History, SavedSessionError> {
    let mut history = History::new();
    for (index, stored) in read::<Vec<Value>>(part, stored)?.into_iter().enumerate() {
        let part = format!("{part}[{index}]");
        history.push(json::read_stored::<Message>(&stored).map_err(|unread| {
            let Unread { path, problem } = unread;
            let place = format!("{part}{path}");
            match problem {
                Problem::UnknownField => SavedSessionError::UnknownField { field: place },
                Problem::Other(reason) => unreadable(&place, &reason),
            }
        })?);
    }
    check(part, &history)?;
    Ok(history)
}

/// Rejects a history if providers would reject each request with it.
fn check(part: &str, history: &History) -> Result<(), SavedSessionError> {
    history.check().map_err(|error| unreadable(&format!("{part}[{}]", error.index()), &error))
}

impl Session {
    /// A snapshot of the session in its stored form, with secrets redacted as [`SavedSession`] describes. A
    /// run appends its messages when it ends.
    pub fn save(&self) -> SavedSession {
        let children = lock(&self.0.children)
            .iter()
            .map(|(child, history)| (Arc::clone(child), history.clone()))
            .collect();
        let (history, values, states) = (self.history(), self.state().to_value(), self.states_to_json());
        let mut saved = SavedSession { history, values, children, states };
        if let Some(redactor) = self.state().concealed().redactor() {
            saved.values.redact(&redactor);
            saved.states.values_mut().flatten().for_each(|state| state.redact(&redactor));
            saved.history = redacted(&saved.history, &redactor);
            saved.children.values_mut().for_each(|history| *history = redacted(history, &redactor));
        }
        saved
    }

    /// Replaces the history, the values of the state, the typed states and the histories of children. It removes
    /// the secrets of the state. A typed state that `saved` does not contain stays. A run in progress continues
    /// as [`set_history`](Self::set_history) describes.
    ///
    /// # Errors
    /// Returns an error if the session does not have a typed state of `saved`, or if one cannot be read. The
    /// session is then unchanged.
    pub fn restore(&self, saved: SavedSession) -> Result<(), SavedSessionError> {
        self.restore_with(saved, SessionState::replace)
    }

    /// As [`Self::restore`]; `replace` replaces the values of the state.
    pub(super) fn restore_with(
        &self,
        saved: SavedSession,
        replace: impl FnOnce(&SessionState, Value),
    ) -> Result<(), SavedSessionError> {
        let SavedSession { history, values, children, states } = saved;
        let states =
            states.iter().map(|(name, state)| self.state_from_json(name, stored_state(name, state)?));
        let restorers = states.collect::<Result<Vec<_>, _>>()?;
        self.replace_history(history);
        replace(self.state(), values);
        *lock(&self.0.children) = children.into_iter().collect();
        for restore in restorers {
            restore();
        }
        Ok(())
    }
}

fn redacted(history: &History, redactor: &Redactor) -> History {
    let mut shown = History::new();
    for message in history {
        let mut message = message.clone();
        redact_message(&mut message, redactor, |_| false);
        shown.push(message);
    }
    shown
}
