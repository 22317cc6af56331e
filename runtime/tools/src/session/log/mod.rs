//! The logs of stored sessions. A run of a stored session holds the lease on it, reads what others changed, and
//! appends each message, result and changed value as soon as it has it.

mod content;
mod error;
mod facts;
mod hold;
mod journal;
mod lease;
mod methods;
mod sessions;
mod snapshot;

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use tokio::sync::Mutex as AsyncMutex;

pub use self::error::{NotBegun, SessionError};
pub use self::lease::{LoggedRun, RunEnd, RunLease};
pub use self::sessions::{SessionExport, Sessions, StoredSession};
pub(super) use self::snapshot::PartSnapshot;

use self::content::Content;
use self::facts::Facts;
use self::snapshot::{Changes, Snapshot};
use super::Session;
use crate::model::{History, ToolResultMessage, Usage, UsageByModel};
use crate::session_store::{Change, SessionLease, SessionRecord, SessionStore, SessionStoreError};
use onionskin_definitions::lock::lock;

/// The log of a stored session.
pub struct SessionLog {
    store: Arc<dyn SessionStore>,
    lease: SessionLease,
    state: AsyncMutex<LogState>,
    /// What the newest read or written records say, for readers that do not wait.
    facts: Mutex<Facts>,
    /// Whether the session was deleted since it was opened.
    is_deleted: AtomicBool,
    /// The tokens that are not in the log yet.
    usage: Mutex<UsageByModel>,
}

#[derive(Default)]
struct LogState {
    /// The number of records that this session has read or written, and the newest of them.
    count: u64,
    last: Option<SessionRecord>,
    written: Snapshot,
    /// What a session without records had when it was opened; `None` before it was read.
    opened: Option<Snapshot>,
    /// An append whose outcome is unknown, because its future was dropped.
    attempt: Option<Attempt>,
    /// Whether the session must be read again.
    is_stale: bool,
    /// The run in progress, or one whose end is not in the log.
    run: Option<RunLog>,
    /// The number of the newest run. What an earlier run left does not touch a later one.
    runs: u64,
}

struct Attempt {
    records: Vec<SessionRecord>,
    /// What is written if it took effect.
    after: Snapshot,
}

struct RunLog {
    /// Its first record, until it is written, and what the session had before and the log did not.
    began: Option<Change>,
    first: Vec<Change>,
    /// The number of records before it, and what was written then.
    since: u64,
    before: Snapshot,
    /// The results of calls that are not in the conversation yet.
    results: Vec<ToolResultMessage>,
    /// The run that it continues. Its messages are written at its end.
    resumed: Option<ResumedRun>,
}

/// A run that waited for answers, and goes on.
struct ResumedRun {
    /// The steps in the log.
    steps: HashSet<String>,
    /// The number of messages of its conversation when it waited.
    messages: usize,
}

/// For the crates of the runtime.
#[doc(hidden)]
impl SessionLog {
    /// Notes tokens of the run in progress, or of a run below it. The next record contains them.
    pub fn note_usage(&self, model: Arc<str>, usage: Usage) {
        if usage != Usage::default() {
            lock(&self.usage).add(model, usage);
        }
    }

    /// Appends what the conversation of the run in progress has since.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub async fn note_messages(&self, session: &Session, history: &History) -> Result<(), SessionError> {
        let mut state = self.state.lock().await;
        let Some(run) = &mut state.run else { return Ok(()) };
        if run.resumed.is_some() { Ok(()) } else { self.write(&mut state, session, history).await }
    }

    /// Appends the result of a call of the newest message.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub async fn note_result(
        &self,
        session: &Session,
        history: &History,
        result: ToolResultMessage,
    ) -> Result<(), SessionError> {
        let mut state = self.state.lock().await;
        let Some(run) = &mut state.run else { return Ok(()) };
        run.results.push(result);
        if run.resumed.is_some() { Ok(()) } else { self.write(&mut state, session, history).await }
    }
}

impl LogState {
    /// What a record of the run in progress begins with, and the snapshot that it differs from: the start of the run, if
    /// that is not in the log.
    fn begin_changes(&self) -> (Vec<Change>, Snapshot) {
        match &self.run {
            Some(RunLog { began: Some(began), first, before, .. }) => {
                (first.iter().chain([began]).cloned().collect(), before.clone())
            }
            Some(_) | None => (Vec::new(), self.written.clone()),
        }
    }

    /// Whether the session has something that the log lacks.
    fn is_ahead(&self, session: &Session) -> bool {
        let opened = self.opened.as_ref().filter(|_| self.count == 0);
        let mut log = opened.unwrap_or(&self.written).clone();
        !log.changes(session, &session.history(), &[]).is_empty()
    }

    /// The results of calls of the newest message. Others are in the conversation.
    fn open_results(&mut self, history: &History) -> &[ToolResultMessage] {
        let Some(run) = &mut self.run else { return &[] };
        let calls = history.last().map_or(&[][..], |last| last.tool_calls());
        let calls: HashSet<_> = calls.iter().map(|call| &call.id).collect();
        run.results.retain(|result| calls.contains(&result.call_id));
        &run.results
    }
}

impl SessionLog {
    fn new(store: Arc<dyn SessionStore>, session: Arc<str>) -> Self {
        let lease = SessionLease::new(session, crate::journal::new_id(), store.lease_time());
        Self {
            store,
            lease,
            state: AsyncMutex::default(),
            facts: Mutex::default(),
            is_deleted: AtomicBool::new(false),
            usage: Mutex::default(),
        }
    }

