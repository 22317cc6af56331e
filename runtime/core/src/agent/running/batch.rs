//! Tool calls that run as one operation: all calls of a turn, or some of them. `tool_call.rs` runs each call.

use std::future::{poll_fn, ready};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use futures_util::future::{BoxFuture, join_all};
use onionskin_definitions::boxed::boxed;
use onionskin_definitions::content::ContentBlock;
use onionskin_definitions::error::{ErrorKind, ToolError};
use onionskin_tools::context::{AbortCause, ToolTable};
use onionskin_tools::event::CallOutcome;
use onionskin_tools::event::CallResult;
use onionskin_tools::journal::{JournalError, StepExec, StepId};
use onionskin_tools::model::{History, Message, ToolCall, ToolResultMessage};
use onionskin_tools::onion::{caught, caught_async};
use pin_project_lite::pin_project;

use crate::agent::error::run_error::RunError;

use super::open_calls::PendingCalls;
use super::run::AgentRun;
use super::tool_call::{self, PlannedCall, TurnCall};

/// The message for the model after its children's conversations ([`HistoryMergeTarget::Orchestrator`](crate::agent::HistoryMergeTarget)).
const HAND_BACK: &str =
    "(These were the conversations of the agents that you called. Go on with your own task.)";

impl AgentRun {
    /// Runs calls. Afterwards each of them has a result in every case. The results are added to `collected`.
    pub(super) async fn run_batch(
        &self,
        mut batch: Batch<'_>,
        collected: Option<&mut Vec<ToolResultMessage>>,
    ) -> Result<Option<String>, RunError> {
        let busy = self.busy();
        if self.has_turn_hooks() {
            // A dropped batch also has a result for each call.
            self.unless_over(pin!(boxed(|| batch.plan_through_hooks()))).await??;
        }
        let over = self.unless_over(pin!(boxed(|| batch.run()))).await.err();
        if over.is_none() && self.cx.aborted().is_none() && batch.planned.iter().any(PlannedCall::is_waiting)
        {
            // The conversation of a paused run is dropped: a resumed run recreates it.
            batch.finished = !self.is_only_stopped();
            drop(batch);
            return boxed(|| self.pause(busy)).await;
        }
        if self.has_turn_hooks() && over.is_none() && self.cx.aborted().is_none() {
            self.unless_over(pin!(boxed(|| batch.after_calls()))).await??;
        }
        let (merged, answer) = self.end_batch(batch, over, collected)?;
        if merged && answer.is_none() {
            self.hand_back();
        }
        if self.has_turn_hooks() {
            boxed(|| self.complete_turn()).await?;
        }
        self.store_messages().await?;
        Ok(answer)
    }

    /// Stores the results of calls. Returns whether conversations of children followed them, and the answer of the run, if a
    /// call ended it. A function of its own, whose locals take up no stack of nested runs.
    fn end_batch(
        &self,
        batch: Batch<'_>,
        over: Option<RunError>,
        collected: Option<&mut Vec<ToolResultMessage>>,
    ) -> Result<(bool, Option<String>), RunError> {
        let (merged, end) = batch.finish(collected);
        if let Some(over) = over {
            return Err(over);
        }
        if let Some(aborted) = RunError::from_abort(&self.cx) {
            return Err(aborted);
        }
        for (tool, message) in end.retries {
            let mut tally = self.tally();
            let times = tally.retries_of.entry(Arc::clone(&tool)).or_default();
            *times += 1;
            if *times > self.limits().max_retries {
                return Err(RunError::Retries { tool, times: *times, message });
            }
        }
        Ok((merged, end.answer))
    }

    /// Counts a tool call and finds its tool, or the reason why it cannot run.
    pub(super) fn plan_call(&self, table: &ToolTable, name: &str) -> PlannedCall {
        let refused = |error| PlannedCall::new(Err(error), 0);
        let mut tally = self.tally();
        if let Some(error) = self.limits().refused_call(tally.calls) {
            return refused(error);
        }
        tally.calls += 1;
        match table.find(name) {
            Some(entry) => PlannedCall::new(Ok(entry), tally.count_call(&table.entry(entry).name)),
            None => {
                drop(tally);
                refused(ToolError::new(table.unknown(name)).with_kind(ErrorKind::UnknownTool))
            }
        }
    }

    /// Adds the results of calls. When each call of the message has one, they are appended to the
    /// conversation, followed by the conversations of children. Returns whether there were such
    /// conversations. `retries` keeps the tools that request a retry for the first time in this turn.
    pub(super) fn put_results(
        &self,
        indices: Option<&[usize]>,
        results: Vec<ToolResultMessage>,
        retries: &mut Vec<(Arc<str>, String)>,
    ) -> bool {
        let mut tally = self.tally();
        let Some(open) = &mut tally.open else { return false };
        retries.retain(|(tool, _)| indices.is_none() || open.note_retry(tool));
        let Some(results) = open.put(indices, results) else { return false };
        tally.open = None;
        self.cx.append(Message::tool(results));
        drop(tally);
        self.merge_kept()
    }

