//! The tool calls of one model turn, as one operation.

use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use futures_util::future::{BoxFuture, join_all};
use pin_project_lite::pin_project;

use super::call::{self, Ended, ReadyCall};
use super::fate::FateCell;
use super::run::AgentRun;
use crate::args::Args;
use crate::content::ContentBlock;
use crate::context::ToolTable;
use crate::error::{ErrorKind, ToolError};
use crate::event::CallOutcome;
use crate::journal::{StepExec, StepId};
use crate::model::{Message, ToolCall, ToolResultMessage};
use crate::onion::caught;

/// The calls of one turn. Results are stored by call, so a batch that is dropped half way still has one result for each
/// call.
pub(super) struct Batch<'r> {
    run: &'r AgentRun,
    turn: u32,
    table: Arc<ToolTable>,
    /// The model's message that contains the calls.
    said: Arc<Message>,
    planned: Vec<Planned>,
    finished: bool,
}

struct Planned {
    /// The tool, or the reason why nothing can run.
    entry: Result<usize, ToolError>,
    /// How many calls of this tool the run has made, this one included.
    number: u32,
    ended: Mutex<Option<Ended>>,
    fate: FateCell,
}

/// How a batch ended.
pub(super) struct BatchEnd {
    pub(super) results: Vec<ToolResultMessage>,
    pub(super) end: CallEnd,
    /// The tools that asked for another attempt, each with its last message. The model reads none of these messages
    /// before the turn ends, so each tool is listed once per turn.
    pub(super) retries: Vec<(Arc<str>, String)>,
}

impl BatchEnd {
    /// Adds the next call, in call order.
    fn note(&mut self, call: &ToolCall, stop_after: bool, ended: Ended) {
        let Ended { outcome, content, .. } = ended;
        let is_error = matches!(outcome, CallOutcome::Error(_) | CallOutcome::Abort);
        let stops = outcome == CallOutcome::Stop || (stop_after && !is_error);
        if outcome == CallOutcome::Error(ErrorKind::Retry) {
            let said = ContentBlock::join(&content).into_owned();
            match self.retries.iter_mut().find(|(other, _)| *other == call.name) {
                Some((_, last)) => *last = said,
                None => self.retries.push((Arc::clone(&call.name), said)),
            }
        }
        // The first call that ends the run gives its answer.
        if stops && matches!(self.end, CallEnd::GoOn) {
            self.end = CallEnd::Answer(ContentBlock::join(&content).into_owned());
        }
        let (call_id, name) = (Arc::clone(&call.id), Arc::clone(&call.name));
        self.results.push(ToolResultMessage { call_id, name, content, is_error });
    }
}

pub(super) enum CallEnd {
    GoOn,
    Answer(String),
}

impl<'r> Batch<'r> {
    pub(super) fn new(run: &'r AgentRun, turn: u32, table: Arc<ToolTable>, said: Arc<Message>) -> Self {
        let plan = |call: &ToolCall| {
            // Numbered here, in call order, so that instances of children have the same numbers in every run.
            let (entry, number) = run.admit_call(&table, &call.name);
            Planned { entry, number, ended: Mutex::default(), fate: FateCell::default() }
        };
        let planned = said.tool_calls().iter().map(plan).collect();
        Self { run, turn, table, said, planned, finished: false }
    }

    /// Runs the calls concurrently. Each call takes its own slot ([`AgentRun::slot`]); a call that waits for approval
    /// holds no slot.
    pub(super) async fn run(&self) {
        let all = 0..self.planned.len();
        match self.run.cx.journal() {
            None => drop(join_all(all.map(|index| self.contained(index))).await),
            Some(journal) => {
                let limit = all.len().max(1);
                let ids: Vec<_> = all.map(|index| self.step_id(index)).collect();
                if let Err(error) = journal.batch(&ids, limit, self).await {
                    self.run.cx.abort(&crate::error::Abort::new(error.to_string()));
                }
            }
        }
    }

    /// One result for each call, in call order.
    pub(super) fn finish(mut self) -> BatchEnd {
        self.finished = true;
        self.collect()
    }

    fn collect(&mut self) -> BatchEnd {
        let results = Vec::with_capacity(self.planned.len());
        let mut end = BatchEnd { results, end: CallEnd::GoOn, retries: Vec::new() };
        for (call, planned) in self.said.tool_calls().iter().zip(&mut self.planned) {
            let ended = planned.ended.get_mut().unwrap_or_else(PoisonError::into_inner).take();
            let ended = ended.unwrap_or_else(|| Ended::of(planned.fate.get().unfinished(&self.run.cx)));
            let stop_after =
                planned.entry.as_ref().is_ok_and(|entry| self.table.entry(*entry).definition.stop_after);
            end.note(call, stop_after, ended);
        }
        end
    }

    fn place(index: usize) -> u32 {
        u32::try_from(index).unwrap_or(u32::MAX - 1) + 1
    }

    fn step_id(&self, index: usize) -> StepId {
        call::step_id(self.run, self.turn, Self::place(index), &self.said.tool_calls()[index].name)
    }

    fn contained(&self, index: usize) -> Contained<impl Future<Output = ()> + Send> {
        Contained { call: Some(self.call_one(index)) }
    }

    async fn call_one(&self, index: usize) {
        let (call, planned) = (&self.said.tool_calls()[index], &self.planned[index]);
        let ready = ReadyCall {
            run: self.run,
            table: &self.table,
            entry: &planned.entry,
            call,
            turn: self.turn,
            place: Self::place(index),
            number: planned.number,
            fate: &planned.fate,
        };
        let mut args = Args::from(Arc::clone(&call.arguments));
        // A call that another call's abort ended gets its result from its fate.
        if let Some(ended) = ready.make(&mut args).await.ended() {
            *planned.ended.lock().unwrap_or_else(PoisonError::into_inner) = Some(ended);
        }
    }
}

impl Drop for Batch<'_> {
    /// Keeps one result for each call of a conversation that is dropped half way, so that it can continue.
    fn drop(&mut self) {
        if !self.finished {
            let results = self.collect().results;
            self.run.cx.append(Message::Tool { results });
            self.run.merge_turn(self.turn);
        }
    }
}

pin_project! {
    /// A call that can be dropped half way. Its contents are dropped here, and a panic of that drop is caught: neither
    /// the other calls nor the caller of the run can handle it.
    struct Contained<F> {
        #[pin]
        call: Option<F>,
    }

    impl<F> PinnedDrop for Contained<F> {
        fn drop(this: Pin<&mut Self>) {
            let mut call = this.project().call;
            if let Err(reason) = caught(|| call.set(None)) {
                tracing::error!(reason, "a tool or a hook panicked when its call was cancelled");
            }
        }
    }
}

impl<F: Future> Future for Contained<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        match self.project().call.as_pin_mut() {
            Some(call) => call.poll(context),
            None => Poll::Pending,
        }
    }
}

impl StepExec for Batch<'_> {
    fn call(&self, index: usize) -> BoxFuture<'_, ()> {
        Box::pin(self.contained(index))
    }
}
