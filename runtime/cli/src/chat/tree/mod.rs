//! The tree of a run: its agents and their calls. Events go in; [`drawn`](Tree::drawn) gives its lines.
//!
//! It knows no terminal and no clock. What it keeps is bounded: of the calls that have ended, each agent keeps the newest.

mod draw;
mod line;
#[cfg(test)]
mod tests;

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use onionskin_core::event::{CallOutcome, Event, EventKind};
use onionskin_core::model::Usage;

use crate::calls;
use crate::text;

pub(super) use line::{Line, Style};

/// The calls of one agent that are kept. Older ones that have ended are counted only.
const KEPT_CALLS: usize = 100;

/// The characters of arguments, results and messages that are kept.
const KEPT_TEXT: usize = 200;

/// A run of an agent, by the step that began it. That of the outermost run is empty.
type Scope = Arc<str>;

/// A call of a run: its turn, and its number in the turn.
type CallId = (u32, Option<u32>);

#[derive(Debug, Default)]
pub(super) struct Tree {
    /// The runs that are shown.
    runs: HashMap<Scope, Run>,
    /// The runs that are only counted, each with the run whose tokens and groups count it.
    folded: HashMap<Scope, FoldedRun>,
    /// The calls in progress, by the scope that runs below them have.
    running: HashMap<String, (Scope, CallId)>,
    is_cancelled: bool,
}

/// A run that is shown.
#[derive(Debug)]
struct Run {
    name: Arc<str>,
    parent: Option<Scope>,
    began: Duration,
    ended: Option<(Duration, RunStatus)>,
    does: Does,
    /// Those of the runs below it included.
    usage: Usage,
    calls: VecDeque<Call>,
    /// The calls that were dropped from the list.
    earlier: usize,
    /// The runs of children beyond those that are shown, by the child's name.
    groups: Vec<Group>,
}

#[derive(Debug)]
struct Call {
    id: CallId,
    tool: String,
    arguments: String,
    began: Duration,
    ended: Option<(Duration, CallOutcome)>,
    /// The newest message of the tool, or its result.
    note: String,
    /// The runs that it began; several if its hooks called an agent again.
    runs: Vec<Scope>,
}

#[derive(Debug)]
struct Group {
    child: String,
    running: usize,
    ended: usize,
}

