//! One task: its object, its owner, and the events of its turn. A turn begins with a message of the client, and ends when the
//! task has ended or asks.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use onionskin_core::CancellationToken;
use onionskin_core::question::Paused;
use tokio::sync::watch;

use super::contexts::Conversation;
use super::limits::{HISTORY, HISTORY_BYTES};
use crate::wire::{
    Artifact, ArtifactUpdate, Message, Part, Role, StatusUpdate, StreamResponse, Task, TaskState, TaskStatus,
    now,
};

/// The id of the artifact with the answer.
const ANSWER: &str = "answer";

/// A task, shared by the store, its run and the streams of clients.
pub(super) struct TaskCell {
    pub(super) id: String,
    pub(super) conversation: Arc<Conversation>,
    inner: Mutex<Inner>,
}

/// What a task does.
pub(super) enum Work {
    Runs(CancellationToken),
    Waits(Paused),
    Over,
}

struct Inner {
    task: Task,
    work: Work,
    turn: Arc<Turn>,
    bytes: Bytes,
    changed: Changed,
}

/// About how many bytes the parts of a task have.
#[derive(Clone, Copy, Default)]
struct Bytes {
    history: usize,
    answer: usize,
    /// The message of the status.
    status: usize,
    /// The run that waits.
    run: usize,
}

/// When a task got its status.
#[derive(Clone, Copy)]
pub(super) struct Changed {
    pub(super) at: Instant,
    /// Counts the changes of all tasks of a server.
    pub(super) number: u64,
}

/// The events of one turn.
pub(super) struct Turn {
    log: Mutex<Log>,
    count: watch::Sender<usize>,
}

#[derive(Default)]
struct Log {
    events: Vec<Arc<StreamResponse>>,
    is_over: bool,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Turn {
    fn new(task: &Task) -> Arc<Self> {
        let first = StreamResponse { task: Some(task.clone()), ..StreamResponse::default() };
        let log = Log { events: vec![Arc::new(first)], is_over: task.status.state.is_at_rest() };
        Arc::new(Self { log: Mutex::new(log), count: watch::Sender::new(1) })
    }

    /// A turn that is over, in place of one whose events nobody needs any more.
    fn over() -> Arc<Self> {
        let log = Log { events: Vec::new(), is_over: true };
        Arc::new(Self { log: Mutex::new(log), count: watch::Sender::new(0) })
    }

    fn push(&self, event: StreamResponse, is_over: bool) {
        let mut log = lock(&self.log);
        if log.is_over {
            return;
        }
        log.events.push(Arc::new(event));
        log.is_over = is_over;
        self.count.send_replace(log.events.len());
    }

    fn len(&self) -> usize {
        lock(&self.log).events.len()
    }

    /// The events behind the first `read` ones; none at the end of the turn.
    ///
    /// Cancel safety: dropping the future has no effect.
    pub(super) async fn after(&self, read: usize) -> Vec<Arc<StreamResponse>> {
        let mut count = self.count.subscribe();
        loop {
            count.mark_unchanged();
            {
                let log = lock(&self.log);
                let events: Vec<_> = log.events.iter().skip(read).cloned().collect();
                if log.is_over || !events.is_empty() {
                    return events;
                }
            }
            if count.changed().await.is_err() {
                return Vec::new();
            }
        }
    }

    /// Waits for the end of the turn.
    pub(super) async fn ended(&self) {
        let mut count = self.count.subscribe();
        while !lock(&self.log).is_over && count.changed().await.is_ok() {}
    }
}

impl TaskCell {
    /// A task that has been submitted.
    pub(super) fn new(
        id: String,
        conversation: Arc<Conversation>,
        message: Message,
        token: CancellationToken,
        number: u64,
    ) -> Self {
        let status =
            TaskStatus { state: TaskState::Submitted, timestamp: Some(now()), ..TaskStatus::default() };
        let context_id = conversation.context_id().to_owned();
        let mut task = Task { id: id.clone(), context_id, status, ..Task::default() };
        let bytes = Bytes { history: push_history(&mut task, message), ..Bytes::default() };
        let turn = Turn::new(&task);
        let changed = Changed { at: Instant::now(), number };
        let inner = Inner { task, work: Work::Runs(token), turn, bytes, changed };
        Self { id, conversation, inner: Mutex::new(inner) }
    }

    /// The task as it is, and the events that follow.
    pub(super) fn snapshot(&self) -> (Task, Arc<Turn>, usize) {
        let inner = lock(&self.inner);
        (inner.task.clone(), Arc::clone(&inner.turn), inner.turn.len())
    }

    /// The events of the turn in progress, from its beginning.
    pub(super) fn turn(&self) -> Arc<Turn> {
        Arc::clone(&lock(&self.inner).turn)
    }

    pub(super) fn state(&self) -> TaskState {
        lock(&self.inner).task.status.state
    }

    pub(super) fn changed(&self) -> Changed {
        lock(&self.inner).changed
    }

    /// About how many bytes it has.
    pub(super) fn bytes(&self) -> usize {
        let Bytes { history, answer, status, run } = lock(&self.inner).bytes;
        history + answer + status + run
    }

    /// Whether it got its status at this moment or later.
    pub(super) fn is_changed_since(&self, moment: &str) -> bool {
        lock(&self.inner).task.status.timestamp.as_deref() >= Some(moment)
    }

    /// The run that waits for an answer.
    pub(super) fn paused(&self) -> Option<Paused> {
        match &lock(&self.inner).work {
            Work::Waits(paused) => Some(paused.clone()),
            Work::Runs(_) | Work::Over => None,
        }
    }

