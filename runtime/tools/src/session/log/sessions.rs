//! The sessions of a store, without an agent: lists, copies, exports.

use std::sync::Arc;

use serde::de::Error as _;
use serde::ser::{Error as _, SerializeStruct as _};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use super::SessionError;
use super::content::{Content, messages_of, place_of};
use super::facts::{Facts, Pending};
use crate::journal::new_id;
use crate::model::UsageByModel;
use crate::question::Paused;
use crate::session::SavedSession;
use crate::session_store::{
    Change, SessionLease, SessionPage, SessionQuery, SessionRecord, SessionSelection, SessionStore,
    SessionStoreError,
};
use onionskin_definitions::json::{self, Unique};

/// The version of the form of exports.
const VERSION: u64 = 1;

/// The sessions of a store. It needs no agent, for example for an administration page. Cheap to clone.
///
/// ```
/// use onionskin::sessions::{MemorySessions, SessionQuery, Sessions};
/// use onionskin::{ScriptedModel, ScriptedTurn, agent};
/// use std::sync::Arc;
///
/// agent! { Clerk { instruction: "Take notes." } }
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let store = Arc::new(MemorySessions::default());
/// let model = ScriptedModel::turns([ScriptedTurn::say("Noted: {input}"), ScriptedTurn::say("Noted: {input}")]);
/// let clerk = Clerk::builder().model(model).session_store(Arc::clone(&store)).build().await.unwrap();
/// let session = clerk.open_session("ticket-7").await.unwrap();
/// clerk.request("A red lamp.").session(&session).user("ada").run().await.unwrap();
///
/// let sessions = Sessions::new(store);
/// let mut query = SessionQuery::default();
/// query.text = Some("lamp".to_owned());
/// assert_eq!(sessions.list(&query).await.unwrap().sessions.len(), 1);
///
/// // Another conversation, which begins with the same messages.
/// sessions.fork("ticket-7", "ticket-8", 2).await.unwrap();
/// let fork = clerk.open_session("ticket-8").await.unwrap();
/// clerk.request("A blue one.").session(&fork).user("ada").run().await.unwrap();
/// assert_eq!((session.history().len(), fork.history().len()), (2, 4));
/// # });
/// ```
#[derive(Clone)]
pub struct Sessions(Arc<dyn SessionStore>);

/// A session as its store has it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct StoredSession {
    /// Its messages, values and states.
    pub content: SavedSession,
    /// The user of its first run that had one.
    pub user: Option<Arc<str>>,
    /// The tokens that its runs used.
    pub usage: UsageByModel,
    /// The run that waits for answers.
    pub paused: Option<Paused>,
}

/// A session with its whole log, as JSON: [`Sessions::export`] makes it, and [`Sessions::import`] takes it.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionExport(Vec<SessionRecord>);

impl SessionExport {
    /// Reads an export from JSON, also with values that are nested deeper than `serde_json::from_str` reads.
    ///
    /// # Errors
    /// Returns an error if the text is not an export, or one of a later version. It quotes no values.
    pub fn from_json(text: &str) -> Result<Self, SessionStoreError> {
        let corrupt = |error: serde_json::Error| SessionStoreError::corrupt("the export of a session", error);
        serde_json::from_value(json::read_deep(text).map_err(corrupt)?).map_err(corrupt)
    }
}

impl Sessions {
    /// The sessions of a store.
    pub fn new(store: impl SessionStore) -> Self {
        Self(Arc::new(store))
    }