    fn id(&self) -> &str {
        self.lease.session()
    }

    /// Appends records for changes, and for the tokens that are not in the log. `after` is what is written then.
    ///
    /// Cancel safety: the next run finds out whether it took effect.
    async fn append(
        &self,
        state: &mut LogState,
        mut changes: Vec<Change>,
        after: Snapshot,
    ) -> Result<(), SessionStoreError> {
        let usage = std::mem::take(&mut *lock(&self.usage));
        changes.extend((!usage.is_empty()).then(|| Change::Usage { usage: usage.clone() }));
        if changes.is_empty() {
            state.written = after;
            return Ok(());
        }
        let records: Vec<_> = changes.into_iter().map(SessionRecord::now).collect();
        state.attempt = Some(Attempt { records: records.clone(), after });
        let appended = self.store.append(&self.lease, state.count, &records).await;
        let attempt = state.attempt.take();
        if let Err(error) = appended {
            *lock(&self.usage) += &usage;
            return Err(error);
        }
        if let Some(Attempt { records, after }) = attempt {
            self.note(state, &records, after);
        }
        Ok(())
    }

    /// Finds out whether an append took effect whose future was dropped.
    ///
    /// Cancel safety: the outcome stays unknown.
    async fn resolve(&self, state: &mut LogState) -> Result<(), SessionStoreError> {
        if state.attempt.is_none() {
            return Ok(());
        }
        let new = self.store.read(self.id(), state.count).await?;
        let Some(Attempt { records, after }) = state.attempt.take() else { return Ok(()) };
        if new.starts_with(&records) {
            self.note(state, &records, after);
            // The session was to change with it.
            state.is_stale |= records.iter().any(|record| {
                matches!(
                    record.change(),
                    Change::Paused { .. } | Change::Resolved { .. } | Change::Rewound { .. }
                )
            });
        } else {
            for record in records {
                if let Change::Usage { usage } = record.change() {
                    *lock(&self.usage) += usage;
                }
            }
        }
        Ok(())
    }

    /// Notes that records are in the log.
    fn note(&self, state: &mut LogState, records: &[SessionRecord], after: Snapshot) {
        state.count += u64::try_from(records.len()).unwrap_or(u64::MAX);
        state.last = records.last().cloned();
        state.written = after;
        let mut facts = lock(&self.facts);
        records.iter().map(SessionRecord::change).for_each(|change| facts.note(change));
    }

    /// Reads the whole log into the session.
    async fn read(&self, state: &mut LogState, session: &Session) -> Result<(), SessionError> {
        let records = self.store.read(self.id(), 0).await?;
        let last = state.count.checked_sub(1).and_then(|last| records.get(usize::try_from(last).ok()?));
        if state.count > 0 && last != state.last.as_ref() {
            return Err(self.deleted());
        }
        let last = records.last().cloned();
        let Content { own, threads, facts, count } = Content::new(records);
        if count > 0 {
            let threads: Result<_, _> = threads
                .into_iter()
                .map(|(key, part)| Ok::<_, SessionError>((key, part.into_saved()?)))
                .collect();
            let threads = threads?;
            session.restore_stored(own.into_saved()?)?;
            session.threads().replace(threads);
        }
        let (written, opened) = match count {
            0 => (Snapshot::default(), Some(Snapshot::all(session))),
            _ => (Snapshot::all(session), Some(Snapshot::default())),
        };
        let (run, runs) = (state.run.take(), state.runs);
        *state = LogState { count, last, written, opened, attempt: None, is_stale: false, run, runs };
        *lock(&self.facts) = facts;
        self.is_deleted.store(false, Ordering::Relaxed);
        Ok(())
    }

    /// The session was deleted, and perhaps another one has its id. What was deleted must not be written again.
    fn deleted(&self) -> SessionError {
        self.is_deleted.store(true, Ordering::Relaxed);
        SessionStoreError::Missing { session: self.id().to_owned() }.into()
    }

    /// Reads the log if others changed it. `count` is the number of its records.
    async fn refresh(&self, state: &mut LogState, session: &Session, count: u64) -> Result<(), SessionError> {
        self.resolve(state).await?;
        if state.is_stale {
            return self.read(state, session).await;
        }
        if state.count == count {
            if let Some(before) = count.checked_sub(1) {
                let newest = self.store.read(self.id(), before).await?;
                if newest.first() != state.last.as_ref() {
                    return Err(self.deleted());
                }
            }
            return Ok(());
        }
        // Nothing that only this process has may be lost.
        if state.is_ahead(session) && count >= state.count {
            return Err(SessionStoreError::changed(self.id(), state.count, count).into());
        }
        self.read(state, session).await
    }

    /// Appends all that the session has and the log does not.
    async fn write(
        &self,
        state: &mut LogState,
        session: &Session,
        history: &History,
    ) -> Result<(), SessionError> {
        self.resolve(state).await?;
        let (mut changes, mut after) = state.begin_changes();
        let content = after.changes(session, history, state.open_results(history));
        let is_only_begun =
            content.is_empty() && changes.iter().all(|change| matches!(change, Change::Began { .. }));
        if is_only_begun && lock(&self.usage).is_empty() {
            return Ok(());
        }
        changes.extend(content.changes);
        self.append(state, changes, after).await?;
        if let Some(run) = &mut state.run {
            run.began = None;
        }
        content.problem.map_or(Ok(()), |problem| Err(problem.into()))
    }
}
