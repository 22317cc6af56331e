//! The tasks of a server, within its limits.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use onionskin_core::CancellationToken;

use super::contexts::Conversation;
use super::limits::ServerLimits;
use super::task::TaskCell;
use crate::wire::{Fault, ListParams, Message, Reason, Task, TaskPage, TaskState, read_moment};

/// The user of a request, as the store compares it.
pub(super) type Owner = Option<Arc<str>>;

/// The tasks in a page of a list, at most, and without a wish of the client.
const PAGE: std::ops::RangeInclusive<usize> = 1..=100;
const DEFAULT_PAGE: usize = 50;

pub(super) struct Store {
    limits: ServerLimits,
    changes: AtomicU64,
    tasks: Mutex<Tasks>,
}

#[derive(Default)]
struct Tasks {
    all: HashMap<String, Arc<TaskCell>>,
    conversations: HashMap<(Owner, String), Weak<Conversation>>,
}

impl Store {
    pub(super) fn new(limits: ServerLimits) -> Self {
        Self { limits, changes: AtomicU64::new(0), tasks: Mutex::default() }
    }

    /// The number of the next change of a task.
    pub(super) fn next(&self) -> u64 {
        self.changes.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// The tasks, without those whose time is up.
    fn lock(&self) -> MutexGuard<'_, Tasks> {
        let mut tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        let ServerLimits { keep, wait, .. } = self.limits;
        tasks.all.retain(|_, task| {
            let (state, since) = (task.state(), task.changed().at.elapsed());
            if state == TaskState::InputRequired && since > wait {
                task.cancel(self.next());
            }
            !(state.is_terminal() && since > keep)
        });
        tasks
    }

    /// A task of this user.
    pub(super) fn find(&self, owner: &Owner, id: &str) -> Result<Arc<TaskCell>, Fault> {
        let task = self.lock().all.get(id).cloned();
        task.filter(|task| task.conversation.owner() == owner.as_ref()).ok_or_else(Fault::task_not_found)
    }

    /// Makes a task of a message, in the context that it names or in a new one.
    pub(super) fn submit(
        &self,
        owner: &Owner,
        mut message: Message,
        token: CancellationToken,
    ) -> Result<Arc<TaskCell>, Fault> {
        let (id, context_id) = (new_id()?, message.context_id.take());
        let context_id = context_id.map_or_else(new_id, Ok)?;
        let mut tasks = self.lock();
        let key = (owner.clone(), context_id.clone());
        let conversation = tasks.conversations.get(&key).and_then(Weak::upgrade);
        let conversation =
            conversation.unwrap_or_else(|| Arc::new(Conversation::new(owner.clone(), context_id.clone())));
        if let Some(open) = conversation.open_task() {
            return Err(Fault::unsupported(format!(
                "the task {} of this context has not ended: answer it with its `taskId`, or cancel it",
                open.id
            )));
        }
        if conversation.add_bytes(0) > self.limits.context_bytes {
            return Err(Fault::unsupported(
                "this context is full: begin another one, without its `contextId`",
            ));
        }
        tasks.make_room_of(owner, 1, &self.limits)?;
        tasks.make_room(&self.limits)?;
        conversation.add_bytes(message.bytes());
        // Contexts without a task leave when the map would grow.
        if tasks.conversations.len() == tasks.conversations.capacity() {
            tasks.conversations.retain(|_, conversation| conversation.strong_count() > 0);
        }
        tasks.conversations.insert(key, Arc::downgrade(&conversation));
        (message.task_id, message.context_id) = (Some(id.clone()), Some(context_id));
        let task =
            Arc::new(TaskCell::new(id.clone(), Arc::clone(&conversation), message, token, self.next()));
        conversation.set_newest(&task);
        tasks.all.insert(id, Arc::clone(&task));
        Ok(task)
    }

    /// Makes room for a message to a task of a user.
    pub(super) fn make_room_of(&self, owner: &Owner) -> Result<(), Fault> {
        self.lock().make_room_of(owner, 0, &self.limits)
    }

