//! The lease of a run on its stored session, from its beginning to its end.

use std::sync::Arc;

use tokio::runtime::Handle;
use tokio::task::JoinHandle;

use super::facts::{Pending, StoredAnswer};
use super::journal::LoggedJournal;
use super::{Changes, LogState, NotBegun, ResumedRun, RunLog, SessionError, SessionLog};
use crate::journal::{Journal, MemoryJournal};
use crate::model::History;
use crate::question::{Answer, AnswerError, Paused, Resumption};
use crate::session::{Session, Wait};
use crate::session_store::Change;
use onionskin_definitions::lock::lock;

/// A run that begins in a stored session.
pub struct LoggedRun {
    /// Its id.
    pub run_id: Arc<str>,
    /// The agent.
    pub agent: Arc<str>,
    /// Its user.
    pub user: Option<Arc<str>>,
    /// Whether a journal of the program can replay it, so that it begins where the newest run with its id began.
    pub is_replayable: bool,
}

/// How a run in a stored session ends.
#[derive(Clone)]
pub enum RunEnd {
    /// It has an answer or an error, and its messages are in the session.
    Over,
    /// It waits for answers; `history` is its conversation until then.
    Paused {
        /// The run.
        paused: Paused,
        /// Its conversation.
        history: History,
    },
    /// It continued a run, and failed before it used all answers: it still waits. Its messages are in the session, and
    /// will be removed.
    Waits,
}

/// The run in progress of a stored session. Dropped before its end, it writes the end in a task.
pub struct RunLease {
    session: Session,
    /// The number of the run.
    run: u64,
    renewal: Option<JoinHandle<()>>,
    /// The end to write if it is dropped; `None` if there is none.
    end: Option<RunEnd>,
    is_released: bool,
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
        let mut lease = RunLease::new(self, log).await;
        match lease.begin(log, run, resumption, wait).await {
            Ok(()) => Ok(Some(lease)),
            Err(problem) => {
                lease.release().await;
                Err(problem)
            }
        }
    }
}

impl RunLease {
    /// A lease that is not acquired yet. The end of an earlier run that was dropped does not touch it.
    pub(super) async fn new(session: &Session, log: &SessionLog) -> Self {
        let run = {
            let mut state = log.state.lock().await;
            state.runs += 1;
            state.runs
        };
        Self { session: session.clone(), run, renewal: None, end: None, is_released: false }
    }

    async fn begin(
        &mut self,
        log: &SessionLog,
        run: LoggedRun,
        resumption: &mut Resumption,
        wait: Wait<'_>,
    ) -> Result<(), NotBegun> {
        let session = self.session.clone();
        let count = log.acquire(wait).await?;
        self.renewal = log.renewal(count);
        let mut state = log.state.lock().await;
        // What a run left whose end is not in the log is no change of the program, also for the run after one that fails here.
        let is_left = state.run.is_some();
        log.refresh(&mut state, &session, count).await?;
        let LoggedRun { run_id, agent, user, is_replayable } = run;
        log.check_user(user.as_ref())?;
        let Some(pending) = log.pending_for(resumption)? else {
            if is_replayable {
                log.rewind_replayed(&mut state, &session, &run_id, is_left).await?;
            }
            let mut before = state.written.clone();
            let Changes { changes: first, problem } = before.changes(&session, &session.history(), &[]);
            if let Some(problem) = problem {
                return Err(problem.into());
            }
            let since = state.count + u64::try_from(first.len()).unwrap_or(u64::MAX);
            let began = Some(Change::Began { run_id, agent, user, since });
            state.run = Some(RunLog { began, first, since, before, results: Vec::new(), resumed: None });
            self.end = Some(RunEnd::Over);
            return Ok(());
        };
        if !is_left {
            log.unless_changed(&state, &session, &run_id)?;
        }
        let answers = with_stored(&pending, std::mem::take(&mut resumption.answers))?;
        // The session as it was before the run, whatever an earlier attempt to resume it left.
        log.read(&mut state, &session).await?;
        let since = pending.since;
        let new = answers.iter().filter(|(key, _)| !pending.has_answer(key));
        let new = new.map(|(key, answer)| Change::Answered {
            run_id: Arc::clone(&run_id),
            question: key.clone(),
            hash: pending.paused.hash(key),
            answer: answer.clone(),
        });
        let began = Change::Began { run_id: Arc::clone(&run_id), agent, user, since };
        let (changes, before) = ([began].into_iter().chain(new).collect(), state.written.clone());
        log.append(&mut state, changes, before.clone()).await?;
        let steps = pending.steps.iter().map(|(step, _)| step.clone()).collect();
        let resumed = Some(ResumedRun { steps, messages: pending.messages });
        state.run =
            Some(RunLog { began: None, first: Vec::new(), since, before, results: Vec::new(), resumed });
        (resumption.paused, resumption.answers) = (Some(pending.to_paused()), answers);
        self.end = Some(RunEnd::Waits);
        Ok(())
    }
}

