//! One tool call of a run: it passes the hooks, and events report its start and its end. `turns.rs` makes the calls of a
//! turn. The agent's onion begins in `onion/dynamic.rs`.

use std::sync::Arc;
use std::time::Instant;

use super::fate::{FateCell, FateGuard};
use super::run::AgentRun;
use crate::args::Args;
use crate::content::ContentBlock;
use crate::context::{ToolContext, ToolTable};
use crate::error::{Exit, ToolError, ToolResult};
use crate::event::{CallOutcome, EventKind, HookExit};
use crate::journal::{StepId, StepKind};
use crate::model::ToolCall;
use crate::onion;
use crate::output::{StructuredContent, ToolOutput};
use crate::spec::error_chain;

/// A counted call with its tool.
pub(super) struct AdmittedCall {
    /// The tool, or the reason why nothing can run.
    pub(super) entry: Result<usize, ToolError>,
    /// How many calls of this tool the run has made, this one included.
    pub(super) number: u32,
}

impl AdmittedCall {
    pub(super) fn refused(error: ToolError) -> Self {
        Self { entry: Err(error), number: 0 }
    }
}

/// A call that is ready to run.
pub(super) struct ReadyCall<'r> {
    pub(super) run: &'r AgentRun,
    pub(super) table: &'r Arc<ToolTable>,
    pub(super) admitted: &'r AdmittedCall,
    pub(super) call: &'r ToolCall,
    pub(super) turn: u32,
    /// The call's position in its turn, counted from 1.
    pub(super) index_in_turn: u32,
    /// Records how far the call came.
    pub(super) fate: &'r FateCell,
}

impl<'r> ReadyCall<'r> {
    /// Runs the call with these arguments, or with those that the model wrote. The transcripts of children are kept for
    /// the run to merge.
    ///
    /// Cancel safety: dropping the future ends the call, and events report it as cancelled.
    pub(super) async fn make(self, args: Option<Args>) -> FinishedCall<'r> {
        let entry = match &self.admitted.entry {
            Ok(entry) => *entry,
            Err(error) => {
                return FinishedCall {
                    result: Err(Exit::Tool(error.clone())),
                    reported: Some(self.begin()),
                    hook_exits: Vec::new(),
                };
            }
        };
        let permit = self.run.permit().await;
        let _begun = match self.run.cx.begun_by() {
            Some(by) => Some(by.begin().await),
            None => None,
        };
        if let Some(abort) = self.run.cx.aborted() {
            return FinishedCall {
                result: Err(abort.clone().into()),
                reported: None,
                hook_exits: Vec::new(),
            };
        }
        let reported = self.begin();
        let cx = ToolContext::new(
            self.run.cx.clone(),
            Arc::clone(self.table.entry(entry)),
            Arc::clone(&self.call.id),
            self.turn,
            self.index_in_turn,
        )
        .with_number(self.admitted.number);
        cx.hold_permit(permit);
        let mut guard = FateGuard { run: self.run, at: (self.turn, self.index_in_turn), cx, fate: self.fate };
        let cx = &guard.cx;
        self.run.cx.watch();
        let mut args = args.unwrap_or_else(|| Args::from(Arc::clone(&self.call.arguments)));
        args.attach_schema(&cx.definition().input_schema);
        // `onion` is the `Seam` of the layers that `agent!` wrote. The call is in a block of its own, because a
        // hand-written hook can panic before it returns its future.
        let result =
            onion::outermost(cx, async { self.run.instance.onion.call_dyn(cx, &mut args).await }).await;
        // Hooks can hold secrets too, and the tool can register secrets while it runs.
        let result = self.run.cx.hide(result);
        let hook_exits = guard.cx.take_hook_log();
        drop(guard);
        FinishedCall { result, reported: Some(reported), hook_exits }
    }

    fn begin(&self) -> ReportedCall<'r> {
        let entry = self.admitted.entry.as_ref().ok().map(|entry| self.table.entry(*entry));
        let reported = ReportedCall {
            run: self.run,
            call: self.call,
            at: (self.turn, self.index_in_turn),
            tool: entry.map_or(&self.call.name, |entry| &entry.name),
            started: Instant::now(),
            fate: self.fate,
            open: true,
        };
        let started = EventKind::ToolStarted {
            call_id: Arc::clone(&self.call.id),
            tool: Arc::clone(reported.tool),
            source: entry.map(|entry| entry.source),
            arguments: Arc::clone(&self.call.arguments),
        };
        self.run.cx.events().push(|| reported.step(), started);
        reported
    }
}

