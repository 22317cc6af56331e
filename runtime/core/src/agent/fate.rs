//! How far an unfinished call came, and the result that reports it.

use std::sync::atomic::{AtomicU8, AtomicU32, Ordering};

use super::run::AgentRun;
use crate::context::{Left, RunContext, ToolContext};
use crate::error::{ErrorKind, Exit, ToolError, ToolResult};

/// How far a call came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Fate {
    /// Its tool did not run.
    NotRun,
    /// Its tool started, and was dropped before it finished.
    Begun,
    /// Its tool started on a thread and still runs.
    Running,
    /// It aborted the run.
    Aborted,
}

impl Fate {
    fn of(cx: &ToolContext) -> Self {
        if cx.has_aborted() {
            return Self::Aborted;
        }
        if cx.runs_on() {
            return Self::Running;
        }
        match (cx.attempt(), cx.left()) {
            (0, _) | (1, Left::NotBegun) => Self::NotRun,
            _ => Self::Begun,
        }
    }

    /// Whether a result reports the abort of another call.
    pub(super) fn is_anothers(self, result: &ToolResult) -> bool {
        matches!(result, Err(Exit::Abort(_))) && self != Self::Aborted
    }

    /// The result for a call that did not finish.
    pub(super) fn unfinished(self, run: &RunContext) -> ToolResult {
        let abort = run.aborted();
        let what = match (self, abort) {
            (Self::Aborted, Some(abort)) => return Err(abort.clone().into()),
            (Self::NotRun, _) => "cancelled before it began: it did not run",
            (Self::Begun | Self::Aborted, _) => "cancelled before it finished",
            (Self::Running, _) => {
                "cancelled before it finished; it had begun and cannot be stopped: it may still take effect"
            }
        };
        let text = match abort {
            Some(abort) => format!("{what}; the run was aborted: {}", abort.reason()),
            None => what.to_owned(),
        };
        Err(Exit::Tool(ToolError::new(text).with_kind(ErrorKind::Cancelled)))
    }
}

/// Records a call's [`Fate`] and how often its tool was started.
#[derive(Default)]
pub(super) struct FateCell {
    fate: AtomicU8,
    attempts: AtomicU32,
}

impl FateCell {
    fn note(&self, fate: Fate, attempts: u32) {
        self.fate.store(fate as u8, Ordering::Relaxed);
        self.attempts.store(attempts, Ordering::Relaxed);
    }

    pub(super) fn get(&self) -> Fate {
        match self.fate.load(Ordering::Relaxed) {
            0 => Fate::NotRun,
            1 => Fate::Begun,
            2 => Fate::Running,
            _ => Fate::Aborted,
        }
    }

    pub(super) fn attempts(&self) -> u32 {
        self.attempts.load(Ordering::Relaxed)
    }
}

/// A call in progress. It records how far the call came when it ends or is dropped, and keeps the transcript of a
/// child.
pub(super) struct FateGuard<'c> {
    pub(super) run: &'c AgentRun,
    /// The turn of the call and its position there.
    pub(super) at: (u32, u32),
    pub(super) cx: ToolContext,
    pub(super) fate: &'c FateCell,
}

impl Drop for FateGuard<'_> {
    fn drop(&mut self) {
        if let Some(attempts) = self.cx.plain_attempts() {
            let fate = if attempts == 0 { Fate::NotRun } else { Fate::Begun };
            return self.fate.note(fate, attempts);
        }
        let fate = Fate::of(&self.cx);
        self.fate.note(fate, if fate == Fate::NotRun { 0 } else { self.cx.attempt() });
        if self.cx.runs_on()
            && let Some(by) = self.run.cx.begun_by()
        {
            by.runs_on();
        }
        if let Some(transcript) = self.cx.take_transcript() {
            self.run.keep_transcript(self.at, transcript);
        }
    }
}
