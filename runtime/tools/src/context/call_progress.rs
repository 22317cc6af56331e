//! The progress of a call, and what errors say of it. A model that reads of a failed call repeats it, so an error says if the tool may
//! have acted.

use std::sync::atomic::Ordering;

use super::{RunContext, ToolContext};
use crate::event::CallOutcome;
use onionskin_definitions::definition::ToolSource;
use onionskin_definitions::error::{ErrorKind, Exit, ToolError, ToolResult};

/// The progress of a call, or of the last start of its tool.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum CallProgress {
    /// The tool did not run and will not, or its start was not reached yet.
    #[default]
    NotStarted,
    /// The tool started, and nothing is known of its end.
    Started,
    /// The tool's work was dropped, and still runs on a thread.
    Running,
    /// The tool ran to a result.
    Succeeded,
    /// The tool failed, or an error says that it ran or may have acted.
    Reported,
    /// The call aborted its run.
    Aborted,
    /// The call waits for an answer of a person that does not come in this run.
    Waiting,
}

/// The end of a sentence about a call that nobody saw the end of.
const EFFECT_UNKNOWN: &str = "; whether it took effect is not known";

impl CallProgress {
    /// The exit of a call that ends without a result. `may_act` says whether its tool can change something.
    pub fn unfinished(self, may_act: bool, run: &RunContext) -> Exit {
        let abort = run.aborted();
        let what = match (self, abort) {
            (Self::Aborted, Some(abort)) => return abort.clone().into(),
            (Self::Waiting, _) => "not finished: it waits for an answer of a person",
            (Self::NotStarted, _) => "cancelled before it began: it did not run",
            (Self::Started | Self::Reported | Self::Aborted, _) => "cancelled before it finished",
            (Self::Succeeded, _) => "cancelled when its tool had run; its result is lost",
            (Self::Running, _) => {
                "cancelled before it finished; it had begun and cannot be stopped: it may still take effect"
            }
        };
        let is_cut = may_act && matches!(self, Self::Started | Self::Reported);
        let effect = if is_cut { EFFECT_UNKNOWN } else { "" };
        let text = match abort {
            Some(abort) => format!("{what}{effect}; the run was aborted: {}", abort.reason()),
            None => format!("{what}{effect}"),
        };
        Exit::Tool(ToolError::new(text).with_kind(ErrorKind::Cancelled))
    }
}

/// The bits of `ToolContext::last_start` for the last start. Those above it are for the one before it that began.
const LAST: u8 = 0x0F;

fn progress_of(stored: u8) -> CallProgress {
    use CallProgress::{NotStarted, Reported, Running, Started, Succeeded};
    let all = [NotStarted, Started, Running, Succeeded, Reported];
    all.into_iter().find(|progress| *progress as u8 == stored).unwrap_or_default()
}

impl ToolContext {
    #[inline]
    fn set_last_start(&self, progress: CallProgress) {
        self.last_start.store(progress as u8, Ordering::Relaxed);
    }

    fn last_start(&self) -> CallProgress {
        progress_of(self.last_start.load(Ordering::Relaxed) & LAST)
    }

    /// The progress of the last start that began.
    fn last_begun(&self) -> CallProgress {
        match self.last_start.load(Ordering::Relaxed) {
            starts if starts & LAST == CallProgress::NotStarted as u8 => progress_of(starts >> 4),
            starts => progress_of(starts & LAST),
        }
    }

    /// Begins a start of the tool.
    #[inline]
    pub(super) fn note_start(&self) {
        let before = self.last_start.load(Ordering::Relaxed);
        if before & LAST != CallProgress::Started as u8 {
            let is_begun = before & LAST != CallProgress::NotStarted as u8;
            let begun = if is_begun { before << 4 } else { before & !LAST };
            self.last_start.store(begun | CallProgress::Started as u8, Ordering::Relaxed);
        }
    }

    /// The tool ran to a result.
    #[inline]
    pub(crate) fn note_success(&self) {
        self.set_last_start(CallProgress::Succeeded);
    }

    /// The tool failed with an error of its own, or an error says what is known of it.
    pub(crate) fn note_reported(&self) {
        if self.has_started() {
            self.set_last_start(CallProgress::Reported);
        }
    }

    /// Notes what is left of the work of a start that is dropped: it never began, or it still runs.
    pub(crate) fn note_dropped(&self, left: CallProgress) {
        // Of concurrent starts, one may have ended.
        if self.last_start() == CallProgress::Started {
            let before = self.last_start.load(Ordering::Relaxed) & !LAST;
            self.last_start.store(before | left as u8, Ordering::Relaxed);
        }
        match left {
            CallProgress::Running => self.data(|data| data.runs_on = true),
            CallProgress::NotStarted => self.discount_start(),
            CallProgress::Started
            | CallProgress::Succeeded
            | CallProgress::Reported
            | CallProgress::Aborted
            | CallProgress::Waiting => {}
        }
    }

