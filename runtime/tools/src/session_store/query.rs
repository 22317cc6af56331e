//! Lists of stored sessions, and searches in them.

use std::sync::Arc;
use std::time::SystemTime;

/// Selects stored sessions. An empty query selects all.
///
/// ```
/// use onionskin::sessions::SessionQuery;
///
/// // The sessions of a user that have both words, ten at a time.
/// let mut query = SessionQuery::default();
/// query.user = Some("ada".into());
/// query.text = Some("red lamp".to_owned());
/// query.limit = 10;
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SessionQuery {
    /// Only sessions of this user.
    pub user: Option<Arc<str>>,
    /// Only sessions with a message of a user or the model that has each of these words, whatever their case.
    pub text: Option<String>,
    /// Only sessions that were changed at this time or later.
    pub since: Option<SystemTime>,
    /// Only sessions that were changed before this time.
    pub until: Option<SystemTime>,
    /// The maximum number of sessions in a page; 0 means 1. Default: 50.
    pub limit: usize,
    /// Continues after the page with this [`SessionPage::next`]. The other fields must be the same.
    pub cursor: Option<String>,
}

impl Default for SessionQuery {
    fn default() -> Self {
        Self { user: None, text: None, since: None, until: None, limit: 50, cursor: None }
    }
}

/// A page of a list of sessions.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct SessionPage {
    /// The sessions, the most recently changed ones first.
    pub sessions: Vec<SessionSummary>,
    /// The cursor of the next page; `None` for the last page.
    pub next: Option<String>,
}

impl SessionPage {
    /// A page with these sessions, and the cursor of the next page.
    pub fn new(sessions: Vec<SessionSummary>, next: Option<String>) -> Self {
        Self { sessions, next }
    }
}

/// A stored session in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SessionSummary {
    /// The id.
    pub id: Arc<str>,
    /// The user of its first run that has one.
    pub user: Option<Arc<str>>,
    /// When its first record was written.
    pub created: SystemTime,
    /// When its newest record was written.
    pub updated: SystemTime,
    /// The number of its records.
    pub records: u64,
    /// For a search: the beginning of a message that has the words, or the part around them.
    pub excerpt: Option<String>,
}

impl SessionSummary {
    /// A session that has `records` records; `created` is the time of the first one, and `updated` that of the
    /// newest one.
    pub fn new(
        id: impl Into<Arc<str>>,
        user: Option<Arc<str>>,
        created: SystemTime,
        updated: SystemTime,
        records: u64,
    ) -> Self {
        Self { id: id.into(), user, created, updated, records, excerpt: None }
    }

    /// Sets the part of a message that has the words of a search.
    #[must_use]
    pub fn excerpt(mut self, text: impl Into<String>) -> Self {
        self.excerpt = Some(text.into());
        self
    }
}

/// The sessions to delete.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum SessionSelection {
    /// The session with this id.
    Session(Arc<str>),
    /// All sessions of this user.
    User(Arc<str>),
}

impl SessionSelection {
    /// The session with this id.
    pub fn session(id: impl Into<Arc<str>>) -> Self {
        Self::Session(id.into())
    }

    /// All sessions of this user.
    pub fn user(user: impl Into<Arc<str>>) -> Self {
        Self::User(user.into())
    }
}
