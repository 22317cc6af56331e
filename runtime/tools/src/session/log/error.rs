//! Errors of stored sessions.

use crate::question::{AnswerError, Paused};
use crate::session::{NoTurn, SavedSessionError};
use crate::session_store::SessionStoreError;

/// A stored session could not be opened, read or written.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum SessionError {
    /// The store failed, or the session was changed meanwhile.
    #[error(transparent)]
    Store(#[from] SessionStoreError),
    /// A part of the session cannot be written, or what is stored does not fit the agent.
    #[error(transparent)]
    Content(#[from] SavedSessionError),
    /// The session belongs to another user than the run.
    #[error("the session `{session}` belongs to another user: use a session of the run's user")]
    #[non_exhaustive]
    OtherUser {
        /// The session.
        session: String,
    },
    /// The session has open questions, and the request does not answer them.
    #[error(
        "the session `{session}` waits for answers to its run `{}`: resume that run (`Session::paused`), or give it up \
         (`Session::give_up`)",
        paused.run_id()
    )]
    #[non_exhaustive]
    Waits {
        /// The session.
        session: String,
        /// The run that waits.
        paused: Paused,
    },
    /// The run that the request resumes does not wait in this session: another request resumed it, or gave it up.
    #[error(
        "the run `{run_id}` does not wait in the session `{session}`: it was resumed or given up meanwhile"
    )]
    #[non_exhaustive]
    NotWaiting {
        /// The session.
        session: String,
        /// The run.
        run_id: String,
    },
    /// The run goes on with the session as it was, and the program has changed it since.
    #[error(
        "the session `{session}` has changes that are not stored, and the run `{run_id}` continues without them: `Session::reload` drops them; to keep them, call `Session::give_up` if the run waits, or use another run id"
    )]
    #[non_exhaustive]
    Unstored {
        /// The session.
        session: String,
        /// The run.
        run_id: String,
    },
    /// The session has no such place.
    #[error(
        "the session `{session}` cannot end after {messages} messages: it has {found}, without those of a run that waits, and a call is not split from its results"
    )]
    #[non_exhaustive]
    WrongPlace {
        /// The session.
        session: String,
        /// The number of messages before the place.
        messages: usize,
        /// The number of its messages.
        found: usize,
    },
    /// A run of the session waits for the caller, which waits for the end of the run.
    #[error(
        "the session `{session}` is in use by the run of the caller: a run stores its session by itself; call this after the run"
    )]
    #[non_exhaustive]
    InRun {
        /// The session.
        session: String,
    },
    /// The session is not in a store.
    #[error(
        "the session `{session}` is in no store: open it with `open_session` of an agent with a `session_store`"
    )]
    #[non_exhaustive]
    NotStored {
        /// The session.
        session: String,
    },
}

/// For the crates of the runtime.
#[doc(hidden)]
impl SessionError {
    pub fn not_stored(session: &str) -> Self {
        Self::NotStored { session: session.to_owned() }
    }
}

/// The reason why a run did not begin in a stored session.
pub enum NotBegun {
    /// Another run is in progress.
    NoTurn(NoTurn),
    /// The session cannot be used.
    Session(SessionError),
    /// An answer does not fit.
    Answer(AnswerError),
}

impl<E: Into<SessionError>> From<E> for NotBegun {
    fn from(error: E) -> Self {
        Self::Session(error.into())
    }
}