    /// Begins a turn with a message that answers the questions of a run; `None` if the task does not wait for it.
    pub(super) fn resume(
        &self,
        answered: &Paused,
        message: Message,
        token: CancellationToken,
        number: u64,
    ) -> Option<Arc<Turn>> {
        let mut inner = lock(&self.inner);
        if !matches!(&inner.work, Work::Waits(paused) if paused == answered) {
            return None;
        }
        inner.take_message(message);
        (inner.work, inner.bytes.run) = (Work::Runs(token), 0);
        inner.set(TaskState::Working, None, number);
        inner.turn = Turn::new(&inner.task);
        Some(Arc::clone(&inner.turn))
    }

    /// Has a turn of a message that does not answer the question of a task that waits.
    pub(super) fn refuse(&self, message: Message, reason: Vec<Part>, number: u64) -> Arc<Turn> {
        let mut inner = lock(&self.inner);
        if let Work::Waits(_) = inner.work {
            inner.take_message(message);
            inner.set(TaskState::InputRequired, Some(reason), number);
        }
        Turn::new(&inner.task)
    }

    /// Says that the run of a submitted task works.
    pub(super) fn work(&self, number: u64) {
        if self.state() == TaskState::Submitted {
            self.change(TaskState::Working, None, number, |work| work);
        }
    }

    /// Ends the task. It has no effect on one that has ended.
    pub(super) fn end(&self, state: TaskState, reason: Option<Vec<Part>>, number: u64) {
        self.change(state, reason, number, |_| Work::Over);
    }

    /// Asks the questions of a paused run.
    pub(super) fn ask(&self, paused: Paused, question: Vec<Part>, number: u64) {
        self.change(TaskState::InputRequired, Some(question), number, |_| Work::Waits(paused));
    }

    /// Ends the task for a client or because its time is up, and returns what it did; `None` if it has ended.
    pub(super) fn cancel(&self, number: u64) -> Option<Work> {
        let mut canceled = None;
        self.change(TaskState::Canceled, None, number, |work| {
            canceled = Some(work);
            Work::Over
        });
        canceled
    }

    fn change(
        &self,
        state: TaskState,
        message: Option<Vec<Part>>,
        number: u64,
        work: impl FnOnce(Work) -> Work,
    ) {
        let mut inner = lock(&self.inner);
        if inner.task.status.state.is_terminal() {
            return;
        }
        let before = std::mem::replace(&mut inner.work, Work::Over);
        inner.work = work(before);
        inner.bytes.run = match &inner.work {
            Work::Waits(paused) => serde_json::to_vec(paused).map_or(0, |paused| paused.len()),
            Work::Runs(_) | Work::Over => 0,
        };
        inner.set(state, message, number);
        let Task { id, context_id, status, .. } = &inner.task;
        let update =
            StatusUpdate { task_id: id.clone(), context_id: context_id.clone(), status: status.clone() };
        let event = StreamResponse { status_update: Some(update), ..StreamResponse::default() };
        inner.turn.push(event, state.is_at_rest());
        if state.is_at_rest() {
            // Those who read its events have it.
            inner.turn = Turn::over();
        }
    }

    /// Adds parts to the answer, or replaces it.
    pub(super) fn answer(&self, parts: Vec<Part>, append: bool, last_chunk: bool) {
        let mut inner = lock(&self.inner);
        if inner.task.status.state.is_at_rest() {
            return;
        }
        let artifact =
            Artifact { id: ANSWER.to_owned(), name: Some(ANSWER.to_owned()), parts: parts.clone() };
        match inner.task.artifacts.first_mut() {
            Some(answer) if append => answer.add(parts),
            _ => inner.task.artifacts = vec![artifact.clone()],
        }
        inner.bytes.answer =
            inner.task.artifacts.iter().flat_map(|answer| &answer.parts).map(Part::bytes).sum();
        let Task { id, context_id, .. } = &inner.task;
        let update = ArtifactUpdate {
            task_id: id.clone(),
            context_id: context_id.clone(),
            artifact,
            append,
            last_chunk,
        };
        let event = StreamResponse { artifact_update: Some(update), ..StreamResponse::default() };
        inner.turn.push(event, false);
    }
}

impl Inner {
    /// Sets the status. The message of the one before becomes part of the history.
    fn set(&mut self, state: TaskState, message: Option<Vec<Part>>, number: u64) {
        let message = message.map(|parts| Message {
            id: format!("{}-{number}", self.task.id),
            role: Role::Agent,
            parts,
            context_id: Some(self.task.context_id.clone()),
            task_id: Some(self.task.id.clone()),
            ..Message::default()
        });
        self.bytes.status = message.as_ref().map_or(0, Message::bytes);
        let status = TaskStatus { state, message, timestamp: Some(now()) };
        let before = std::mem::replace(&mut self.task.status, status);
        if let Some(message) = before.message {
            self.take_message(message);
        }
        self.changed = Changed { at: Instant::now(), number };
    }

    fn take_message(&mut self, message: Message) {
        // A question before its answer.
        if message.role == Role::User
            && let Some(question) = self.task.status.message.take()
        {
            push_history(&mut self.task, question);
        }
        self.bytes.history = push_history(&mut self.task, message);
    }
}

/// Adds a message, and removes the oldest ones that are too many. Returns the bytes of the history.
fn push_history(task: &mut Task, message: Message) -> usize {
    task.history.push(message);
    let mut total: usize = task.history.iter().map(Message::bytes).sum();
    while task.history.len() > HISTORY || (total > HISTORY_BYTES && task.history.len() > 1) {
        total -= task.history.remove(0).bytes();
    }
    total
}
