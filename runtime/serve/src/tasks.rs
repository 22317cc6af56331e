//! Calls that take long, as tasks: the client gets an id at once, asks for the state of the task, answers its questions, and can cancel it.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use onionskin_core::CancellationToken;
use rmcp::model::{DetailedTask, InputRequests, InputResponses, Task, TaskPayload, TaskStatus};
use tokio::sync::oneshot;

use crate::calls::RunningCall;
use crate::user::User;

/// The maximum number of tasks, those that have ended too. Beyond it, and beyond that of a user, a call stays a call.
const MAX_TASKS: usize = 4096;
const MAX_OF_USER: usize = 1024;
/// The time from its begin in which a client can get a task.
pub(crate) const TTL: Duration = Duration::from_hours(24);
/// The time that a client has for the result of a task that has ended.
const RESULT_TTL: Duration = Duration::from_hours(1);
/// The pause between two requests of a client for the state.
const POLL: Duration = Duration::from_secs(1);

/// The tasks of a server.
#[derive(Default)]
pub(crate) struct Tasks {
    entries: Mutex<HashMap<String, Entry>>,
    /// Held while a task of an earlier process begins again, so that it begins once.
    pub(crate) restoring: tokio::sync::Mutex<()>,
    /// Cancelled with the server.
    pub(crate) end: CancellationToken,
}

struct Entry {
    user: Option<User>,
    begun: Instant,
    /// The time from the begin to the removal.
    ttl: Duration,
    task: Task,
    state: State,
    cancel: CancellationToken,
    /// The names of questions that the client was asked. None is used twice.
    asked: HashSet<String>,
}

enum State {
    Working,
    Waiting(Waiting),
    Ended(TaskPayload),
}

/// A task that waits for answers.
struct Waiting {
    /// The open questions, by the names that the client knows.
    requests: InputRequests,
    /// What it answered.
    responses: InputResponses,
    wake: oneshot::Sender<Answered>,
}

/// What continues a task: a response to each of its questions, and the place of the call among those in progress.
pub(crate) type Answered = (InputResponses, RunningCall);

/// The reason why a client cannot have a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Missing {
    /// There is no such task of the user.
    Unknown,
    /// All answers are there, and there are too many calls to continue it.
    Busy,
}

impl Tasks {
    /// Adds a task of a user, unless there are too many. The token cancels it.
    pub(crate) fn add(&self, id: &str, user: Option<&User>) -> Option<(Task, CancellationToken)> {
        let mut entries = self.entries();
        if entries.len() >= MAX_TASKS || user.is_some() && tasks_of(&entries, user) >= MAX_OF_USER {
            entries.retain(|_, entry| entry.begun.elapsed() < entry.ttl);
        }
        if entries.len() >= MAX_TASKS || user.is_some() && tasks_of(&entries, user) >= MAX_OF_USER {
            return None;
        }
        let now = timestamp();
        let task = Task::new(id, TaskStatus::Working, now.clone(), now)
            .with_ttl_ms(millis(TTL))
            .with_poll_interval_ms(millis(POLL));
        let cancel = self.end.child_token();
        let entry = Entry {
            user: user.cloned(),
            begun: Instant::now(),
            ttl: TTL,
            task: task.clone(),
            state: State::Working,
            cancel: cancel.clone(),
            asked: HashSet::new(),
        };
        entries.insert(id.to_owned(), entry);
        Some((task, cancel))
    }

    /// Whether there is a task with this id, of whatever user.
    pub(crate) fn is_known(&self, id: &str) -> bool {
        self.entries().contains_key(id)
    }

    /// Removes a task that was not announced.
    pub(crate) fn remove(&self, id: &str) {
        self.entries().remove(id);
    }

    /// The state of a task.
    pub(crate) fn get(&self, id: &str, user: Option<&User>) -> Option<DetailedTask> {
        self.with(id, user, |entry| {
            let payload = match &entry.state {
                State::Working => TaskPayload::Working,
                State::Waiting(waiting) => {
                    TaskPayload::InputRequired { input_requests: waiting.requests.clone() }
                }
                State::Ended(payload) => payload.clone(),
            };
            DetailedTask::new(entry.task.clone(), payload)
        })
    }

