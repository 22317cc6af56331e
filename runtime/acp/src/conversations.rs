//! The sessions of a connection.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use agent_client_protocol::v1::schema::{self, SessionId};
use agent_client_protocol::{Error, ErrorCode};
use onionskin_core::sessions::SessionError;
use onionskin_core::{CancellationToken, Session};
use tokio::sync::Mutex as Turns;

use crate::calls::CallIds;
use crate::open_questions::OpenQuestions;

/// The maximum number of sessions of a connection: each is in memory until the client closes it.
const MAX_SESSIONS: usize = 1_000;

/// A session of the agent, as the client knows it.
pub(crate) struct Conversation {
    pub(crate) id: SessionId,
    pub(crate) session: Session,
    /// The token of the newest prompt. It is cancelled when the prompt has ended, too.
    newest: Mutex<CancellationToken>,
    /// Whether the client cancelled since the newest prompt began.
    is_cancelled: AtomicBool,
    /// One prompt at a time.
    pub(crate) turns: Turns<PromptState>,
}

/// What a prompt leaves for the next one.
#[derive(Default)]
pub(crate) struct PromptState {
    pub(crate) open: Option<OpenQuestions>,
    pub(crate) calls: CallIds,
}

impl Conversation {
    /// A session, with the question of the run that waits in it.
    pub(crate) fn new(session: Session) -> Self {
        let ended = CancellationToken::new();
        ended.cancel();
        let state = PromptState { open: session.paused().map(OpenQuestions::new), calls: CallIds::default() };
        let id = SessionId::new(session.id());
        Self {
            id,
            session,
            newest: Mutex::new(ended),
            is_cancelled: AtomicBool::new(false),
            turns: Turns::new(state),
        }
    }

    /// Begins a prompt, with the token that cancels it.
    ///
    /// # Errors
    /// Returns the protocol's error while another one is in progress, unless it was cancelled.
    pub(crate) fn begin(&self, token: &CancellationToken) -> Result<(), Error> {
        let mut newest = self.newest.lock().unwrap_or_else(PoisonError::into_inner);
        if !newest.is_cancelled() {
            let words =
                "the session answers another prompt: wait for its end, or cancel it with `session/cancel`";
            return Err(Error::new(ErrorCode::INVALID_REQUEST, words));
        }
        *newest = token.clone();
        Ok(())
    }

    /// Cancels the prompt in progress, and what waits for an answer.
    pub(crate) fn cancel(&self) {
        self.is_cancelled.store(true, Ordering::Relaxed);
        self.newest.lock().unwrap_or_else(PoisonError::into_inner).cancel();
    }

    /// Gives up the run that waits, if the client cancelled it after its prompt. Otherwise the next prompt would be its answer.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub(crate) async fn give_up_cancelled(&self, state: &mut PromptState) -> Result<(), SessionError> {
        if self.is_cancelled.swap(false, Ordering::Relaxed) && state.open.take().is_some() {
            self.give_up().await?;
        }
        Ok(())
    }

    /// Gives up the run that waits in the stored session.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub(crate) async fn give_up(&self) -> Result<(), SessionError> {
        if self.session.paused().is_some() { self.session.give_up().await } else { Ok(()) }
    }
}

/// The sessions that the client has begun or loaded.
#[derive(Default)]
pub(crate) struct Conversations(Mutex<HashMap<SessionId, Arc<Conversation>>>);

impl Conversations {
    /// # Errors
    /// As [`Self::check_room`].
    pub(crate) fn insert(&self, session: Session) -> Result<Arc<Conversation>, Error> {
        self.check_room()?;
        let conversation = Arc::new(Conversation::new(session));
        self.all().insert(conversation.id.clone(), Arc::clone(&conversation));
        Ok(conversation)
    }

    /// # Errors
    /// Returns the protocol's error if there are too many sessions.
    pub(crate) fn check_room(&self) -> Result<(), Error> {
        if self.all().len() < MAX_SESSIONS {
            return Ok(());
        }
        let words = format!("the connection has {MAX_SESSIONS} sessions: close some with `session/close`");
        Err(Error::new(ErrorCode::INVALID_REQUEST, words))
    }

    /// # Errors
    /// Returns the protocol's error if there is no such session.
    pub(crate) fn get(&self, id: &SessionId) -> Result<Arc<Conversation>, Error> {
        self.all().get(id).cloned().ok_or_else(|| no_session(id))
    }

    /// # Errors
    /// As [`Self::get`].
    pub(crate) fn remove(&self, id: &SessionId) -> Result<Arc<Conversation>, Error> {
        self.all().remove(id).ok_or_else(|| no_session(id))
    }

    fn all(&self) -> std::sync::MutexGuard<'_, HashMap<SessionId, Arc<Conversation>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(crate) fn no_session(id: &SessionId) -> Error {
    schema::Error::session_not_found(id.clone()).into()
}
