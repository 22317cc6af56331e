//! Errors of session stores.

use std::fmt;

use crate::search::SearchTooLong;

/// A session store could not do what it was called for. It has changed nothing then.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SessionStoreError {
    /// Another run, perhaps of another process, is in progress in the session.
    #[error("another run is in progress in the session `{session}`: wait until it ends")]
    #[non_exhaustive]
    Held {
        /// The session.
        session: String,
    },
    /// The lease has ended, and perhaps another holder has it.
    #[error(
        "the lease on the session `{session}` was lost, because it was not renewed in time: open the session again, and repeat what \
         it lacks"
    )]
    #[non_exhaustive]
    Lost {
        /// The session.
        session: String,
    },
    /// The session has other records than its writer expects.
    #[error(
        "the session `{session}` was changed meanwhile: it has {found} records, and {expected} were expected; open it again, and \
         repeat what it lacks"
    )]
    #[non_exhaustive]
    Changed {
        /// The session.
        session: String,
        /// The number of records that the writer expects.
        expected: u64,
        /// The number of records in the store.
        found: u64,
    },
    /// The id of a session is empty, longer than 256 bytes, or has control characters.
    #[error(
        "`{session}` is not an id of a session: use 1 to {MAX_ID_BYTES} bytes without control characters"
    )]
    #[non_exhaustive]
    WrongId {
        /// The id, shortened and without control characters.
        session: String,
    },
    /// A session with this id exists.
    #[error("there is a session `{session}` already: choose another id, or delete it first")]
    #[non_exhaustive]
    Exists {
        /// The session.
        session: String,
    },
    /// There is no session with this id.
    #[error("there is no session `{session}`")]
    #[non_exhaustive]
    Missing {
        /// The session.
        session: String,
    },
    /// The cursor of a query is not one of this store.
    #[error("`{cursor}` is not the cursor of a page of this store: use `SessionPage::next` unchanged")]
    #[non_exhaustive]
    WrongCursor {
        /// The cursor, shortened.
        cursor: String,
    },
    /// The text of a query is too long.
    #[error(transparent)]
    SearchTooLong(#[from] SearchTooLong),
    /// There is no space left for the store.
    #[error("the store of sessions is full: {reason}. Free some space, and try again")]
    #[non_exhaustive]
    Full {
        /// What the store says.
        reason: String,
    },
    /// The store can be read only.
    #[error("the store of sessions cannot be written: {reason}. Check its permissions")]
    #[non_exhaustive]
    ReadOnly {
        /// What the store says.
        reason: String,
    },
    /// The store has other content, which another program wrote. It was left as it was.
    #[error("{what} is not a store of onionskin, and was left as it is: use another path")]
    #[non_exhaustive]
    Foreign {
        /// What has the content.
        what: String,
    },
    /// A newer version of onionskin wrote the store or a record.
    #[error(
        "{what} has version {found}, and this program reads version {known}: use the version of onionskin that wrote it, or a later \
         one"
    )]
    #[non_exhaustive]
    Version {
        /// What has the version.
        what: String,
        /// Its version.
        found: u64,
        /// The newest version that this program reads.
        known: u64,
    },
    /// A part of the store cannot be read: it was cut or changed.
    #[error("{what} is damaged: {reason}. Restore it from a copy, or delete it")]
    #[non_exhaustive]
    Corrupt {
        /// The part.
        what: String,
        /// The mistake, without content.
        reason: String,
    },
    /// Sessions were deleted, and the files of the store still have their content.
    #[error(
        "what was deleted is still in {what}: {reason}. Repeat the deletion: when it succeeds, all of it is gone, also if there was \
         nothing more to delete"
    )]
    #[non_exhaustive]
    Remains {
        /// What has the content.
        what: String,
        /// Why it does.
        reason: String,
    },
    /// The store failed in another way.
    #[error("the store of sessions failed: {reason}")]
    #[non_exhaustive]
    Storage {
        /// What the store says.
        reason: String,
    },
}

/// The maximum number of bytes of the id of a session.
pub(super) const MAX_ID_BYTES: usize = 256;

/// For stores.
impl SessionStoreError {
    /// Checks the id of a session.
    ///
    /// # Errors
    /// Returns [`WrongId`](Self::WrongId) for an id that sessions cannot have.
    pub fn check_id(id: &str) -> Result<(), Self> {
        if (1..=MAX_ID_BYTES).contains(&id.len()) && !id.contains(char::is_control) {
            return Ok(());
        }
        let session = id.chars().filter(|letter| !letter.is_control()).take(60).collect();
        Err(Self::WrongId { session })
    }

    /// Another holder has the lease on the session.
    pub fn held(session: &str) -> Self {
        Self::Held { session: session.to_owned() }
    }

    /// The writer does not have the lease on the session.
    pub fn lost(session: &str) -> Self {
        Self::Lost { session: session.to_owned() }
    }

    /// The session has another number of records than the writer expects.
    pub fn changed(session: &str, expected: u64, found: u64) -> Self {
        Self::Changed { session: session.to_owned(), expected, found }
    }

    /// There is no space left.
    pub fn full(reason: impl fmt::Display) -> Self {
        Self::Full { reason: reason.to_string() }
    }

    /// The store can be read only.
    pub fn read_only(reason: impl fmt::Display) -> Self {
        Self::ReadOnly { reason: reason.to_string() }
    }

    /// `what` has the content of another program.
    pub fn foreign(what: impl fmt::Display) -> Self {
        Self::Foreign { what: what.to_string() }
    }

    /// A newer version of onionskin wrote `what`.
    pub fn version(what: impl fmt::Display, found: u64, known: u64) -> Self {
        Self::Version { what: what.to_string(), found, known }
    }

    /// `what` cannot be read.
    pub fn corrupt(what: impl fmt::Display, reason: impl fmt::Display) -> Self {
        Self::Corrupt { what: what.to_string(), reason: reason.to_string() }
    }

    /// What was deleted is still in `what`.
    pub fn remains(what: impl fmt::Display, reason: impl fmt::Display) -> Self {
        Self::Remains { what: what.to_string(), reason: reason.to_string() }
    }

    /// The store failed in another way. `reason` must not quote messages or values of sessions.
    pub fn storage(reason: impl fmt::Display) -> Self {
        Self::Storage { reason: reason.to_string() }
    }

    /// The cursor of a query is not one of this store.
    pub fn wrong_cursor(cursor: &str) -> Self {
        Self::WrongCursor { cursor: onionskin_definitions::text::short(cursor, 60).into_owned() }
    }
}
