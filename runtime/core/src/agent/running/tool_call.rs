//! One tool call of a run: it passes the hooks, and events report its start and its end. `batch.rs` starts
//! the calls of a turn, `turns.rs` the calls that an agent without a loop makes. The agent's onion begins in `onion/attempt.rs`.

use std::convert::Infallible;
use std::error::Error;
use std::future::poll_fn;
use std::iter::successors;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;
use std::time::Instant;

use futures_util::future::BoxFuture;
use onionskin_definitions::args::Args;
use onionskin_definitions::definition::{Effect, ToolSource};
use onionskin_definitions::error::{ErrorKind, Exit, ToolError, ToolResult};
use onionskin_definitions::lock::lock;
use onionskin_definitions::output::ToolOutput;
use onionskin_tools::context::{AbortCause, CallProgress, ToolContext, ToolEntry, ToolTable};
use onionskin_tools::event::{CallOutcome, CallRecord, CallResult, EventKind, HookExit};
use onionskin_tools::journal::{StepKind, StepRef, fingerprint};
use onionskin_tools::model::{ToolCall, redact_name};
use onionskin_tools::onion;
use onionskin_tools::state::Recorded;
use tracing::Instrument as _;

use crate::agent::error::run_error::RunError;

use super::run::AgentRun;
use super::spans::ToolSpan;

/// A counted call, and its end.
pub(super) struct PlannedCall {
    /// The tool, or the reason why the call cannot run.
    pub(super) entry: Result<usize, ToolError>,
    /// The number of calls of this tool in the run, including this one.
    number: u32,
    /// The result, or the progress of a call without one.
    end: Mutex<Result<CallResult, CallProgress>>,
    /// The result that a turn hook gave the call.
    answer: Option<Box<ToolOutput>>,
}

impl PlannedCall {
    pub(super) fn new(entry: Result<usize, ToolError>, number: u32) -> Self {
        Self { entry, number, end: Mutex::new(Err(CallProgress::NotStarted)), answer: None }
    }

    /// A call that is not planned yet.
    pub(super) fn unplanned() -> Self {
        Self::new(Err(ToolError::new("the call was not planned")), 0)
    }

    /// Sets the result from a turn hook.
    pub(super) fn answered(mut self, output: ToolOutput) -> Self {
        self.answer = Some(Box::new(output));
        self
    }

    /// Whether it is refused because of a limit of calls.
    pub(super) fn is_over_limit(&self) -> bool {
        self.entry.as_ref().is_err_and(|error| error.kind() == ErrorKind::Limit)
    }

    /// The result, if there is one.
    pub(super) fn result(&mut self) -> Option<&mut CallResult> {
        self.end.get_mut().unwrap_or_else(PoisonError::into_inner).as_mut().ok()
    }

    /// The result, also for a call that did not finish.
    pub(super) fn take_result(&mut self, run: &AgentRun, table: &ToolTable) -> CallResult {
        let end = self.end.get_mut().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(end, Err(CallProgress::NotStarted))
            .unwrap_or_else(|progress| self.unfinished(progress, run, table))
    }

    /// The result for a call that did not finish.
    fn unfinished(&self, progress: CallProgress, run: &AgentRun, table: &ToolTable) -> CallResult {
        let may_act = self.tool(table).is_some_and(|entry| entry.definition.effect.may_act());
        CallResult::new(Err(progress.unfinished(may_act, &run.cx)))
    }

    /// The tool, if the call has one.
    pub(super) fn tool<'t>(&self, table: &'t ToolTable) -> Option<&'t Arc<ToolEntry>> {
        self.entry.as_ref().ok().map(|entry| table.entry(*entry))
    }

    /// Whether the call waits for a person's answer.
    pub(super) fn is_waiting(&self) -> bool {
        matches!(*lock(&self.end), Err(CallProgress::Waiting))
    }
}

/// One call of a turn, until its end. If its start was reported, its end is reported exactly once, also if it
/// is dropped before its end.
pub(super) struct TurnCall<'r> {
    run: &'r AgentRun,
    table: &'r ToolTable,
    planned: &'r PlannedCall,
    requested: &'r ToolCall,
    /// The call's turn, and its number there, counted from 1.
    at: (u32, u32),
    /// The time of its start, until its end is reported.
    started: Option<Instant>,
    /// The context, while hooks and the tool run.
    cx: Option<ToolContext>,
    progress: CallProgress,
    attempts: u32,
    hook_exits: Vec<HookExit>,
    span: ToolSpan,
}

