//! The tool calls of one model turn, as one operation.

use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use futures_util::future::BoxFuture;
use pin_project_lite::pin_project;

use super::call::{self, ReadyCall};
use super::fate::FateCell;
use super::run::AgentRun;
use crate::args::Args;
use crate::error::{ErrorKind, Exit, ToolError, ToolResult};
use crate::journal::{StepExec, StepId, run_bounded};
use crate::model::{Message, ToolCall, ToolResultMessage};
use crate::onion::caught;
use crate::tool::table::ToolTable;

/// The calls of one turn. Results are kept by call, so a batch that is dropped half way still has one
/// result for each.
pub(super) struct Batch<'r> {
    run: &'r AgentRun,
    turn: u32,
    table: Arc<ToolTable>,
    calls: Vec<Planned>,
    finished: bool,
}

struct Planned {
    call: ToolCall,
    /// The tool, or why nothing can run.
    entry: Result<usize, ToolError>,
    /// How many calls of this tool the run has made, this one included.
    number: u32,
    result: Mutex<Option<ToolResult>>,
    fate: FateCell,
}

/// What became of a batch.
pub(super) struct BatchEnd {
    pub(super) results: Vec<ToolResultMessage>,
    pub(super) end: CallEnd,
    /// The tools that asked for another try, and what each said last. However many calls of one turn ask, the
    /// model has not been told before, so a tool is here once.
    pub(super) retries: Vec<(Arc<str>, String)>,
}

pub(super) enum CallEnd {
    GoOn,
    Answer(String),
}

impl<'r> Batch<'r> {
    pub(super) fn new(run: &'r AgentRun, turn: u32, table: Arc<ToolTable>, calls: Vec<ToolCall>) -> Self {
        let plan = |call: ToolCall| {
            let entry = run.admit_call(&table, &call.name);
            // Numbered here, in call order, so that child instances have the same numbers in every run.
            let number = entry.as_ref().map_or(0, |entry| run.count_call(&table.entry(*entry).name));
            Planned { call, entry, number, result: Mutex::default(), fate: FateCell::default() }
        };
        let calls = calls.into_iter().map(plan).collect();
        Self { run, turn, table, calls, finished: false }
    }

    pub(super) async fn run(&self) {
        // How many go on at once is for each call to see: one that waits for a person has no place (`AgentRun::slot`).
        let limit = self.calls.len().max(1);
        match self.run.cx.journal() {
            None => run_bounded(self.calls.len(), limit, |index| self.call(index)).await,
            Some(journal) => {
                let ids: Vec<_> = (0..self.calls.len()).map(|index| self.step_id(index)).collect();
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

    fn collect(&self) -> BatchEnd {
        let mut end = BatchEnd { results: Vec::new(), end: CallEnd::GoOn, retries: Vec::new() };
        for planned in &self.calls {
            let result = planned.result.lock().unwrap_or_else(PoisonError::into_inner).take();
            let unfinished = || planned.fate.get().unfinished(&self.run.cx);
            self.note(planned, &result.unwrap_or_else(unfinished), &mut end);
        }
        end
    }

    fn note(&self, planned: &Planned, result: &ToolResult, end: &mut BatchEnd) {
        let stop_after =
            planned.entry.as_ref().is_ok_and(|entry| self.table.entry(*entry).definition.stop_after);
        let is_error = result.is_err() && !matches!(result, Err(Exit::Stop(_)));
        let stops = matches!(result, Err(Exit::Stop(_))) || (stop_after && !is_error);
        if let Err(Exit::Tool(error)) = result
            && error.kind() == ErrorKind::Retry
        {
            let (tool, said) = (&planned.call.name, error.to_text().into_owned());
            match end.retries.iter_mut().find(|(other, _)| other == tool) {
                Some((_, last)) => *last = said,
                None => end.retries.push((Arc::clone(tool), said)),
            }
        }
        let content = call::content(result);
        // The first call that ends the run gives its answer, in call order.
        if stops && matches!(end.end, CallEnd::GoOn) {
            end.end = CallEnd::Answer(crate::content::ContentBlock::join(&content).into_owned());
        }
        end.results.push(ToolResultMessage {
            call_id: Arc::clone(&planned.call.id),
            name: Arc::clone(&planned.call.name),
            content,
            is_error,
        });
    }

    fn place(index: usize) -> u32 {
        u32::try_from(index).unwrap_or(u32::MAX - 1) + 1
    }

    fn step_id(&self, index: usize) -> StepId {
        call::step_id(self.run, self.turn, Self::place(index), &self.calls[index].call.name)
    }

    async fn call_one(&self, index: usize) {
        let planned = &self.calls[index];
        let call = ReadyCall {
            run: self.run,
            table: &self.table,
            entry: &planned.entry,
            call: &planned.call,
            turn: self.turn,
            place: Self::place(index),
            number: planned.number,
            fate: &planned.fate,
        };
        let mut args = Args::from(Arc::clone(&planned.call.arguments));
        let result = call.make(&mut args).await;
        // What another call made of this one is told by what became of it.
        if !planned.fate.get().is_anothers(&result) {
            *planned.result.lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
        }
    }
}

impl Drop for Batch<'_> {
    /// A conversation that is dropped half way keeps one result for each call: it may go on.
    fn drop(&mut self) {
        if !self.finished {
            let results = self.collect().results;
            self.run.cx.append(Message::Tool { results });
            self.run.merge_turn(self.turn);
        }
    }
}

pin_project! {
    /// A call that may be dropped half way. What it holds then is dropped here, and a panic of that goes no further: neither the
    /// calls beside it nor the caller of the run can do anything about it.
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
        Box::pin(Contained { call: Some(self.call_one(index)) })
    }
}