#[derive(Debug)]
struct FoldedRun {
    /// The nearest run above it that is shown.
    above: Scope,
    /// The name of the group in it.
    child: String,
    /// Whether the group counts it: runs below it are not counted.
    is_counted: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Does {
    Begins,
    AsksModel,
    Thinks,
    Writes,
    Calls,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RunStatus {
    Answered,
    Paused,
    Failed,
    Cancelled,
}

impl Tree {
    /// Takes what happened at this time, counted from any moment before.
    pub(super) fn update(&mut self, event: &Event, now: Duration) {
        let scope = event.step.scope();
        match &event.kind {
            EventKind::RunStarted { shown, .. } => self.run_started(event, *shown, now),
            EventKind::TurnStarted { .. } => self.does(scope, Does::AsksModel),
            EventKind::ReasoningDelta { .. } => self.does(scope, Does::Thinks),
            EventKind::TextDelta { .. } => self.does(scope, Does::Writes),
            EventKind::TurnFinished { usage, .. } => self.turn_finished(scope, *usage),
            EventKind::ToolStarted { tool, arguments, .. } => {
                self.tool_started(event, tool, arguments, now);
            }
            EventKind::ToolFinished { outcome, content, duration, error_chain, .. } => {
                let note = calls::said(*outcome, content, error_chain);
                self.tool_finished(event, *outcome, &note, *duration);
            }
            EventKind::Progress { done, total, message, .. } => {
                let share = total.map(|total| format!("{done} of {total}")).unwrap_or_default();
                let message = message.as_deref().unwrap_or_default();
                self.note(event, [&*share, message].join(" ").trim());
            }
            EventKind::User { value, .. } => self.note(event, &value.to_string()),
            EventKind::RunFinished { .. } => self.run_ended(scope, RunStatus::Answered, now),
            EventKind::RunPaused { .. } => self.run_ended(scope, RunStatus::Paused, now),
            EventKind::RunFailed { .. } => {
                let ended = if self.is_cancelled { RunStatus::Cancelled } else { RunStatus::Failed };
                self.run_ended(scope, ended, now);
            }
            EventKind::ToolCallDelta { .. }
            | EventKind::TurnRestarted { .. }
            | EventKind::PrefixChanged { .. }
            | EventKind::Notice { .. }
            | EventKind::QuestionAsked { .. }
            | EventKind::ArgumentsChanged { .. }
            | _ => {}
        }
    }

    /// Notes that runs which fail from now on were cancelled.
    pub(super) fn cancel(&mut self) {
        self.is_cancelled = true;
    }

    pub(super) fn is_cancelled(&self) -> bool {
        self.is_cancelled
    }

    /// Whether events of this run are shown. A run is shown until it is known not to be.
    pub(super) fn shows(&self, scope: &str) -> bool {
        !self.folded.contains_key(scope)
    }

    /// The tokens of a run that is shown, and of those below it.
    pub(super) fn usage(&self, scope: &str) -> Usage {
        self.runs.get(scope).map(|run| run.usage).unwrap_or_default()
    }

    /// How long a run that is shown has taken.
    pub(super) fn time(&self, scope: &str, now: Duration) -> Duration {
        self.runs.get(scope).map(|run| run.time(now)).unwrap_or_default()
    }

    /// The children of a run with more runs than are shown: the name of each, and how many more.
    pub(super) fn more(&self, scope: &str) -> Vec<(&str, usize)> {
        let groups = self.runs.get(scope).map(|run| run.groups.as_slice()).unwrap_or_default();
        groups.iter().map(|group| (&*group.child, group.running + group.ended)).collect()
    }

    fn run_started(&mut self, event: &Event, shown: bool, now: Duration) {
        let scope: Scope = event.step.scope().into();
        let begun_by = self.running.get(call_of(&scope)).cloned();
        let parent = begun_by.as_ref().map(|(parent, _)| Arc::clone(parent));
        if let Some(hidden) = parent.as_ref().and_then(|parent| self.folded.get(parent)) {
            let (above, child) = (Arc::clone(&hidden.above), hidden.child.clone());
            self.folded.insert(scope, FoldedRun { above, child, is_counted: false });
            return;
        }
        if let (false, Some((parent, call))) = (shown, begun_by.clone()) {
            let child = child_name(&event.agent).to_owned();
            if let Some(run) = self.runs.get_mut(&parent) {
                run.calls.retain(|other| other.id != call);
                run.group(&child).running += 1;
            }
            self.folded.insert(scope, FoldedRun { above: parent, child, is_counted: true });
            return;
        }
        if let Some((parent, call)) = begun_by
            && let Some(call) = self.runs.get_mut(&parent).and_then(|run| run.call(call))
        {
            call.runs.push(Arc::clone(&scope));
        }
        let run = Run {
            name: Arc::clone(&event.agent),
            parent,
            began: now,
            ended: None,
            does: Does::Begins,
            usage: Usage::default(),
            calls: VecDeque::new(),
            earlier: 0,
            groups: Vec::new(),
        };
        self.runs.insert(scope, run);
    }

    fn does(&mut self, scope: &str, does: Does) {
        if let Some(run) = self.runs.get_mut(scope) {
            run.does = does;
        }
    }

    fn turn_finished(&mut self, scope: &str, usage: Usage) {
        self.does(scope, Does::Calls);
        let shown = self.folded.get(scope).map_or(scope, |run| &*run.above);
        let mut at = self.runs.get_mut(shown);
        while let Some(run) = at {
            run.usage += usage;
            let parent = run.parent.clone();
            at = parent.and_then(|parent| self.runs.get_mut(&parent));
        }
    }

    fn tool_started(&mut self, event: &Event, tool: &str, arguments: &str, now: Duration) {
        let scope: Scope = event.step.scope().into();
        let id = (event.step.turn(), event.step.call_number());
        self.running.insert(event.step.to_string(), (Arc::clone(&scope), id));
        let Some(run) = self.runs.get_mut(&scope) else { return };
        run.calls.push_back(Call {
            id,
            tool: text::line(tool, KEPT_TEXT),
            arguments: text::line(arguments, KEPT_TEXT),
            began: now,
            ended: None,
            note: String::new(),
            runs: Vec::new(),
        });
        if run.calls.len() > KEPT_CALLS
            && let Some(oldest) = run.calls.iter().position(|call| call.ended.is_some())
            && let Some(call) = run.calls.remove(oldest)
        {
            run.earlier += 1;
            self.forget(call);
        }
    }

    fn tool_finished(&mut self, event: &Event, outcome: CallOutcome, note: &str, duration: Duration) {
        self.running.remove(&event.step.to_string());
        let id = (event.step.turn(), event.step.call_number());
        if let Some(call) = self.runs.get_mut(event.step.scope()).and_then(|run| run.call(id)) {
            call.ended = Some((duration, outcome));
            call.note = text::line(note, KEPT_TEXT);
        }
    }

    fn note(&mut self, event: &Event, note: &str) {
        let id = (event.step.turn(), event.step.call_number());
        if let Some(call) = self.runs.get_mut(event.step.scope()).and_then(|run| run.call(id)) {
            call.note = text::line(note, KEPT_TEXT);
        }
    }

    fn run_ended(&mut self, scope: &str, ended: RunStatus, now: Duration) {
        if let Some(run) = self.runs.get_mut(scope) {
            run.ended = Some((now, ended));
        }
        if let Some(FoldedRun { above, child, is_counted: true }) = self.folded.remove(scope)
            && let Some(run) = self.runs.get_mut(&above)
        {
            let group = run.group(&child);
            group.running = group.running.saturating_sub(1);
            group.ended += 1;
        }
    }

    /// Drops the runs of a call that has left the list.
    fn forget(&mut self, call: Call) {
        let mut runs = call.runs;
        while let Some(scope) = runs.pop() {
            if let Some(run) = self.runs.remove(&scope) {
                runs.extend(run.calls.into_iter().flat_map(|call| call.runs));
            }
        }
    }
}

impl Run {
    fn time(&self, now: Duration) -> Duration {
        let end = self.ended.map_or(now, |(end, _)| end);
        end.saturating_sub(self.began)
    }

    fn call(&mut self, id: CallId) -> Option<&mut Call> {
        self.calls.iter_mut().rev().find(|call| call.id == id)
    }

    fn group(&mut self, child: &str) -> &mut Group {
        let at = self.groups.iter().position(|group| group.child == child).unwrap_or_else(|| {
            self.groups.push(Group { child: child.to_owned(), running: 0, ended: 0 });
            self.groups.len() - 1
        });
        &mut self.groups[at]
    }
}

/// The call of a step or of a run's scope: that of a later attempt has its number at the end.
pub(super) fn call_of(step: &str) -> &str {
    match step.rsplit_once('#') {
        Some((call, attempt)) if attempt.bytes().all(|byte| byte.is_ascii_digit()) => call,
        _ => step,
    }
}

/// `London` of `London[2]`.
fn child_name(instance: &str) -> &str {
    instance.rsplit_once('[').map_or(instance, |(name, _)| name)
}