    /// Lists the sessions that a query selects, the most recently changed ones first.
    ///
    /// Cancel safety: dropping the future has no effect.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub async fn list(&self, query: &SessionQuery) -> Result<SessionPage, SessionStoreError> {
        self.0.list(query).await
    }

    /// Reads a session.
    ///
    /// Cancel safety: dropping the future has no effect.
    ///
    /// # Errors
    /// Returns [`SessionStoreError::Missing`] if there is none with this id, and an error if it cannot be read.
    pub async fn read(&self, session: &str) -> Result<StoredSession, SessionError> {
        let Content { own, facts: Facts { usage, user, pending, .. }, .. } =
            Content::new(self.records(session).await?);
        let paused = pending.as_ref().map(Pending::to_paused);
        Ok(StoredSession { content: own.into_saved()?, user, usage, paused })
    }

    /// Copies the first `messages` messages of a session into a new one, with the values and states that it had then, its
    /// user, and its conversations with agent tools. The new session has used no tokens.
    ///
    /// Cancel safety: if the future is dropped, the new session is created as a whole or not at all.
    ///
    /// # Errors
    /// Returns [`SessionStoreError::Exists`] if there is a session with the new id, and [`SessionError::WrongPlace`] if the
    /// session has fewer messages, or if a call would be split from its result.
    pub async fn fork(&self, session: &str, new: &str, messages: usize) -> Result<(), SessionError> {
        let records = self.records(session).await?;
        let user = records.iter().find(|record| record.user().is_some()).cloned();
        let (_, live) = Content::with_live(records);
        let place = place(session, &live, messages)?;
        let copied = live.into_iter().filter(|(number, _)| *number <= place).map(|(_, record)| record);
        let mut records: Vec<_> = user.into_iter().chain(copied).collect();
        if records.is_empty() {
            // A session exists when it has a record.
            records.push(SessionRecord::now(Change::Rewound { to: 0 }));
        }
        self.create(new, records).await
    }

    /// Returns a session to its first `messages` messages, with the values and states that it had then. A run that waits
    /// for answers is given up. The log keeps the later messages, and searches find them, until the session is deleted.
    ///
    /// Cancel safety: if the future is dropped, the session is returned as a whole or not at all.
    ///
    /// # Errors
    /// Returns [`SessionError::WrongPlace`] as [`Self::fork`] does, and [`SessionStoreError::Held`] while a run of the
    /// session is in progress.
    pub async fn rewind(&self, session: &str, messages: usize) -> Result<(), SessionError> {
        let lease = self.lease(session);
        self.0.acquire(&lease).await?;
        let rewound = self.rewind_held(&lease, messages).await;
        self.0.release(&lease).await?;
        rewound
    }

    async fn rewind_held(&self, lease: &SessionLease, messages: usize) -> Result<(), SessionError> {
        let (content, live) = Content::with_live(self.records(lease.session()).await?);
        let to = place(lease.session(), &live, messages)?;
        // A place is before the run that waits, so no results of it stay.
        let resolved = content.facts.pending.as_ref().map(Pending::resolved);
        let changes = resolved.into_iter().chain([Change::Rewound { to }]);
        let records: Vec<_> = changes.map(SessionRecord::now).collect();
        Ok(self.0.append(lease, content.count, &records).await?)
    }

    /// Deletes sessions for good, and returns their number.
    ///
    /// Cancel safety: if the future is dropped, some of the sessions may be deleted.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub async fn delete(&self, selection: &SessionSelection) -> Result<u64, SessionStoreError> {
        self.0.delete(selection).await
    }

    /// Exports a session with its whole log.
    ///
    /// Cancel safety: dropping the future has no effect.
    ///
    /// # Errors
    /// Returns [`SessionStoreError::Missing`] if there is none with this id, and an error if it cannot be read.
    pub async fn export(&self, session: &str) -> Result<SessionExport, SessionStoreError> {
        Ok(SessionExport(self.records(session).await?))
    }

    /// Creates a session from an export. A run that waits for answers in it is given up, because the answers could be
    /// those of a stranger.
    ///
    /// Cancel safety: as [`Self::fork`].
    ///
    /// # Errors
    /// Returns [`SessionStoreError::Exists`] if there is a session with this id, and an error if providers would reject
    /// the messages of the export.
    pub async fn import(&self, session: &str, export: SessionExport) -> Result<(), SessionError> {
        let mut records = export.0;
        let mut facts = Facts::default();
        records.iter().map(SessionRecord::change).for_each(|change| facts.note(change));
        records.extend(facts.pending.iter().flat_map(Pending::give_up).map(SessionRecord::now));
        let Content { own, threads, .. } = Content::new(records.clone());
        for part in threads.into_values().chain([own]) {
            part.into_saved()?;
        }
        self.create(session, records).await
    }

    fn lease(&self, session: &str) -> SessionLease {
        SessionLease::new(session, new_id(), self.0.lease_time())
    }

    async fn records(&self, session: &str) -> Result<Vec<SessionRecord>, SessionStoreError> {
        let records = self.0.read(session, 0).await?;
        if records.is_empty() {
            return Err(SessionStoreError::Missing { session: session.to_owned() });
        }
        Ok(records)
    }

    async fn create(&self, session: &str, records: Vec<SessionRecord>) -> Result<(), SessionError> {
        SessionStoreError::check_id(session)?;
        let lease = self.lease(session);
        let created = match self.0.acquire(&lease).await? {
            0 => self.0.append(&lease, 0, &records).await,
            _ => Err(SessionStoreError::Exists { session: session.to_owned() }),
        };
        self.0.release(&lease).await?;
        Ok(created?)
    }
}

fn place(session: &str, live: &[(u64, SessionRecord)], messages: usize) -> Result<u64, SessionError> {
    place_of(live, messages).ok_or_else(|| {
        let found = messages_of(live);
        SessionError::WrongPlace { session: session.to_owned(), messages, found }
    })
}

impl Serialize for SessionExport {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let value = |record: &SessionRecord| -> Result<Value, S::Error> {
            json::read_deep(&record.to_json().map_err(S::Error::custom)?).map_err(S::Error::custom)
        };
        let records = self.0.iter().map(value).collect::<Result<Vec<_>, _>>()?;
        let mut export = serializer.serialize_struct("SessionExport", 2)?;
        export.serialize_field("version", &VERSION)?;
        export.serialize_field("records", &records)?;
        export.end()
    }
}

/// The errors quote no values.
impl<'de> Deserialize<'de> for SessionExport {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Unique(export) = Unique::deserialize(deserializer)?;
        match export.get("version").and_then(Value::as_u64) {
            Some(VERSION) => {}
            Some(found) => {
                return Err(D::Error::custom(SessionStoreError::version(
                    "the export of a session",
                    found,
                    VERSION,
                )));
            }
            None => return Err(D::Error::custom("this is not the export of a session: it has no version")),
        }
        let records = export.get("records").and_then(Value::as_array);
        let records = records.ok_or_else(|| D::Error::custom("the export has no list `records`"))?;
        let read = |record: &Value| SessionRecord::from_json(&record.to_string()).map_err(D::Error::custom);
        let records: Vec<_> = records.iter().map(read).collect::<Result<_, _>>()?;
        if records.is_empty() {
            Err(D::Error::custom("the export has no records"))
        } else {
            Ok(Self(records))
        }
    }
}
