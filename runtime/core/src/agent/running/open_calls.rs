//! The calls of the newest message that have no result in the conversation yet. Until each has one, nothing
//! else is appended, so that no call is separated from its result.

use std::collections::HashMap;
use std::sync::Arc;

use onionskin_tools::context::{CallProgress, RunContext, ToolTable};
use onionskin_tools::event::CallResult;
use onionskin_tools::model::{Message, ToolCall, ToolResultMessage};

use crate::agent::error::misuse::MisuseError;

/// The calls of the newest message.
pub(super) struct OpenCalls {
    said: Arc<Message>,
    /// The tools that the model could call; `None` for a message that was appended.
    table: Option<Arc<ToolTable>>,
    /// The calls' turn, and the number of earlier calls in it.
    at: (u32, u32),
    progress: Progress,
    /// The tools that requested a retry in this turn.
    retried: Vec<Arc<str>>,
}

/// The progress of the calls.
enum Progress {
    None,
    All,
    /// By call.
    Some(Vec<Slot>),
}

enum Slot {
    Open,
    Running,
    Done(ToolResultMessage),
}

/// Calls to run.
pub(super) struct PendingCalls {
    pub(super) said: Arc<Message>,
    pub(super) at: (u32, u32),
    /// The indices of the calls in the message, in ascending order; `None` if they are all.
    pub(super) indices: Option<Vec<usize>>,
}

impl PendingCalls {
    /// The call with this index among these calls.
    pub(super) fn call(&self, index: usize) -> &ToolCall {
        &self.said.tool_calls()[self.in_message(index)]
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &ToolCall> {
        let count = self.indices.as_ref().map_or(self.said.tool_calls().len(), Vec::len);
        (0..count).map(|index| self.call(index))
    }

    /// The turn of a call, and its number in the turn, counted from 1.
    pub(super) fn at(&self, index: usize) -> (u32, u32) {
        let (turn, before) = self.at;
        let number = u32::try_from(self.in_message(index)).unwrap_or(u32::MAX - 1);
        (turn, before.saturating_add(number).saturating_add(1))
    }

    fn in_message(&self, index: usize) -> usize {
        self.indices.as_ref().map_or(index, |indices| indices[index])
    }
}

impl OpenCalls {
    /// The open calls of a message; `None` if it has no calls.
    pub(super) fn new(said: &Arc<Message>, table: Option<Arc<ToolTable>>, at: (u32, u32)) -> Option<Self> {
        let is_open = !said.tool_calls().is_empty();
        is_open.then(|| Self {
            said: Arc::clone(said),
            table,
            at,
            progress: Progress::None,
            retried: Vec::new(),
        })
    }

    fn calls(&self) -> &[ToolCall] {
        self.said.tool_calls()
    }

    /// The table of the turn; `None` if the calls belong to no turn.
    pub(super) fn table(&self) -> Option<Arc<ToolTable>> {
        self.table.clone()
    }

    /// The error for work that must wait for these calls.
    pub(super) fn error(&self) -> MisuseError {
        let open = |index: &usize| match &self.progress {
            Progress::None | Progress::All => true,
            Progress::Some(slots) => !matches!(slots[*index], Slot::Done(_)),
        };
        let index = (0..self.calls().len()).find(open).unwrap_or(0);
        MisuseError::open(&self.calls()[index])
    }

    /// Marks all calls as running.
    pub(super) fn take_all(&mut self) {
        self.progress = Progress::All;
    }

    /// Marks these calls as running.
    pub(super) fn take(&mut self, calls: &[ToolCall]) -> Result<PendingCalls, MisuseError> {
        let (said, at) = (Arc::clone(&self.said), self.at);
        if matches!(self.progress, Progress::None) && *calls == *self.calls() {
            self.take_all();
            return Ok(PendingCalls { said, at, indices: None });
        }
        let mut indices = self.free(calls.iter().map(|call| &call.id))?;
        for (call, index) in calls.iter().zip(&indices) {
            if *call != self.calls()[*index] {
                return Err(MisuseError::ChangedCall { call_id: Arc::clone(&call.id) });
            }
        }
        indices.sort_unstable();
        self.mark(&indices);
        Ok(PendingCalls { said, at, indices: Some(indices) })
    }

    /// Marks the calls that these results answer. Returns the index of each.
    pub(super) fn answer(&mut self, results: &[ToolResultMessage]) -> Result<Vec<usize>, MisuseError> {
        let indices = self.free(results.iter().map(|result| &result.call_id))?;
        self.mark(&indices);
        Ok(indices)
    }

    fn mark(&mut self, indices: &[usize]) {
        let slots = self.slots();
        for index in indices {
            slots[*index] = Slot::Running;
        }
    }

    /// The indices of the calls with these ids, each of which neither has a result nor runs.
    fn free<'i>(&self, ids: impl Iterator<Item = &'i Arc<str>>) -> Result<Vec<usize>, MisuseError> {
        let known: HashMap<_, _> =
            self.calls().iter().enumerate().map(|(index, call)| (&*call.id, index)).collect();
        let mut visited = vec![false; known.len()];
        let index = |id: &Arc<str>| {
            let call_id = || Arc::clone(id);
            let Some(&index) = known.get(&**id) else {
                return Err(MisuseError::UnknownCall { call_id: call_id() });
            };
            let is_free = match &self.progress {
                Progress::None => true,
                Progress::All => false,
                Progress::Some(slots) => matches!(slots[index], Slot::Open),
            };
            if !is_free || std::mem::replace(&mut visited[index], true) {
                return Err(MisuseError::AnsweredCall { call_id: call_id() });
            }
            Ok(index)
        };
        ids.map(index).collect()
    }

    fn slots(&mut self) -> &mut Vec<Slot> {
        if !matches!(self.progress, Progress::Some(_)) {
            self.progress = Progress::Some(self.calls().iter().map(|_| Slot::Open).collect());
        }
        match &mut self.progress {
            Progress::Some(slots) => slots,
            Progress::None | Progress::All => unreachable!("it was just made"),
        }
    }

    /// Adds the results of the calls with these indices. Returns all results when each call has one.
    pub(super) fn put(
        &mut self,
        indices: Option<&[usize]>,
        results: Vec<ToolResultMessage>,
    ) -> Option<Vec<ToolResultMessage>> {
        let Some(indices) = indices else { return Some(results) };
        let slots = self.slots();
        for (index, result) in indices.iter().zip(results) {
            slots[*index] = Slot::Done(result);
        }
        if !slots.iter().all(|slot| matches!(slot, Slot::Done(_))) {
            return None;
        }
        let done = |slot| match slot {
            Slot::Done(result) => Some(result),
            Slot::Open | Slot::Running => None,
        };
        Some(std::mem::take(slots).into_iter().filter_map(done).collect())
    }

    /// All results. A call without one did not run.
    pub(super) fn finish(mut self, run: &RunContext) -> Vec<ToolResultMessage> {
        let slots = std::mem::take(self.slots());
        let result = |(call, slot): (&ToolCall, Slot)| match slot {
            Slot::Done(result) => result,
            Slot::Open | Slot::Running => {
                CallResult::new(Err(CallProgress::NotStarted.unfinished(false, run))).message(call)
            }
        };
        self.calls().iter().zip(slots).map(result).collect()
    }

    /// Records that a tool requested a retry. Returns whether it is the first time in this turn.
    pub(super) fn note_retry(&mut self, tool: &Arc<str>) -> bool {
        let is_new = !self.retried.contains(tool);
        if is_new {
            self.retried.push(Arc::clone(tool));
        }
        is_new
    }
}