    /// Cancels a task. One that has ended stays as it is. Returns whether it was cancelled.
    pub(crate) fn cancel(&self, id: &str, user: Option<&User>) -> Option<bool> {
        self.with(id, user, |entry| {
            let is_running = !matches!(entry.state, State::Ended(_));
            if is_running {
                entry.cancel.cancel();
                entry.end(TaskPayload::Cancelled);
            }
            is_running
        })
    }

    /// Gives a task the responses of its client. Those that it does not wait for are ignored. `begin` begins the call that continues.
    ///
    /// # Errors
    /// Returns an error if there is no such task of the user, or if it cannot continue now.
    pub(crate) fn answer(
        &self,
        id: &str,
        user: Option<&User>,
        responses: InputResponses,
        begin: impl FnOnce() -> Option<RunningCall>,
    ) -> Result<(), Missing> {
        let answered = self.with(id, user, |entry| {
            let State::Waiting(waiting) = &mut entry.state else { return Ok(()) };
            for (name, response) in responses {
                if waiting.requests.remove(&name).is_some() {
                    waiting.responses.insert(name, response);
                }
            }
            if !waiting.requests.is_empty() {
                entry.touch();
                return Ok(());
            }
            let Some(running) = begin() else {
                return Err(Missing::Busy);
            };
            if let State::Waiting(waiting) = std::mem::replace(&mut entry.state, State::Working) {
                // A task that was cancelled meanwhile reads nothing.
                let _ = waiting.wake.send((waiting.responses, running));
            }
            entry.touch();
            Ok(())
        });
        answered.unwrap_or(Err(Missing::Unknown))
    }

    /// Makes a task wait for answers. `None` if it has ended meanwhile.
    pub(crate) fn wait(&self, id: &str, requests: InputRequests) -> Option<oneshot::Receiver<Answered>> {
        let mut entries = self.entries();
        let entry = entries.get_mut(id).filter(|entry| !matches!(entry.state, State::Ended(_)))?;
        entry.asked.extend(requests.keys().cloned());
        let (wake, answered) = oneshot::channel();
        entry.state = State::Waiting(Waiting { requests, responses: InputResponses::new(), wake });
        entry.touch();
        Some(answered)
    }

    /// The name of a question of a task: this one, with a number if the client was asked by it before.
    pub(crate) fn new_name(&self, id: &str, name: String) -> String {
        match self.entries().get(id) {
            Some(entry) if entry.asked.contains(&name) => format!("{name}#{}", entry.asked.len() + 1),
            Some(_) | None => name,
        }
    }

    /// Says what a task does.
    pub(crate) fn note(&self, id: &str, message: String) {
        if let Some(entry) = self.entries().get_mut(id) {
            entry.task.status_message = Some(message);
            entry.touch();
        }
    }

    /// Ends a task. One that has ended stays as it is.
    pub(crate) fn end(&self, id: &str, payload: TaskPayload) {
        if let Some(entry) = self.entries().get_mut(id) {
            entry.end(payload);
        }
    }

    fn with<T>(&self, id: &str, user: Option<&User>, act: impl FnOnce(&mut Entry) -> T) -> Option<T> {
        let mut entries = self.entries();
        if entries.get(id)?.begun.elapsed() >= entries.get(id)?.ttl {
            entries.remove(id);
        }
        let entry = entries.get_mut(id).filter(|entry| entry.user.as_ref() == user)?;
        Some(act(entry))
    }

    fn entries(&self) -> std::sync::MutexGuard<'_, HashMap<String, Entry>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn tasks_of(entries: &HashMap<String, Entry>, user: Option<&User>) -> usize {
    entries.values().filter(|entry| entry.user.as_ref() == user).count()
}

impl Entry {
    fn end(&mut self, payload: TaskPayload) {
        if !matches!(self.state, State::Ended(_)) {
            self.state = State::Ended(payload);
            self.task.status_message = None;
            self.ttl = self.ttl.min(self.begun.elapsed() + RESULT_TTL);
            self.task.ttl_ms = Some(millis(self.ttl));
            self.touch();
        }
    }

    fn touch(&mut self) {
        self.task.last_updated_at = timestamp();
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// The time in UTC as ISO 8601 has it.
fn timestamp() -> String {
    rmcp::task_manager::current_timestamp()
}
