//! The lease of a run on its stored session, from its beginning to its end.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinHandle;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::content::Pending;
use super::journal::LoggedJournal;
use super::{LogState, NotBegun, RunLog, SessionError, SessionLog};
use crate::journal::{Journal, MemoryJournal};
use crate::model::History;
use crate::question::{Answer, AnswerError, Paused, Resumption};
use crate::session::exclusive::late;
use crate::session::{NoTurn, Session, Wait};
use crate::session_store::{Change, SessionLease, SessionStoreError};
use onionskin_definitions::lock::lock;

/// The pauses between attempts to acquire a lease that another process holds.
const FIRST_PAUSE: Duration = Duration::from_millis(10);
const LONGEST_PAUSE: Duration = Duration::from_millis(250);

/// A run that begins in a stored session.
pub struct LoggedRun {
    /// Its id.
    pub run_id: Arc<str>,
    /// The agent.
    pub agent: Arc<str>,
    /// Its user.
    pub user: Option<Arc<str>>,
}

/// How a run in a stored session ends.
pub enum RunEnd<'e> {
    /// It has an answer or an error, and its messages are in the session.
    Over,
    /// It waits for answers; `history` is its conversation until then.
    Paused {
        /// The run.
        paused: &'e Paused,
        /// Its conversation.
        history: &'e History,
    },
    /// It continued a run, and failed before it used all answers: it still waits. Its messages are in the session, and
    /// will be removed.
    Waits,
}

/// The run in progress of a stored session. Dropped before its end, it writes what the session has.
pub struct RunLease {
    session: Session,
    /// The number of the run.
    run: u64,
    renewal: JoinHandle<()>,
    is_over: bool,
}

/// For the crates of the runtime.
#[doc(hidden)]
impl Session {
    /// Begins a run in the session, which has its turn: acquires the lease, and reads what others changed. A run that
    /// resumes another one gets the stored form of that run, and all answers that people gave. The answers are stored
    /// before this returns. `None`: the session is not stored.
    ///
    /// Cancel safety: dropping the future ends the lease.
    ///
    /// # Errors
    /// Returns an error if another run is in progress until the wait is over, if the session cannot be read, or if the
    /// session waits for answers and the run does not resume that run.
    pub async fn begin_logged(
        &self,
        run: LoggedRun,
        resumption: &mut Resumption,
        wait: Wait<'_>,
    ) -> Result<Option<RunLease>, NotBegun> {
        let Some(log) = self.log() else { return Ok(None) };
        // The end of an earlier run that was dropped does not end the lease of this one.
        log.state.lock().await.runs += 1;
        let count = log.acquire(wait).await?;
        let mut state = log.state.lock().await;
        let lease = RunLease {
            session: self.clone(),
            run: state.runs,
            renewal: tokio::spawn(renew(Arc::clone(&log.store), log.lease.clone())),
            is_over: false,
        };
        state.run = None;
        log.refresh(&mut state, self, count).await?;
        log.check_user(run.user.as_ref())?;
        let LoggedRun { run_id, agent, user } = run;
        let pending = log.pending_for(resumption)?;
        let began = Change::Began { run_id, agent, user };
        let mut before = state.written.clone();
        let (since, first, resumed) = match &pending {
            None => {
                let first = before.changes(self, &self.history(), &[])?;
                (state.count + u64::try_from(first.len()).unwrap_or(u64::MAX), first, None)
            }
            Some(pending) => {
                let steps: HashSet<_> = pending.steps.iter().map(|(step, _)| step.clone()).collect();
                (pending.since, Vec::new(), Some(steps))
            }
        };
        let mut run = RunLog { began: Some(began), first, since, before, results: Vec::new(), resumed };
        if let Some(pending) = pending {
            let answers = with_stored(&pending, std::mem::take(&mut resumption.answers))?;
            let run_id: Arc<str> = pending.paused.run_id().into();
            let new =
                answers.iter().filter(|(key, _)| pending.answers.iter().all(|(stored, _)| stored != key));
            let new = new.map(|(key, answer)| {
                let (run_id, question, answer) = (Arc::clone(&run_id), key.clone(), answer.clone());
                Change::Answered { run_id, question, answer }
            });
            let changes = run.began.take().into_iter().chain(new).collect();
            let written = state.written.clone();
            log.append(&mut state, changes, written).await?;
            (resumption.paused, resumption.answers) = (Some(pending.to_paused()), answers);
        }
        state.run = Some(run);
        drop(state);
        Ok(Some(lease))
    }
}