impl<'r> TurnCall<'r> {
    pub(super) fn new(
        run: &'r AgentRun,
        table: &'r ToolTable,
        planned: &'r PlannedCall,
        requested: &'r ToolCall,
        at: (u32, u32),
    ) -> Self {
        Self {
            run,
            table,
            planned,
            requested,
            at,
            started: None,
            cx: None,
            progress: CallProgress::NotStarted,
            attempts: 0,
            hook_exits: Vec::new(),
            span: ToolSpan::none(),
        }
    }

    /// Runs the call and reports its end.
    pub(super) async fn run_to_end(mut self) {
        let result = self.run(None).await;
        let (run, planned, requested) = (self.run, self.planned, self.requested);
        self.end(result);
        run.store_result(|| lock(&planned.end).as_ref().ok().map(|result| result.message(requested))).await;
    }

    /// Runs the call with these arguments, or with the model's. The transcripts of children are kept for the
    /// run to merge. `None`: the call waits for an answer in a later run.
    ///
    /// Cancel safety: dropping the future and the call ends the call, and events report it as cancelled.
    pub(super) async fn run(&mut self, args: Option<Args>) -> Option<ToolResult> {
        let run = self.run;
        if let Some(answer) = &self.planned.answer {
            self.begin();
            return Some(run.cx.hide(Ok((**answer).clone())));
        }
        let entry = match &self.planned.entry {
            Ok(entry) => self.table.entry(*entry),
            Err(error) => {
                self.begin();
                let refused = error.clone();
                return Some(match run.cx.journal() {
                    None => Err(Exit::Tool(refused)),
                    Some(_) => self.record_refusal(refused).await,
                });
            }
        };
        let permit = run.permit().await;
        let _begun = match run.cx.begun_by() {
            Some(by) => Some(by.begin().await),
            None => None,
        };
        if let Some(abort) = run.cx.aborted() {
            return Some(Err(abort.clone().into()));
        }
        self.begin();
        let (turn, call_number) = self.at;
        let cx = ToolContext::new(
            run.cx.clone(),
            Arc::clone(entry),
            Arc::clone(&self.requested.id),
            turn,
            call_number,
        )
        .with_number(self.planned.number)
        .with_arguments(args.as_ref().map_or_else(|| Arc::clone(&self.requested.arguments), Args::text));
        let cx = &*self.cx.insert(cx);
        if let Some(permit) = permit {
            cx.hold_permit(permit);
        }
        run.cx.watch();
        let mut args = args.unwrap_or_else(|| Args::from(Arc::clone(&self.requested.arguments)));
        cx.definition().attach_to(&mut args);
        if run.cx.can_ask() {
            args.watch();
        }
        // `onion` is the `Seam` of the layers that `agent!` wrote. The call is in a separate block, because a
        // hand-written hook can panic before it returns its future.
        let call = onion::outermost(cx, async {
            if let Some(outside) = run.cx.outer_hooks() {
                outside.around(&*run.instance.onion, cx, &mut args).await
            } else {
                run.instance.onion.call_dyn(cx, &mut args).await
            }
        });
        let answered = {
            let mut call = pin!(call.instrument(self.span.span()));
            let answered = poll_fn(|task| {
                let poll = call.as_mut().poll(task);
                if poll.is_pending() && cx.is_waiting() { Poll::Ready(None) } else { poll.map(Some) }
            });
            match run.cx.journal() {
                None => answered.await,
                Some(_) => {
                    let at = || step(run, self.at, &self.requested.name).to_id();
                    Box::pin(run.cx.strand(at, answered)).await
                }
            }
        };
        let Some(mut result) = answered else {
            self.leave();
            self.progress = CallProgress::Waiting;
            return None;
        };
        if let Err(exit) = &mut result {
            end_for_fault(cx, exit);
        }
        // Hooks can contain secrets too, and the tool can register secrets while it runs.
        let result = run.cx.hide(result);
        self.hook_exits = self.cx.as_mut().map(ToolContext::take_hook_log).unwrap_or_default();
        self.leave();
        Some(result)
    }

