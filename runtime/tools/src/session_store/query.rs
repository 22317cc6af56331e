//! Lists of stored sessions, and searches in them.

use std::cmp::Reverse;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use super::SessionStoreError;
use crate::search::bounded;

/// The maximum number of bytes of an excerpt, without its marks of a cut.
const MAX_EXCERPT_BYTES: usize = 200;

/// The maximum number of bytes of an excerpt before the first word.
const BYTES_BEFORE_WORD: usize = 60;

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
    /// Only sessions with a message of a user or the model that has each of these words, whatever their case. Spaces and
    /// control characters separate words. At most 1,000 characters and 64 different words. Whether a part of a word is enough depends on the store; it is enough in languages without
    /// spaces, such as Japanese.
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

/// For stores.
impl SessionQuery {
    /// The different words of [`text`](Self::text), in lower case. A word has a letter or a digit; signs alone are none. If
    /// there are no words, the text does not matter.
    ///
    /// ```
    /// use onionskin::sessions::SessionQuery;
    ///
    /// let mut query = SessionQuery::default();
    /// query.text = Some("Red & lamp".to_owned());
    /// assert_eq!(query.words().unwrap(), ["red", "lamp"]);
    /// ```
    ///
    /// # Errors
    /// Returns [`SessionStoreError::SearchTooLong`] for more than 1,000 characters or 64 different words.
    pub fn words(&self) -> Result<Vec<String>, SessionStoreError> {
        let text = self.text.as_deref().unwrap_or_default();
        let words = text.split(|letter: char| letter.is_whitespace() || letter.is_control());
        let words = words.filter(|word| word.contains(char::is_alphanumeric)).map(str::to_lowercase);
        Ok(bounded(text, words)?)
    }

    /// The part of a message's text around the first of the [words](Self::words), if the text has all of them;
    /// without words, its beginning.
    ///
    /// ```
    /// use onionskin::sessions::SessionQuery;
    ///
    /// let mut query = SessionQuery::default();
    /// query.text = Some("lamp red".to_owned());
    /// assert_eq!(query.excerpt("A red LAMP, please.").unwrap(), "A red LAMP, please.");
    /// assert_eq!(query.excerpt("A red chair, please."), None);
    /// ```
    pub fn excerpt(&self, text: &str) -> Option<String> {
        let places: Option<Vec<_>> = self.words().ok()?.iter().map(|word| find(text, word)).collect();
        Some(around(text, places?.into_iter().min().unwrap_or(0)))
    }

    /// The last session of the page before: the time of its newest record in milliseconds since 1970, and its id.
    ///
    /// # Errors
    /// Returns [`SessionStoreError::WrongCursor`] if the cursor is not one of a [page](Self::page).
    pub fn after(&self) -> Result<Option<(u64, &str)>, SessionStoreError> {
        let Some(cursor) = &self.cursor else { return Ok(None) };
        let place = cursor.split_once(' ').and_then(|(at, id)| Some((at.parse().ok()?, id)));
        place.map(Some).ok_or_else(|| SessionStoreError::wrong_cursor(cursor))
    }

    /// The page of a list of all sessions, or of those that have the words: selects by the user, the times and the
    /// cursor, sorts, and stops at the limit. Sessions without records are in no page.
    ///
    /// A store that selects in another way uses it too, with one session more than the limit.
    ///
    /// # Errors
    /// As [`after`](Self::after) and [`words`](Self::words).
    pub fn page(
        &self,
        sessions: impl IntoIterator<Item = SessionInfo>,
    ) -> Result<SessionPage, SessionStoreError> {
        let Self { user, text: _, since, until, limit, cursor: _ } = self;
        let after = self.after()?;
        self.words()?;
        let is_selected = |info: &SessionInfo| {
            info.records > 0
                && user.as_ref().is_none_or(|user| info.user.as_ref() == Some(user))
                && since.is_none_or(|since| info.updated >= since)
                && until.is_none_or(|until| info.updated < until)
                && after.is_none_or(|after| info.place() < after)
        };
        let mut sessions: Vec<_> = sessions.into_iter().filter(is_selected).collect();
        sessions.sort_by(|a, b| Reverse(a.place()).cmp(&Reverse(b.place())));
        let limit = (*limit).max(1);
        let has_more = sessions.len() > limit;
        sessions.truncate(limit);
        let next = sessions.last().filter(|_| has_more).map(|last| {
            let (at, id) = last.place();
            format!("{at} {id}")
        });
        Ok(SessionPage::new(sessions, next))
    }
}

/// Where a text has a word in lower case, whatever the case in the text.
fn find(text: &str, word: &str) -> Option<usize> {
    let is_at = |at: usize| {
        let mut letters = text[at..].chars().flat_map(char::to_lowercase);
        word.chars().all(|letter| letters.next() == Some(letter))
    };
    text.char_indices().map(|(at, _)| at).find(|at| is_at(*at))
}

/// The part of a text around this byte.
fn around(text: &str, at: usize) -> String {
    let start = if text.len() <= MAX_EXCERPT_BYTES {
        0
    } else {
        text.floor_char_boundary(at.saturating_sub(BYTES_BEFORE_WORD))
    };
    let end = text.floor_char_boundary(start + MAX_EXCERPT_BYTES);
    let cut = |is_cut| if is_cut { "\u{2026}" } else { "" };
    format!("{}{}{}", cut(start > 0), &text[start..end], cut(end < text.len()))
}

/// A page of a list of sessions.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct SessionPage {
    /// The sessions, the most recently changed ones first.
    pub sessions: Vec<SessionInfo>,
    /// The cursor of the next page; `None` for the last page.
    pub next: Option<String>,
}

impl SessionPage {
    /// A page with these sessions, and the cursor of the next page.
    pub fn new(sessions: Vec<SessionInfo>, next: Option<String>) -> Self {
        Self { sessions, next }
    }
}

/// A stored session in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SessionInfo {
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

impl SessionInfo {
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

    /// The place in lists, which are in reverse order of it.
    fn place(&self) -> (u64, &str) {
        let at = self.updated.duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
        (u64::try_from(at).unwrap_or(u64::MAX), &self.id)
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