/// The answers that people gave before, and the new ones.
fn with_stored(pending: &Pending, new: Vec<(String, Answer)>) -> Result<Vec<(String, Answer)>, NotBegun> {
    // Those of questions that are open no more are among the steps.
    let open = pending.answers.iter().filter(|(key, _)| pending.paused.question(key).is_some());
    let mut answers: Vec<_> = open.cloned().collect();
    for (key, answer) in new {
        pending.paused.check(&key, &answer).map_err(NotBegun::Answer)?;
        match answers.iter().find(|(stored, _)| *stored == key) {
            Some((_, stored)) if *stored == answer => {}
            Some(_) => return Err(NotBegun::Answer(AnswerError::Late { key })),
            None => answers.push((key, answer)),
        }
    }
    Ok(answers)
}

/// Renews a lease until the task is aborted.
async fn renew(store: Arc<dyn crate::session_store::SessionStore>, lease: SessionLease) {
    loop {
        sleep(lease.time() / 3).await;
        if let Err(error) = store.acquire(&lease).await {
            // The next record of the run finds out too, and ends it.
            tracing::warn!(session = lease.session(), "the lease on a session was not renewed: {error}");
        }
    }
}

impl SessionLog {
    /// Waits for the lease, and returns the number of records.
    async fn acquire(&self, wait: Wait<'_>) -> Result<u64, NotBegun> {
        let mut pause = FIRST_PAUSE;
        loop {
            match self.store.acquire(&self.lease).await {
                Ok(count) => return Ok(count),
                Err(SessionStoreError::Held { .. }) => {}
                Err(error) => return Err(error.into()),
            }
            let late = late(wait.deadline.clone());
            tokio::select! {
                biased;
                () = wait.token.cancelled() => return Err(NotBegun::NoTurn(NoTurn::Cancelled)),
                limit = late => return Err(NotBegun::NoTurn(NoTurn::Busy(limit))),
                () = sleep(pause) => {}
            }
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    /// As [`Self::acquire`], however long it takes.
    pub(super) async fn acquire_alone(&self) -> Result<u64, SessionError> {
        let token = CancellationToken::new();
        match self.acquire(Wait { deadline: None, token: &token }).await {
            Ok(count) => Ok(count),
            Err(NotBegun::Session(error)) => Err(error),
            Err(NotBegun::NoTurn(_) | NotBegun::Answer(_)) => Err(SessionStoreError::held(self.id()).into()),
        }
    }

    fn check_user(&self, user: Option<&Arc<str>>) -> Result<(), SessionError> {
        let known = lock(&self.known);
        match (&known.user, user) {
            (Some(owner), Some(user)) if owner != user => {
                Err(SessionError::OtherUser { session: self.id().to_owned() })
            }
            _ => Ok(()),
        }
    }

    /// The run that waits in the session, if the request resumes it.
    fn pending_for(&self, resumption: &Resumption) -> Result<Option<Pending>, SessionError> {
        let (session, pending) = (self.id().to_owned(), lock(&self.known).pending.clone());
        match (pending, &resumption.paused) {
            (None, None) => Ok(None),
            (Some(pending), None) => Err(SessionError::Waits { session, paused: pending.to_paused() }),
            (Some(pending), Some(resumed)) if pending.paused.run_id() == resumed.run_id() => {
                Ok(Some(pending))
            }
            (_, Some(resumed)) => {
                Err(SessionError::NotWaiting { session, run_id: resumed.run_id().to_owned() })
            }
        }
    }

    /// Writes the end of a run.
    async fn end(
        &self,
        state: &mut LogState,
        session: &Session,
        end: RunEnd<'_>,
    ) -> Result<(), SessionError> {
        let is_resumed = state.run.as_ref().is_some_and(|run| run.resumed.is_some());
        if matches!(end, RunEnd::Over) && !is_resumed {
            self.write(state, session, &session.history()).await?;
            state.run = None;
            return Ok(());
        }
        let Some(run) = state.run.take() else { return Ok(()) };
        let RunLog { began, first, since, before, results, resumed } = run;
        let (mut changes, mut after) = (Vec::new(), before.clone());
        if resumed.is_some() {
            // What an earlier part of the run left is replaced.
            changes.push(Change::Rewound { to: since });
        } else if began.is_some() {
            changes.extend(first.into_iter().chain(began));
        } else {
            after = state.written.clone();
        }
        match end {
            RunEnd::Over => {
                let history = session.history();
                changes.extend(after.changes(session, &history, &[])?);
                let run_id = lock(&self.known).pending.as_ref().map(|pending| pending.paused.run_id().into());
                changes.extend(run_id.map(|run_id| Change::Settled { run_id }));
                self.append(state, changes, after).await?;
            }
            RunEnd::Waits => {
                let history = session.history();
                let new = after.changes(session, &history, &[])?;
                if !new.is_empty() {
                    changes.extend(new);
                    self.append(state, changes, before).await?;
                }
            }
            RunEnd::Paused { paused, history } => {
                let calls = history.last().map_or(&[][..], |last| last.tool_calls());
                let is_open = |id| calls.iter().any(|call| call.id == id);
                let results: Vec<_> =
                    results.into_iter().filter(|result| is_open(Arc::clone(&result.call_id))).collect();
                changes.extend(after.changes(session, history, &results)?);
                let run_id: Arc<str> = paused.run_id().into();
                let (paused, steps) = paused.clone().split_steps();
                changes.push(Change::Paused { paused: Box::new(paused), since });
                let known = resumed.unwrap_or_default();
                let new = steps.into_iter().filter(|(step, _)| !known.contains(step));
                changes.extend(new.map(|(step, record)| {
                    let run_id = Arc::clone(&run_id);
                    Change::Step { run_id, step, record }
                }));
                self.append(state, changes, before).await?;
            }
        }
        Ok(())
    }
}

/// For the crates of the runtime.
#[doc(hidden)]
impl RunLease {
    /// The journal of a resumed run: each of its steps is in the log before the run uses it. A run that does not resume
    /// another one keeps its own.
    pub async fn journal(&self, own: Arc<MemoryJournal>) -> Arc<dyn Journal> {
        let is_resumed = match self.session.log() {
            Some(log) => log.state.lock().await.run.as_ref().is_some_and(|run| run.resumed.is_some()),
            None => false,
        };
        if is_resumed { Arc::new(LoggedJournal::new(own, self.session.clone())) } else { own }
    }

    /// Writes the end of the run, and ends the lease.
    ///
    /// Cancel safety: dropping the future writes the end in a task of its own.
    ///
    /// # Errors
    /// Returns an error if the store fails. The session in memory still has all.
    pub async fn end(mut self, end: RunEnd<'_>) -> Result<(), SessionError> {
        let Some(log) = self.session.log() else { return Ok(()) };
        self.renewal.abort();
        let mut state = log.state.lock().await;
        let ended = log.end(&mut state, &self.session, end).await;
        state.run = None;
        self.is_over = true;
        log.release().await;
        ended
    }
}

impl SessionLog {
    pub(super) async fn release(&self) {
        if let Err(error) = self.store.release(&self.lease).await {
            tracing::warn!(session = self.id(), "the lease on a session was not released: {error}");
        }
    }
}

impl Drop for RunLease {
    fn drop(&mut self) {
        self.renewal.abort();
        if self.is_over {
            return;
        }
        let (session, number) = (self.session.clone(), self.run);
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        runtime.spawn(async move {
            let Some(log) = session.log() else { return };
            let mut state = log.state.lock().await;
            if state.runs != number {
                return;
            }
            // The answers of a resumed run are in the log, so it is resumed again.
            let is_resumed = state.run.as_ref().is_some_and(|run| run.resumed.is_some());
            let end = if is_resumed { RunEnd::Waits } else { RunEnd::Over };
            if let Err(error) = log.end(&mut state, &session, end).await {
                tracing::warn!(session = log.id(), "the end of a run was not stored: {error}");
            }
            state.run = None;
            log.release().await;
        });
    }
}