    /// Records as a step that the call was refused before its tool. If the tool could run in only one of the
    /// recorded run and the replay, the replay diverges.
    fn record_refusal(&self, refused: ToolError) -> BoxFuture<'_, ToolResult> {
        let name = self.tool();
        Box::pin(async move {
            let cx = &self.run.cx;
            let id = StepRef { attempt: 1, ..step(self.run, self.at, &name) }.to_id();
            let requested = || (Effect::Pure, fingerprint("refused"));
            let record = async || {
                let refused = cx.hide(Err(Exit::Tool(refused)));
                Ok::<_, Infallible>(CallRecord::new(&refused, 0, Recorded::default()))
            };
            match cx.step(id, requested, record).await {
                Ok(record) => record.into_result(),
                Err(never) => match never {},
            }
        })
    }

    /// Ends the call with its result, or without one if another call's abort ended it or it waits for an answer.
    pub(super) fn end(mut self, result: Option<ToolResult>) {
        let end = match result {
            Some(Err(Exit::Abort(_))) if self.progress != CallProgress::Aborted => Err(self.progress),
            Some(result) => Ok(CallResult::new(result)),
            None => Err(self.progress),
        };
        self.close(end);
    }

    /// Reports the start.
    fn begin(&mut self) {
        let entry = self.planned.tool(self.table);
        let tool = self.tool();
        let started = EventKind::tool_started(
            Arc::clone(&self.requested.id),
            Arc::clone(&tool),
            entry.map(|entry| entry.source),
            self.run.shown_arguments(&self.requested.arguments),
        );
        self.span = ToolSpan::begin(self.run, entry.map(|entry| &**entry), &tool, self.requested);
        self.started = Some(Instant::now());
        self.run.cx.events().push(self.step(&tool), started);
    }

    /// Records the progress of the call, and keeps the transcript of a child. The context ends here.
    fn leave(&mut self) {
        let Some(cx) = self.cx.take() else { return };
        self.progress = cx.progress();
        self.attempts = if self.progress == CallProgress::NotStarted { 0 } else { cx.attempt() };
        if cx.runs_on()
            && let Some(by) = self.run.cx.begun_by()
        {
            by.runs_on();
        }
        if let Some(transcript) = cx.take_transcript() {
            self.run.keep_transcript(self.at, transcript);
        }
    }

    /// Reports the end, if the start was reported.
    fn close(&mut self, mut end: Result<CallResult, CallProgress>) {
        let Some(started) = self.started.take() else { return };
        match &mut end {
            Ok(result) => self.report(started, result),
            Err(CallProgress::Waiting) => self.report(started, &mut CallResult::paused()),
            Err(progress) => {
                self.report(started, &mut self.planned.unfinished(*progress, self.run, self.table));
            }
        }
        *lock(&self.planned.end) = end;
    }

    fn report(&mut self, started: Instant, result: &mut CallResult) {
        self.note_acted(result.outcome);
        self.span.end(self.run, self.requested, result, self.attempts);
        let tool = self.tool();
        let finished = result.finished(
            Arc::clone(&self.requested.id),
            Arc::clone(&tool),
            started.elapsed(),
            self.attempts,
            std::mem::take(&mut self.hook_exits),
        );
        self.run.cx.events().push(self.step(&tool), finished);
    }

    /// Notes for the agents above a call that may have changed something. The calls of a child agent note what it did.
    fn note_acted(&self, outcome: CallOutcome) {
        if self.attempts > 0
            && let (Some(acted), Some(entry)) = (self.run.cx.acted(), self.planned.tool(self.table))
            && entry.definition.effect.may_act()
            && entry.source != ToolSource::Agent
        {
            acted.note(&entry.name, outcome);
        }
    }

    /// The tool's name as hooks see it; for an unknown tool the model's name for it, redacted.
    fn tool(&self) -> Arc<str> {
        if let Some(entry) = self.planned.tool(self.table) {
            return Arc::clone(&entry.name);
        }
        let mut name = Arc::clone(&self.requested.name);
        if let Some(redactor) = self.run.cx.concealed().redactor() {
            redact_name(&mut name, &redactor, |name| self.table.find(name).is_some());
        }
        name
    }

    /// The step of the call, under the model's name for the tool; `unknown` is the name of an unknown tool.
    fn step<'s>(&'s self, unknown: &'s Arc<str>) -> StepRef<'s> {
        let name = if self.planned.entry.is_ok() { &self.requested.name } else { unknown };
        step(self.run, self.at, name)
    }
}

impl Drop for TurnCall<'_> {
    fn drop(&mut self) {
        if self.started.is_some() {
            self.leave();
            self.close(Err(self.progress));
        }
    }
}

/// Ends this run too if a tool or a hook ran another agent through its handle and passed on a fault in that
/// agent's script.
#[cold]
fn end_for_fault(cx: &ToolContext, exit: &mut Exit) {
    let Exit::Tool(error) = &exit else { return };
    let mut causes = successors(error.source(), |&cause| cause.source());
    let Some(fault) = causes.find_map(|cause| cause.downcast_ref::<RunError>()?.script_fault()) else {
        return;
    };
    cx.abort_for(AbortCause::Script(fault));
    if let Some(abort) = cx.run().aborted() {
        *exit = abort.clone().into();
    }
}

/// The step of a call as a whole.
pub(super) fn step<'r>(
    run: &'r AgentRun,
    (turn, call_number): (u32, u32),
    name: &'r Arc<str>,
) -> StepRef<'r> {
    StepRef {
        scope: run.cx.scope(),
        turn,
        kind: StepKind::Tool,
        call_number: Some(call_number),
        name: Some(name),
        attempt: 0,
    }
}