    /// A page of the tasks of a user, the most recently changed ones first.
    pub(super) fn list(&self, owner: &Owner, params: &ListParams) -> Result<TaskPage, Fault> {
        let page_size = match params.page_size {
            None => DEFAULT_PAGE,
            Some(size) => usize::try_from(size)
                .ok()
                .filter(|size| PAGE.contains(size))
                .ok_or_else(|| Fault::param("pageSize", "expected 1 to 100"))?,
        };
        let before = match params.page_token.as_deref().filter(|token| !token.is_empty()) {
            None => u64::MAX,
            Some(token) => token
                .parse()
                .map_err(|_| Fault::param("pageToken", "expected the `nextPageToken` of a page"))?,
        };
        let after = match params.status_timestamp_after.as_deref().filter(|text| !text.is_empty()) {
            None => None,
            Some(text) => Some(read_moment(text).ok_or_else(|| {
                Fault::param("statusTimestampAfter", "expected a moment, as RFC 3339 has it")
            })?),
        };
        let history = history_length(params.history_length)?;
        let context_id = params.context_id.as_deref().filter(|id| !id.is_empty());
        let state = params.status.filter(|state| *state != TaskState::Unspecified);
        let is_theirs = |task: &Arc<TaskCell>| {
            task.conversation.owner() == owner.as_ref()
                && context_id.is_none_or(|id| task.conversation.context_id() == id)
                && state.is_none_or(|state| task.state() == state)
                && after.as_deref().is_none_or(|after| task.is_changed_since(after))
        };
        let theirs: Vec<_> = self.lock().all.values().filter(|task| is_theirs(task)).cloned().collect();
        let mut matches: Vec<_> = theirs.iter().map(|task| (task.changed().number, task)).collect();
        matches.sort_by_key(|(number, _)| std::cmp::Reverse(*number));
        let total_size = matches.len();
        matches.retain(|(number, _)| *number < before);
        let more = matches.len() > page_size;
        matches.truncate(page_size);
        let next_page_token = match matches.last() {
            Some((number, _)) if more => number.to_string(),
            _ => String::new(),
        };
        // Only the tasks of the page are copied.
        let tasks = matches.into_iter().map(|(_, task)| {
            let mut task = task.snapshot().0;
            if !params.include_artifacts {
                task.artifacts.clear();
            }
            // A list is short: histories are in it on request alone.
            cut_history(&mut task, history.or(Some(0)));
            task
        });
        Ok(TaskPage { tasks: tasks.collect(), next_page_token, page_size, total_size })
    }
}

impl Tasks {
    /// Removes the oldest tasks of a user that have ended, until there is room for a message and this many new tasks.
    fn make_room_of(&mut self, owner: &Owner, new: usize, limits: &ServerLimits) -> Result<(), Fault> {
        let is_theirs = |task: &Arc<TaskCell>| task.conversation.owner() == owner.as_ref();
        while self.is_full(is_theirs, new, limits.tasks_of_user, limits.stored_bytes_of_user) {
            self.remove_oldest(is_theirs)?;
        }
        Ok(())
    }

    /// Removes the oldest tasks that have ended, until there is room for a new one.
    fn make_room(&mut self, limits: &ServerLimits) -> Result<(), Fault> {
        while self.is_full(|_| true, 1, limits.tasks, limits.stored_bytes) {
            self.remove_oldest(|_| true)?;
        }
        Ok(())
    }

    fn is_full(
        &self,
        is_counted: impl Fn(&Arc<TaskCell>) -> bool,
        new: usize,
        tasks: usize,
        bytes: usize,
    ) -> bool {
        let sizes = self.all.values().filter(|task| is_counted(task)).map(|task| task.bytes());
        let (count, sum) = sizes.fold((0, 0), |(count, sum), bytes| (count + 1, sum + bytes));
        count + new > tasks || sum > bytes
    }

    fn remove_oldest(&mut self, may_leave: impl Fn(&Arc<TaskCell>) -> bool) -> Result<(), Fault> {
        let ended = self.all.values().filter(|task| task.state().is_terminal() && may_leave(task));
        let oldest = ended.min_by_key(|task| task.changed().number).map(|task| task.id.clone());
        let oldest = oldest.ok_or_else(|| {
            Fault::new(Reason::Busy, "too many tasks have not ended: end some of them, or try again later")
        })?;
        self.all.remove(&oldest);
        Ok(())
    }
}

fn new_id() -> Result<String, Fault> {
    crate::wire::new_id().ok_or_else(|| Fault::new(Reason::Internal, "the server cannot make a task now"))
}

/// Reads the number of messages that a client wants of a history.
pub(super) fn history_length(length: Option<i64>) -> Result<Option<usize>, Fault> {
    let length = length.map(|length| {
        usize::try_from(length)
            .map_err(|_| Fault::param("historyLength", "expected a number that is not negative"))
    });
    length.transpose()
}

/// Keeps the newest messages of a history.
pub(super) fn cut_history(task: &mut Task, length: Option<usize>) {
    if let Some(length) = length {
        task.history.drain(..task.history.len().saturating_sub(length));
    }
}
