//! The methods of a stored session.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use tokio::sync::MutexGuard;

use super::facts::Pending;
use super::snapshot::Changes;
use super::{LogState, RunLease, SessionError, SessionLog};
use crate::model::UsageByModel;
use crate::question::Paused;
use crate::session::exclusive::Waiting;
use crate::session::{SavedSession, SavedSessionError, Session};
use crate::session_store::{Change, SessionStore, SessionStoreError};
use crate::state::SessionState;
use onionskin_definitions::lock::lock;

/// For programs with stored sessions.
impl Session {
    /// The run that waits for answers in a stored session; `None` if there is none, or if the session is not stored.
    /// Continue it with `AgentHandle::resume`, in this session.
    pub fn paused(&self) -> Option<Paused> {
        lock(&self.log()?.facts).pending.as_ref().map(Pending::to_paused)
    }

    /// The tokens that the runs of a stored session used, children and agent tools included. It is empty for other
    /// sessions.
    pub fn usage(&self) -> UsageByModel {
        self.log().map(|log| lock(&log.facts).usage.clone()).unwrap_or_default()
    }

    /// The user of the first run in a stored session that had one. Runs of other users are refused.
    pub fn user(&self) -> Option<Arc<str>> {
        lock(&self.log()?.facts).user.clone()
    }
}

/// For programs with stored sessions.
impl Session {
    /// Gives up the run that waits for answers in a stored session. The session then has the messages of the run until it
    /// waited, with results which say that nobody answered. Without such a run it has no effect.
    ///
    /// Waits for a run in progress in the session.
    ///
    /// Cancel safety: dropping the future leaves open whether the run was given up.
    ///
    /// # Errors
    /// Returns an error if the session is not stored, or if the store fails.
    pub async fn give_up(&self) -> Result<(), SessionError> {
        self.alone(async |log, state| {
            let Some(pending) = lock(&log.facts).pending.clone() else { return Ok(()) };
            // What the program changed while the run waited.
            let Changes { changes, problem } = state.written.clone().changes(self, &self.history(), &[]);
            let kept = changes
                .into_iter()
                .filter(|change| matches!(change, Change::Value { .. } | Change::State { .. }));
            let changes = pending.give_up().chain(kept).collect();
            let written = state.written.clone();
            log.append(state, changes, written).await?;
            log.read(state, self).await?;
            problem.map_or(Ok(()), |problem| Err(problem.into()))
        })
        .await
    }

    /// Stores what the program changed in the session since its last run, such as values of its state. The next run
    /// stores it too.
    ///
    /// Waits for a run in progress in the session.
    ///
    /// Cancel safety: dropping the future leaves open whether it was stored; the next run stores it then.
    ///
    /// # Errors
    /// Returns an error if the session is not stored, if the store fails, or if a run elsewhere changed the session
    /// meanwhile; [`SessionError::Waits`] if it waits for answers, because the run continues with the session as it was;
    /// [`SessionError::InRun`] in a run of the session.
    pub async fn store(&self) -> Result<(), SessionError> {
        self.alone(async |log, state| {
            log.unless_waiting()?;
            log.write(state, self, &self.history()).await
        })
        .await
    }

    /// Replaces the session by what the store has of it. Changes that were not stored are lost, but not the secrets of its
    /// state.
    ///
    /// Waits for a run in progress in the session.
    ///
    /// Cancel safety: dropping the future leaves the session as it was, or as it is in the store.
    ///
    /// # Errors
    /// Returns an error if the session is not stored, or if the store fails. The session is then unchanged.
    /// [`SessionError::InRun`] in a run of the session.
    pub async fn reload(&self) -> Result<(), SessionError> {
        let log = self.log().ok_or_else(|| SessionError::not_stored(self.id()))?;
        let _turn = self.turn_alone().await?;
        let mut state = log.state.lock().await;
        log.resolve(&mut state).await?;
        log.read(&mut state, self).await?;
        state.run = None;
        Ok(())
    }

    /// The turn for work that is no run.
    async fn turn_alone(&self) -> Result<MutexGuard<'_, ()>, SessionError> {
        if Waiting::here().knows(self) {
            return Err(SessionError::InRun { session: self.id().to_owned() });
        }
        Ok(self.0.turn.lock().await)
    }

    /// Works on the log while no run is in progress.
    async fn alone(
        &self,
        work: impl AsyncFnOnce(&SessionLog, &mut LogState) -> Result<(), SessionError>,
    ) -> Result<(), SessionError> {
        let log = self.log().ok_or_else(|| SessionError::not_stored(self.id()))?;
        let _turn = self.turn_alone().await?;
        let lease = RunLease::new(self, log).await;
        let done = async {
            let count = log.acquire_alone().await?;
            let mut state = log.state.lock().await;
            if state.run.is_some() && lock(&log.facts).pending.is_some() {
                // What an attempt to resume the run left is no change of the program.
                log.resolve(&mut state).await?;
                log.read(&mut state, self).await?;
            }
            state.run = None;
            log.refresh(&mut state, self, count).await?;
            work(log, &mut state).await
        };
        let done = done.await;
        lease.release().await;
        done
    }
}

/// For the crates of the runtime.
#[doc(hidden)]
impl Session {
    /// Puts a new session under an id in a store.
    ///
    /// # Errors
    /// Returns an error if the id is not valid.
    pub fn store_in(&self, store: Arc<dyn SessionStore>, id: Arc<str>) -> Result<(), SessionError> {
        SessionStoreError::check_id(&id)?;
        let _ = self.0.id.set(Arc::clone(&id));
        let _ = self.0.log.set(SessionLog::new(store, id));
        Ok(())
    }

    /// As [`Self::restore`], for what the store has: secrets stay, and states that are not stored too.
    pub(super) fn restore_stored(&self, saved: SavedSession) -> Result<(), SavedSessionError> {
        let kept = self.unstored_states();
        self.restore_with(saved.without(&kept), SessionState::replace_values)
    }

    /// Whether the session was deleted in its store since it was opened.
    pub fn is_deleted(&self) -> bool {
        self.log().is_some_and(|log| log.is_deleted.load(Ordering::Relaxed))
    }

    pub fn log(&self) -> Option<&SessionLog> {
        self.0.log.get()
    }

    /// Reads what the store has of the session, unless the session has a run in progress or something that is not stored.
    ///
    /// # Errors
    /// Returns an error if the store fails, or if what it has does not fit the session.
    pub async fn open(&self) -> Result<(), SessionError> {
        let Some(log) = self.log() else { return Ok(()) };
        let turn = self.0.turn.try_lock();
        let mut state = log.state.lock().await;
        if state.opened.is_some() {
            let is_idle = turn.is_ok() && state.run.is_none() && state.attempt.is_none();
            if !is_idle || state.is_ahead(self) {
                return Ok(());
            }
            if let Some(before) = state.count.checked_sub(1) {
                let newer = log.store.read(log.id(), before).await?;
                // The next run of a session that was deleted says so.
                if newer.len() == 1 || newer.first() != state.last.as_ref() {
                    return Ok(());
                }
            }
        }
        log.read(&mut state, self).await
    }
}