    /// Drops a start of the tool. Returns what is left of its work.
    pub(super) fn end_start(&self, drop_start: impl FnOnce()) -> CallProgress {
        let before = self.last_start.load(Ordering::Relaxed);
        self.note_start();
        drop_start();
        let left = self.last_start();
        if before & LAST != CallProgress::Started as u8 {
            self.last_start.store(before, Ordering::Relaxed);
        }
        left
    }

    /// Whether the work of the tool has begun at least once.
    fn has_started(&self) -> bool {
        self.attempt() > 0
    }

    /// The end of the text about a start that is ended from outside: nothing for a tool that changes nothing, or did not start.
    pub(crate) fn unknown_effect(&self) -> &'static str {
        let is_known = matches!(self.last_begun(), CallProgress::Succeeded | CallProgress::Reported);
        if is_known || !self.has_started() {
            return "";
        }
        self.note_reported();
        if self.may_have_acted() { EFFECT_UNKNOWN } else { "" }
    }

    /// Notes how the function of the tool ended. A typed hook may have failed after it.
    pub(crate) fn note_end(&self, result: &mut ToolResult) {
        match result {
            Ok(_) => self.note_success(),
            Err(exit) => self.note_failure(exit),
        }
    }

    /// As [`Self::note_end`], for a failure.
    #[cold]
    pub(crate) fn note_failure(&self, exit: &mut Exit) {
        if self.has_run() {
            self.report_effect(exit);
        } else if matches!(exit, Exit::Stop(_)) {
            self.note_success();
        } else {
            self.note_reported();
        }
    }

    /// Notes how hooks and stages around the tool end a start: one of them may have failed after the tool ran, recovered from its
    /// error, or answered without it.
    pub(crate) fn note_end_around(&self, result: &mut ToolResult) {
        match result {
            Ok(_) | Err(Exit::Stop(_)) if self.has_started() => self.note_success(),
            Ok(_) => {}
            Err(exit) => self.report_effect(exit),
        }
    }

    /// Notes a result that a journal holds. Its text says what there is to say.
    pub(crate) fn note_recalled(&self, result: &ToolResult) {
        match result {
            Err(Exit::Tool(_)) => {
                self.note_reported();
                // What an agent did is in the text, and its calls are not made again.
                if let Some(acted) = self.run().acted()
                    && self.source() == ToolSource::Agent
                    && self.may_have_acted()
                {
                    acted.note(&self.entry().name, CallOutcome::Error(ErrorKind::InDoubt));
                }
            }
            Ok(_) | Err(Exit::Stop(_)) if self.has_started() => self.note_success(),
            Ok(_) | Err(Exit::Stop(_) | Exit::Abort(_)) => {}
        }
    }

    /// Lets the error of a layer around the tool say that the tool ran, or may have acted.
    #[cold]
    pub(crate) fn report_effect(&self, exit: &mut Exit) {
        let Exit::Tool(error) = exit else { return };
        if self.has_run() {
            self.withhold(error);
        } else {
            error.put_around("", self.unknown_effect());
        }
        self.note_reported();
    }

    /// Lets an error in place of the tool's result say that the tool ran.
    pub(crate) fn withhold(&self, error: &mut ToolError) {
        error.put_around(&format!("`{}` has run; its result is withheld: ", self.tool_name()), "");
        if error.kind() == ErrorKind::Denied {
            error.set_kind(ErrorKind::Withheld);
        }
        self.note_reported();
    }
}

/// For the crates of the runtime.
#[doc(hidden)]
impl ToolContext {
    /// Whether the last start of the tool that began ended with a result.
    pub fn has_run(&self) -> bool {
        self.last_begun() == CallProgress::Succeeded
    }

    /// Whether a call whose tool started may have changed something.
    pub fn may_have_acted(&self) -> bool {
        self.definition().effect.may_act()
    }

    /// Whether work of any attempt still runs without a caller.
    pub fn runs_on(&self) -> bool {
        self.data_if_any(|data| data.runs_on).unwrap_or(false)
    }

    /// The progress of the whole call.
    pub fn progress(&self) -> CallProgress {
        if self.has_aborted() {
            CallProgress::Aborted
        } else if self.runs_on() {
            CallProgress::Running
        } else if !self.has_started() {
            CallProgress::NotStarted
        } else if self.has_run() {
            CallProgress::Succeeded
        } else {
            CallProgress::Started
        }
    }
}