/// The answers that people gave before to questions that are still open, and the new ones.
fn with_stored(pending: &Pending, new: Vec<(String, Answer)>) -> Result<Vec<(String, Answer)>, NotBegun> {
    let open = pending.answers.iter().filter(|stored| pending.is_open(stored));
    let mut answers: Vec<_> = open.map(|stored| (stored.question.clone(), stored.answer.clone())).collect();
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

impl Pending {
    /// Whether a stored answer belongs to an open question, as it is now.
    fn is_open(&self, stored: &StoredAnswer) -> bool {
        self.paused.question(&stored.question).is_some() && self.paused.hash(&stored.question) == stored.hash
    }

    fn has_answer(&self, key: &str) -> bool {
        self.answers.iter().any(|stored| stored.question == key && self.is_open(stored))
    }
}

impl SessionLog {
    fn check_user(&self, user: Option<&Arc<str>>) -> Result<(), SessionError> {
        match &lock(&self.facts).user {
            Some(owner) if user != Some(owner) => {
                Err(SessionError::OtherUser { session: self.id().to_owned() })
            }
            Some(_) | None => Ok(()),
        }
    }

    /// # Errors
    /// Returns an error if a run waits for answers.
    pub(super) fn unless_waiting(&self) -> Result<(), SessionError> {
        self.pending_for(&Resumption::default()).map(drop)
    }

    /// The run that waits in the session, if the request resumes it.
    fn pending_for(&self, resumption: &Resumption) -> Result<Option<Pending>, SessionError> {
        let (session, pending) = (self.id().to_owned(), lock(&self.facts).pending.clone());
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

    /// # Errors
    /// Returns an error if the session has changes that are not in the log, for a run that begins without them.
    fn unless_changed(
        &self,
        state: &LogState,
        session: &Session,
        run_id: &Arc<str>,
    ) -> Result<(), SessionError> {
        let Changes { changes, problem } = state.written.clone().changes(session, &session.history(), &[]);
        if !changes.is_empty() {
            let (session, run_id) = (self.id().to_owned(), run_id.to_string());
            return Err(SessionError::Unstored { session, run_id });
        }
        problem.map_or(Ok(()), |problem| Err(problem.into()))
    }

    /// Returns the session to where the newest run began, if it has this id: a journal replays it from there.
    async fn rewind_replayed(
        &self,
        state: &mut LogState,
        session: &Session,
        run_id: &Arc<str>,
        is_left: bool,
    ) -> Result<(), SessionError> {
        let newest = lock(&self.facts).newest.clone();
        let Some((_, to)) = newest.filter(|(newest, _)| newest == run_id) else { return Ok(()) };
        if !is_left {
            self.unless_changed(state, session, run_id)?;
        }
        let written = state.written.clone();
        self.append(state, vec![Change::Rewound { to }], written).await?;
        self.read(state, session).await
    }

    /// Writes the end of the run in progress. If that fails, what the run left stays known as such.
    async fn end_run(
        &self,
        state: &mut LogState,
        session: &Session,
        end: &RunEnd,
    ) -> Result<(), SessionError> {
        self.end(state, session, end).await?;
        state.run = None;
        Ok(())
    }

    /// Appends the tokens that are not in the log.
    async fn append_usage(&self, state: &mut LogState) -> Result<(), SessionError> {
        let written = state.written.clone();
        Ok(self.append(state, Vec::new(), written).await?)
    }

    /// Writes the end of a run.
    async fn end(&self, state: &mut LogState, session: &Session, end: &RunEnd) -> Result<(), SessionError> {
        self.resolve(state).await?;
        let Some(run) = &state.run else { return self.write(state, session, &session.history()).await };
        let (since, before, resumed) = (run.since, run.before.clone(), run.resumed.as_ref());
        let (mut changes, mut after) = match resumed {
            // What an earlier part of the run left is replaced.
            Some(_) => (vec![Change::Rewound { to: since }], before.clone()),
            None => state.begin_changes(),
        };
        let pending = lock(&self.facts).pending.clone();
        let problem = match (end, resumed) {
            (RunEnd::Over | RunEnd::Waits, None) => {
                return self.write(state, session, &session.history()).await;
            }
            // An append whose future was dropped has written the end.
            (RunEnd::Over | RunEnd::Waits, Some(_)) if pending.is_none() => {
                return self.append_usage(state).await;
            }
            (RunEnd::Over, Some(_)) => {
                let new = after.changes(session, &session.history(), &[]);
                changes.extend(new.changes);
                let run_id = pending.map(|pending| pending.paused.run_id().into());
                changes.extend(run_id.map(|run_id| Change::Resolved { run_id }));
                self.append(state, changes, after).await?;
                new.problem
            }
            (RunEnd::Waits, Some(_)) => {
                let new = after.changes(session, &session.history(), &[]);
                if new.changes.is_empty() {
                    return self.append_usage(state).await;
                }
                changes.extend(new.changes);
                self.append(state, changes, before).await?;
                None
            }
            (RunEnd::Paused { paused, history }, resumed) => {
                let (paused, mut steps) = paused.clone().split_steps();
                if pending.is_some_and(|pending| pending.paused == paused) {
                    return self.append_usage(state).await;
                }
                steps.retain(|(step, _)| resumed.is_none_or(|run| !run.steps.contains(step)));
                let new = after.changes(session, history, state.open_results(history));
                changes.extend(new.changes);
                let (messages, run_id): (_, Arc<str>) = (history.len(), paused.run_id().into());
                changes.push(Change::Paused { paused: Box::new(paused), since, messages });
                changes.extend(steps.into_iter().map(|(step, record)| {
                    let run_id = Arc::clone(&run_id);
                    Change::Step { run_id, step, record }
                }));
                self.append(state, changes, before).await?;
                new.problem
            }
        };
        problem.map_or(Ok(()), |problem| Err(problem.into()))
    }
}

/// For the crates of the runtime.
#[doc(hidden)]
impl RunLease {
    /// The journal of a resumed run: each of its steps is in the log before the run uses it. A run that does not resume
    /// another one keeps its own.
    pub async fn journal(&self, own: Arc<MemoryJournal>) -> Arc<dyn Journal> {
        match self.resumed(|_| ()).await {
            Some(()) => Arc::new(LoggedJournal::new(own, self.session.clone())),
            None => own,
        }
    }

    /// Whether a conversation of this length has more than it had when the run waited. It is `false` for a run that does
    /// not resume another one.
    pub async fn is_past_wait(&self, messages: usize) -> bool {
        self.resumed(|run| messages > run.messages).await.unwrap_or(false)
    }

    async fn resumed<T>(&self, read: impl FnOnce(&ResumedRun) -> T) -> Option<T> {
        let state = self.session.log()?.state.lock().await;
        state.run.as_ref()?.resumed.as_ref().map(read)
    }

    /// Writes the end of the run, and ends the lease.
    ///
    /// Cancel safety: dropping the future writes the end in a task of its own.
    ///
    /// # Errors
    /// Returns an error if the store fails. The session in memory still has all.
    pub async fn end(mut self, end: RunEnd) -> Result<(), SessionError> {
        let session = self.session.clone();
        let Some(log) = session.log() else { return Ok(()) };
        self.end = Some(end.clone());
        let ended = {
            let mut state = log.state.lock().await;
            log.end_run(&mut state, &session, &end).await
        };
        self.release().await;
        ended
    }

    /// Ends the lease, and writes nothing.
    ///
    /// Cancel safety: dropping the future ends the lease in a task of its own.
    pub(super) async fn release(mut self) {
        self.end = None;
        let session = self.session.clone();
        if let Some(log) = session.log() {
            log.release().await;
        }
        self.is_released = true;
    }
}

impl Drop for RunLease {
    fn drop(&mut self) {
        if let Some(renewal) = self.renewal.take() {
            renewal.abort();
        }
        if self.is_released {
            return;
        }
        let (session, number, end) = (self.session.clone(), self.run, self.end.take());
        // Otherwise the lease ends with its time, and the next run writes what this one did.
        let Ok(runtime) = Handle::try_current() else { return };
        runtime.spawn(async move {
            let Some(log) = session.log() else { return };
            let mut state = log.state.lock().await;
            if state.runs != number {
                return;
            }
            if let Some(end) = end {
                let mut ended = log.end_run(&mut state, &session, &end).await;
                if ended.is_ok() && !matches!(end, RunEnd::Over) {
                    // The session as it was before the run.
                    ended = log.read(&mut state, &session).await;
                }
                if let Err(error) = ended {
                    tracing::warn!(session = log.id(), "the end of a run was not stored: {error}");
                }
            }
            log.release().await;
        });
    }
}
