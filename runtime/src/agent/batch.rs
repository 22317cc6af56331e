//! The tool calls of one model turn, as one operation.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use futures_util::future::BoxFuture;

use super::event::{CallOutcome, EventKind};
use super::run::AgentRun;
use crate::args::Args;
use crate::context::ToolContext;
use crate::error::{ErrorKind, Exit, ToolError, ToolResult};
use crate::journal::{StepExec, StepId, StepKind, run_bounded};
use crate::model::{ToolCall, ToolResultMessage};
use crate::onion;
use crate::tool::table::ToolTable;

/// The calls of one turn. Results are kept by call, so a batch that is dropped half way still has one
/// result for each.
pub(super) struct Batch<'r> {
    run: &'r AgentRun,
    turn: u32,
    table: Arc<ToolTable>,
    calls: Vec<Planned>,
}

struct Planned {
    call: ToolCall,
    /// The tool, or why nothing can run.
    entry: Result<usize, ToolError>,
    /// How many calls of this tool the run has made, this one included.
    number: u32,
    result: Mutex<Option<ToolResult>>,
    started: Mutex<Option<(Instant, u32)>>,
}

/// What became of a batch.
pub(super) struct BatchEnd {
    pub(super) results: Vec<ToolResultMessage>,
    pub(super) end: CallEnd,
    /// The tool that asked for another try, and what it said.
    pub(super) retry: Option<(Arc<str>, String)>,
}

pub(super) enum CallEnd {
    GoOn,
    Answer(String),
}

impl<'r> Batch<'r> {
    pub(super) fn new(run: &'r AgentRun, turn: u32, table: Arc<ToolTable>, calls: Vec<ToolCall>) -> Self {
        let plan = |call: ToolCall| {
            let entry = match run.admit_call() {
                Err(limit) => Err(ToolError::new(format!("not run: the limit of {limit} is reached"))
                    .with_kind(ErrorKind::Limit)),
                Ok(()) => table.find(&call.name).ok_or_else(|| {
                    ToolError::new(table.unknown(&call.name)).with_kind(ErrorKind::UnknownTool)
                }),
            };
            // Numbered here, in call order, so that child instances have the same numbers in every run.
            let number = entry.as_ref().map_or(0, |entry| run.count_call(&table.entry(*entry).name));
            Planned { call, entry, number, result: Mutex::default(), started: Mutex::default() }
        };
        let calls = calls.into_iter().map(plan).collect();
        Self { run, turn, table, calls }
    }

    pub(super) async fn run(&self) {
        let limit =
            self.run.instance.children.max_parallel.unwrap_or(usize::MAX).min(self.calls.len().max(1));
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
    pub(super) fn finish(self) -> BatchEnd {
        let mut end = BatchEnd { results: Vec::new(), end: CallEnd::GoOn, retry: None };
        for planned in &self.calls {
            let result = planned.result.lock().unwrap_or_else(PoisonError::into_inner).take();
            let result = result.unwrap_or_else(|| {
                let error = ToolError::new("cancelled before it finished").with_kind(ErrorKind::Cancelled);
                let result = Err(Exit::Tool(error));
                self.tell_end(planned, &result);
                result
            });
            self.note(planned, &result, &mut end);
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
            end.retry = Some((Arc::clone(&planned.call.name), error.to_text().into_owned()));
        }
        let content = told(result);
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

    fn call_number(index: usize) -> u32 {
        u32::try_from(index).unwrap_or(u32::MAX - 1) + 1
    }

    fn step_id(&self, index: usize) -> StepId {
        StepId {
            scope: self.run.cx.scope(),
            turn: self.turn,
            kind: StepKind::Tool,
            call: Some(Self::call_number(index)),
            name: Arc::clone(&self.calls[index].call.name),
            attempt: 0,
        }
    }

    async fn call_one(&self, index: usize) {
        let planned = &self.calls[index];
        let call = &planned.call;
        *planned.started.lock().unwrap_or_else(PoisonError::into_inner) = Some((Instant::now(), 0));
        let entry = planned.entry.as_ref().ok().map(|entry| self.table.entry(*entry));
        let started = EventKind::ToolStarted {
            call_id: Arc::clone(&call.id),
            tool: entry.map_or_else(|| Arc::clone(&call.name), |entry| Arc::clone(&entry.name)),
            source: entry.map(|entry| entry.source),
            arguments: Arc::clone(&call.arguments),
        };
        self.run.cx.events().push(|| self.step_id(index), started);
        let result = match &planned.entry {
            Err(error) => Err(Exit::Tool(error.clone())),
            Ok(entry) => {
                let cx = ToolContext::new(
                    self.run.cx.clone(),
                    Arc::clone(&self.table),
                    *entry,
                    Arc::clone(&call.id),
                    self.turn,
                    Self::call_number(index),
                )
                .with_number(planned.number);
                let mut args = Args::from(Arc::clone(&call.arguments));
                let result = onion::outermost(&cx, || self.run.instance.onion.call_dyn(&cx, &mut args)).await;
                if let Some((_, attempts)) =
                    &mut *planned.started.lock().unwrap_or_else(PoisonError::into_inner)
                {
                    *attempts = cx.attempt();
                }
                if let Some(transcript) = cx.take_transcript() {
                    self.run.keep_transcript(self.turn, Self::call_number(index), transcript);
                }
                result
            }
        };
        self.tell_end(planned, &result);
        *planned.result.lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
    }

    /// Tells the end of a call that was told to have begun.
    fn tell_end(&self, planned: &Planned, result: &ToolResult) {
        let started = planned.started.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some((started, attempts)) = started else { return };
        let entry = planned.entry.as_ref().ok().map(|entry| self.table.entry(*entry));
        let tool = entry.map_or_else(|| Arc::clone(&planned.call.name), |entry| Arc::clone(&entry.name));
        let index = self.calls.iter().position(|each| std::ptr::eq(each, planned)).unwrap_or_default();
        self.run.cx.events().push(
            || self.step_id(index),
            EventKind::ToolFinished {
                call_id: Arc::clone(&planned.call.id),
                tool,
                outcome: CallOutcome::of(result),
                content: told(result),
                duration: started.elapsed(),
                attempts,
            },
        );
    }
}

impl StepExec for Batch<'_> {
    fn call(&self, index: usize) -> BoxFuture<'_, ()> {
        Box::pin(self.call_one(index))
    }
}

/// What the model is told of a result.
fn told(result: &ToolResult) -> Vec<crate::content::ContentBlock> {
    match result {
        Ok(output) => output.content().to_vec(),
        Err(Exit::Tool(error)) => error.content().to_vec(),
        Err(Exit::Stop(stop)) => stop.output().content().to_vec(),
        Err(Exit::Abort(abort)) => vec![format!("the run was aborted: {}", abort.reason()).into()],
    }
}
