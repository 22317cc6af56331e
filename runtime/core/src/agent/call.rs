//! One tool call of a run: through the hooks, with its beginning and its end told.

use std::sync::Arc;
use std::time::Instant;

use super::event::{CallOutcome, EventKind, ToldValue};
use super::fate::{FateCell, Noted};
use super::run::AgentRun;
use crate::args::Args;
use crate::content::ContentBlock;
use crate::context::ToolContext;
use crate::error::{Exit, ToolError, ToolResult};
use crate::journal::{StepId, StepKind};
use crate::model::ToolCall;
use crate::onion;
use crate::spec::{HookExit, error_chain};
use crate::tool::table::ToolTable;

/// A call, ready to be made.
pub(super) struct ReadyCall<'r> {
    pub(super) run: &'r AgentRun,
    pub(super) table: &'r Arc<ToolTable>,
    /// The tool, or why nothing can run.
    pub(super) entry: &'r Result<usize, ToolError>,
    pub(super) call: &'r ToolCall,
    pub(super) turn: u32,
    /// The call's place in its turn, counted from 1.
    pub(super) place: u32,
    /// How many calls of this tool the run has made, this one included.
    pub(super) number: u32,
    /// Where it is noted how far the call came.
    pub(super) fate: &'r FateCell,
}

impl ReadyCall<'_> {
    /// Makes the call. What a child left is kept for the run to merge.
    ///
    /// Cancel safety: dropping it ends the call, which is then told to be cancelled.
    pub(super) async fn make(self, args: &mut Args) -> ToolResult {
        let entry = match self.entry {
            Ok(entry) => *entry,
            Err(error) => {
                let result = Err(Exit::Tool(error.clone()));
                self.begin().end(&result, 0, Vec::new());
                return result;
            }
        };
        let slot = self.run.slot().await;
        let _begun = match self.run.cx.begun_by() {
            Some(by) => Some(by.begin().await),
            None => None,
        };
        if let Some(abort) = self.run.cx.aborted() {
            return Err(abort.clone().into());
        }
        let told = self.begin();
        let cx = ToolContext::new(
            self.run.cx.clone(),
            Arc::clone(self.table.entry(entry)),
            Arc::clone(&self.call.id),
            self.turn,
            self.place,
        )
        .with_number(self.number);
        cx.hold_slot(slot);
        let noted = Noted { run: self.run, at: (self.turn, self.place), cx: &cx, fate: self.fate };
        self.run.cx.watch();
        args.bind(&cx.definition().input_schema);
        // A block of its own: a hook that is written by hand may panic before it gives its future.
        let call = async { self.run.instance.onion.call_dyn(&cx, args).await };
        // Hooks may know secrets too, and a tool may have told of one while it ran.
        let result = self.run.cx.hide(onion::outermost(&cx, call).await);
        drop(noted);
        let fate = self.fate.get();
        let hook_exits = cx.take_hook_log();
        if fate.is_anothers(&result) {
            told.end(&fate.unfinished(&self.run.cx), self.fate.attempts(), hook_exits);
        } else {
            told.end(&result, self.fate.attempts(), hook_exits);
        }
        result
    }

    fn begin(&self) -> Told<'_> {
        let entry = self.entry.as_ref().ok().map(|entry| self.table.entry(*entry));
        let told = Told {
            run: self.run,
            step: step_id(self.run, self.turn, self.place, &self.call.name),
            call_id: &self.call.id,
            tool: entry.map_or(&self.call.name, |entry| &entry.name),
            started: Instant::now(),
            fate: self.fate,
            open: true,
        };
        told.push(EventKind::ToolStarted {
            call_id: Arc::clone(told.call_id),
            tool: Arc::clone(told.tool),
            source: entry.map(|entry| entry.source),
            arguments: Arc::clone(&self.call.arguments),
        });
        told
    }
}

/// The step of a call as a whole.
pub(super) fn step_id(run: &AgentRun, turn: u32, place: u32, name: &Arc<str>) -> StepId {
    StepId {
        scope: run.cx.scope(),
        turn,
        kind: StepKind::Tool,
        call: Some(place),
        name: Arc::clone(name),
        attempt: 0,
    }
}

/// A call that was told to have begun. Its end is told just once, also when it is dropped half way.
struct Told<'c> {
    run: &'c AgentRun,
    step: StepId,
    call_id: &'c Arc<str>,
    tool: &'c Arc<str>,
    started: Instant,
    fate: &'c FateCell,
    open: bool,
}

impl Told<'_> {
    fn end(mut self, result: &ToolResult, attempts: u32, hook_exits: Vec<HookExit>) {
        self.tell(result, attempts, hook_exits);
    }

    fn tell(&mut self, result: &ToolResult, attempts: u32, hook_exits: Vec<HookExit>) {
        self.open = false;
        self.push(EventKind::ToolFinished {
            call_id: Arc::clone(self.call_id),
            tool: Arc::clone(self.tool),
            outcome: CallOutcome::of(result),
            content: content(result),
            duration: self.started.elapsed(),
            attempts,
            structured: told_value(result),
            hook_exits,
            error_chain: match result {
                Err(exit @ (Exit::Tool(_) | Exit::Abort(_))) => error_chain(exit),
                _ => Vec::new(),
            },
        });
    }

    fn push(&self, kind: EventKind) {
        self.run.cx.events().push(|| self.step.clone(), kind);
    }
}

impl Drop for Told<'_> {
    fn drop(&mut self) {
        if self.open {
            self.tell(&self.fate.get().unfinished(&self.run.cx), self.fate.attempts(), Vec::new());
        }
    }
}

/// What the model is told of a result.
pub(super) fn content(result: &ToolResult) -> Vec<ContentBlock> {
    match result {
        Ok(output) => output.content().to_vec(),
        Err(Exit::Tool(error)) => error.content().to_vec(),
        Err(Exit::Stop(stop)) => stop.output().content().to_vec(),
        Err(Exit::Abort(abort)) => vec![format!("the run was aborted: {}", abort.reason()).into()],
    }
}

fn told_value(result: &ToolResult) -> ToldValue {
    match result {
        Ok(output) => output.told_value(),
        Err(Exit::Tool(error)) => error.output().told_value(),
        Err(Exit::Stop(stop)) => stop.output().told_value(),
        Err(Exit::Abort(_)) => ToldValue::None,
    }
}