    /// The conversation of an ended run. Calls without a result get one that says so.
    pub(in crate::agent) fn closed_messages(&self) -> History {
        let mut tally = self.tally();
        let open = tally.open.take();
        drop(tally);
        if let Some(open) = open {
            self.cx.append(Message::tool(open.finish(&self.cx)));
            self.merge_kept();
        }
        self.messages()
    }

    /// Appends a user message after a merged conversation, which ends with a child's answer. Some providers
    /// reject a request that ends with a message of the assistant, because they treat it as an answer to
    /// continue.
    fn hand_back(&self) {
        let mut conversation = self.cx.conversation();
        if matches!(conversation.last(), Some(Message::Assistant { .. })) {
            conversation.push(Message::by_runtime(HAND_BACK));
        }
    }
}

/// Calls of one message. Results are stored by call, so a batch that is dropped before its end still has one
/// result for each call.
pub(super) struct Batch<'r> {
    run: &'r AgentRun,
    table: Arc<ToolTable>,
    calls: PendingCalls,
    planned: Vec<PlannedCall>,
    /// The calls as turn hooks changed them; empty without turn hooks.
    changed: Vec<ToolCall>,
    finished: bool,
}

impl<'r> Batch<'r> {
    pub(super) fn new(run: &'r AgentRun, table: Arc<ToolTable>, calls: PendingCalls) -> Self {
        // Numbered here, in call order, so that instances of children have the same numbers in every run.
        let plan = |call: &ToolCall| {
            if run.has_turn_hooks() { PlannedCall::unplanned() } else { run.plan_call(&table, &call.name) }
        };
        let planned = calls.iter().map(plan).collect();
        Self { run, table, calls, planned, changed: Vec::new(), finished: false }
    }

    /// Plans the calls, which turn hooks may change, in call order.
    async fn plan_through_hooks(&mut self) -> Result<(), RunError> {
        let mut answers = Vec::with_capacity(self.planned.len());
        for index in 0..self.planned.len() {
            let (turn, _) = self.calls.at(index);
            let (call, answer) = self.run.before_tool_call(turn, self.calls.call(index), &self.table).await?;
            self.changed.push(call);
            answers.push(answer);
        }
        let planned = self.changed.iter().zip(answers).map(|(call, answer)| {
            let planned = self.run.plan_call(&self.table, &call.name);
            match answer {
                // A call that a hook answers counts too: beyond the limit it is refused.
                Some(answer) if !planned.is_over_limit() => planned.answered(answer),
                _ => planned,
            }
        });
        self.planned = planned.collect();
        Ok(())
    }

    /// Passes the results to the turn hooks, in call order.
    async fn after_calls(&mut self) -> Result<(), RunError> {
        for index in 0..self.planned.len() {
            let (turn, _) = self.calls.at(index);
            let call = self.call_to_run(index).clone();
            self.run.after_tool_call(turn, &call, &mut self.planned[index], &self.table).await?;
        }
        Ok(())
    }

    /// The call to run, after the turn hooks.
    fn call_to_run(&self, index: usize) -> &ToolCall {
        self.changed.get(index).unwrap_or_else(|| self.calls.call(index))
    }

    /// Runs the calls concurrently. Each call takes its own permit ([`AgentRun::permit`]); a call that waits for approval
    /// holds no permit.
    pub(super) async fn run(&self) {
        let all = 0..self.planned.len();
        match self.run.cx.journal() {
            None => {
                // A call that ends immediately passes its slot to the next one.
                let (mut waiting, mut free) = (Vec::new(), None);
                for index in all {
                    let mut call = match free.take() {
                        None => boxed(|| self.contained(index)),
                        Some(mut slot) => {
                            Pin::set(&mut slot, self.contained(index));
                            slot
                        }
                    };
                    match poll_fn(|cx| Poll::Ready(call.as_mut().poll(cx))).await {
                        Poll::Ready(()) => free = Some(call),
                        Poll::Pending => waiting.push(call),
                    }
                }
                if !waiting.is_empty() {
                    join_all(waiting).await;
                }
            }
            Some(journal) => {
                let limit = all.len().max(1);
                let ids: Vec<_> = all.map(|index| self.step_id(index)).collect();
                let calls = BatchCalls::new(self);
                let batch = caught_async(async { journal.batch(&ids, limit, &calls).await });
                let done = self.run.cx.around_strands(ids.first(), batch).await;
                let done = done.unwrap_or_else(|words| {
                    Err(calls.wrong(0, &format!("`Journal::batch` panicked: {words}")))
                });
                if let Err(error) = done.and_then(|()| calls.all_begun()) {
                    self.run.cx.abort_for(AbortCause::Journal(error));
                }
            }
        }
    }