/// A finished call. The method that takes its result reports its end.
pub(super) struct FinishedCall<'r> {
    result: ToolResult,
    /// `None` if the call did not begin.
    reported: Option<ReportedCall<'r>>,
    hook_exits: Vec<HookExit>,
}

impl FinishedCall<'_> {
    /// The whole result.
    pub(super) fn result(self) -> ToolResult {
        let Self { result, reported, hook_exits } = self;
        if let Some(reported) = reported {
            reported.end(result.clone(), hook_exits);
        }
        result
    }

    /// The part of the result that the run needs. `None` if another call's abort ended this one, so that it has no
    /// result.
    pub(super) fn ended(self) -> Option<CallResult> {
        let Self { result, reported, hook_exits } = self;
        match reported {
            Some(reported) => reported.end(result, hook_exits),
            None => None,
        }
    }
}

/// The part of a call's result that the run needs.
pub(super) struct CallResult {
    pub(super) outcome: CallOutcome,
    /// The content for the model.
    pub(super) content: Arc<[ContentBlock]>,
    structured: StructuredContent,
    error_chain: Vec<String>,
}

impl CallResult {
    pub(super) fn of(result: ToolResult) -> Self {
        let outcome = CallOutcome::of(&result);
        let error_chain = match &result {
            Err(exit @ (Exit::Tool(_) | Exit::Abort(_))) => error_chain(exit),
            _ => Vec::new(),
        };
        let output = match result {
            Ok(output) => output,
            Err(Exit::Tool(error)) => error.output().clone(),
            Err(Exit::Stop(stop)) => stop.into_output(),
            Err(Exit::Abort(abort)) => ToolOutput::text(format!("the run was aborted: {}", abort.reason())),
        };
        Self { outcome, structured: output.structured_place(), content: output.into_content(), error_chain }
    }
}

/// The step of a call as a whole.
pub(super) fn step_id(run: &AgentRun, turn: u32, index_in_turn: u32, name: &Arc<str>) -> StepId {
    StepId {
        scope: run.cx.scope(),
        turn,
        kind: StepKind::Tool,
        call: Some(index_in_turn),
        name: Arc::clone(name),
        attempt: 0,
    }
}

/// A call whose start was reported. Its end is reported exactly once, also if it is dropped half way.
struct ReportedCall<'c> {
    run: &'c AgentRun,
    call: &'c ToolCall,
    /// The turn of the call and its position there.
    at: (u32, u32),
    tool: &'c Arc<str>,
    started: Instant,
    fate: &'c FateCell,
    open: bool,
}

impl ReportedCall<'_> {
    fn step(&self) -> StepId {
        step_id(self.run, self.at.0, self.at.1, &self.call.name)
    }

    /// Reports how the call ended. A call that another call's abort ended has no result.
    fn end(mut self, result: ToolResult, hook_exits: Vec<HookExit>) -> Option<CallResult> {
        let fate = self.fate.get();
        if fate.is_anothers(&result) {
            self.report(&CallResult::of(fate.unfinished(&self.run.cx)), hook_exits);
            return None;
        }
        let result = CallResult::of(result);
        self.report(&result, hook_exits);
        Some(result)
    }

    fn report(&mut self, result: &CallResult, hook_exits: Vec<HookExit>) {
        self.open = false;
        let finished = EventKind::ToolFinished {
            call_id: Arc::clone(&self.call.id),
            tool: Arc::clone(self.tool),
            outcome: result.outcome,
            content: Arc::clone(&result.content),
            duration: self.started.elapsed(),
            attempts: self.fate.attempts(),
            structured: result.structured.clone(),
            hook_exits,
            error_chain: result.error_chain.clone(),
        };
        self.run.cx.events().push(|| self.step(), finished);
    }
}

impl Drop for ReportedCall<'_> {
    fn drop(&mut self) {
        if self.open {
            self.report(&CallResult::of(self.fate.get().unfinished(&self.run.cx)), Vec::new());
        }
    }
}
