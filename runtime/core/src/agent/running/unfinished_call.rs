//! The progress of an unfinished call, and the result that reports it.

use onionskin_definitions::definition::Effect;
use onionskin_definitions::error::{ErrorKind, Exit, ToolError, ToolResult};
use onionskin_tools::context::{Left, NOT_KNOWN, RunContext, ToolContext};

/// The progress of a call that has no result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    /// Its tool did not run.
    NotRun,
    /// Its tool started, and was dropped before it finished.
    Begun(Effect),
    /// Its tool ran, and a hook was dropped before it finished.
    Ran,
    /// Its tool started on a thread and still runs.
    Running,
    /// It aborted the run.
    Aborted,
    /// It waits for an answer of a person that does not come in this run.
    Open,
}

impl Fate {
    pub(super) fn from_context(cx: &ToolContext) -> Self {
        if cx.has_aborted() {
            return Self::Aborted;
        }
        if cx.runs_on() {
            return Self::Running;
        }
        match (cx.attempt(), cx.left()) {
            (0, _) | (1, Left::NotBegun) => Self::NotRun,
            _ => Self::begun(cx),
        }
    }

    /// Of a call whose tool started.
    pub(super) fn begun(cx: &ToolContext) -> Self {
        if cx.has_run() { Self::Ran } else { Self::Begun(cx.definition().effect) }
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
            (Self::Open, _) => "not finished: it waits for an answer of a person",
            (Self::NotRun, _) => "cancelled before it began: it did not run",
            (Self::Begun(_) | Self::Aborted, _) => "cancelled before it finished",
            (Self::Ran, _) => "cancelled when its tool had run; its result is lost",
            (Self::Running, _) => {
                "cancelled before it finished; it had begun and cannot be stopped: it may still take effect"
            }
        };
        let seen = match self {
            Self::Begun(effect) if effect.may_act() => NOT_KNOWN,
            _ => "",
        };
        let text = match abort {
            Some(abort) => format!("{what}{seen}; the run was aborted: {}", abort.reason()),
            None => format!("{what}{seen}"),
        };
        Err(Exit::Tool(ToolError::new(text).with_kind(ErrorKind::Cancelled)))
    }
}