    fn contained(&self, index: usize) -> Contained<'_, impl Future<Output = ()> + Send> {
        Contained { call: Some(self.call_one(index)), tool: &self.call_to_run(index).name }
    }

    // Not an `async fn`, whose future would add to the stack of agents that call each other.
    fn call_one(&self, index: usize) -> impl Future<Output = ()> + Send {
        let (requested, at) = (self.call_to_run(index), self.calls.at(index));
        TurnCall::new(self.run, &self.table, &self.planned[index], requested, at).run_to_end()
    }

    /// Stores one result for each call, in call order. Returns whether conversations of children followed the results.
    fn finish(mut self, collected: Option<&mut Vec<ToolResultMessage>>) -> (bool, BatchEnd) {
        self.finished = true;
        let mut end = self.collect();
        if let Some(collected) = collected {
            collected.clone_from(&end.results);
        }
        let results = std::mem::take(&mut end.results);
        let merged = self.run.put_results(self.calls.indices.as_deref(), results, &mut end.retries);
        (merged, end)
    }

    fn collect(&mut self) -> BatchEnd {
        let results = Vec::with_capacity(self.planned.len());
        let mut end = BatchEnd { results, answer: None, retries: Vec::new() };
        for (call, planned) in self.calls.iter().zip(&mut self.planned) {
            let stop_after = planned.tool(&self.table).is_some_and(|entry| entry.definition.stop_after);
            end.note(call, stop_after, &planned.take_result(self.run, &self.table));
        }
        end
    }

    fn step_id(&self, index: usize) -> StepId {
        tool_call::step(self.run, self.calls.at(index), &self.call_to_run(index).name).to_id()
    }
}

/// How a batch ended.
struct BatchEnd {
    results: Vec<ToolResultMessage>,
    /// The answer of the run, if a call ended it.
    answer: Option<String>,
    /// The tools that requested a retry, each with its last message. The model reads none of these messages
    /// before the turn ends, so each tool is listed once per turn.
    retries: Vec<(Arc<str>, String)>,
}

impl BatchEnd {
    /// Adds the next call, in call order.
    fn note(&mut self, call: &ToolCall, stop_after: bool, result: &CallResult) {
        let outcome = result.outcome;
        let message = result.message(call);
        let stops = outcome == CallOutcome::Stop || (stop_after && !message.is_error);
        if outcome == CallOutcome::Error(ErrorKind::Retry) {
            let said = ContentBlock::join(&message.content).into_owned();
            match self.retries.iter_mut().find(|(other, _)| *other == call.name) {
                Some((_, last)) => *last = said,
                None => self.retries.push((Arc::clone(&call.name), said)),
            }
        }
        // The first call that ends the run gives its answer.
        if stops && self.answer.is_none() {
            self.answer = Some(ContentBlock::join(&message.content).into_owned());
        }
        self.results.push(message);
    }
}

impl Drop for Batch<'_> {
    /// Stores one result for each call if the run is dropped before its end, so that the conversation can
    /// continue.
    fn drop(&mut self) {
        if !self.finished {
            let results = self.collect().results;
            self.run.put_results(self.calls.indices.as_deref(), results, &mut Vec::new());
        }
    }
}

pin_project! {
    /// A call that can be dropped before its end. A panic of that drop is caught here, because neither the
    /// other calls nor the caller of the run can handle it.
    struct Contained<'b, F> {
        #[pin]
        call: Option<F>,
        tool: &'b str,
    }

    impl<F> PinnedDrop for Contained<'_, F> {
        fn drop(this: Pin<&mut Self>) {
            let this = this.project();
            let (mut call, tool) = (this.call, *this.tool);
            if caught(|| call.set(None)).is_err() {
                tracing::error!(tool, "a tool or a hook panicked when its call was cancelled");
            }
        }
    }
}

impl<F: Future> Future for Contained<'_, F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        match self.project().call.as_pin_mut() {
            Some(call) => call.poll(context),
            None => Poll::Pending,
        }
    }
}

/// The calls of a batch, for a journal, which runs each of them once.
struct BatchCalls<'b, 'r> {
    batch: &'b Batch<'r>,
    begun: Box<[AtomicBool]>,
}

impl<'b, 'r> BatchCalls<'b, 'r> {
    fn new(batch: &'b Batch<'r>) -> Self {
        Self { batch, begun: batch.planned.iter().map(|_| AtomicBool::new(false)).collect() }
    }

    /// # Errors
    /// Returns an error if the journal left out a call, whose result would say that it was cancelled.
    fn all_begun(&self) -> Result<(), JournalError> {
        match self.begun.iter().position(|begun| !begun.load(Ordering::Relaxed)) {
            Some(index) => Err(self.wrong(index, "`Journal::batch` ended without this call")),
            None => Ok(()),
        }
    }

    fn wrong(&self, index: usize, problem: &str) -> JournalError {
        JournalError::storage(&self.batch.run.cx.journal_step(self.batch.step_id(index)), problem)
    }
}

impl StepExec for BatchCalls<'_, '_> {
    fn call(&self, index: usize) -> BoxFuture<'_, ()> {
        let problem = match self.begun.get(index).map(|begun| begun.swap(true, Ordering::Relaxed)) {
            Some(false) => return Box::pin(self.batch.contained(index)),
            Some(true) => self.wrong(index, "`Journal::batch` ran this call twice"),
            None => self.wrong(0, "`Journal::batch` ran a call beyond the last one; this is the first"),
        };
        self.batch.run.cx.abort_for(AbortCause::Journal(problem));
        Box::pin(ready(()))
    }
}
