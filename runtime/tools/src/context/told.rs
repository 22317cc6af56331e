//! What is known of the last start of a call's tool. A model that reads of a failed call repeats it, so an error says if the tool may have
//! acted.

use std::sync::atomic::Ordering;

use super::ToolContext;
use crate::event::CallOutcome;
use onionskin_definitions::definition::ToolSource;
use onionskin_definitions::error::{ErrorKind, Exit, ToolError, ToolResult};

/// The tool did not start, or its start has no end.
pub(super) const OPEN: u8 = 0;
/// The tool ran to a result.
const RAN: u8 = 1;
/// The tool failed, or an error says that it ran or may have acted.
const TOLD: u8 = 2;

/// The end of a sentence about a call that nobody saw the end of.
pub const NOT_KNOWN: &str = "; whether it took effect is not known";

impl ToolContext {
    /// Begins a start of the tool.
    #[inline]
    pub(super) fn opens(&self) {
        self.known.store(OPEN, Ordering::Relaxed);
    }

    /// The tool ran to a result.
    #[inline]
    pub(crate) fn note_ran(&self) {
        self.known.store(RAN, Ordering::Relaxed);
    }

    /// The tool failed, with an error of its own.
    pub(crate) fn note_told(&self) {
        self.known.store(TOLD, Ordering::Relaxed);
    }

    /// Whether the last start of the tool has no end.
    fn is_cut(&self) -> bool {
        self.known.load(Ordering::Relaxed) == OPEN && self.attempt() > 0
    }

    /// The end of the text about a start that is ended from outside: nothing for a tool that changes nothing, or did not start.
    pub(crate) fn end_unseen(&self) -> &'static str {
        if !self.is_cut() {
            return "";
        }
        self.note_told();
        if self.may_have_acted() { NOT_KNOWN } else { "" }
    }

    /// Notes how the function of the tool ended. A typed hook may have failed after it.
    pub(crate) fn note_end(&self, result: &mut ToolResult) {
        match result {
            Ok(_) => self.note_ran(),
            Err(exit) => self.note_failure(exit),
        }
    }

    /// As [`Self::note_end`], for a failure.
    #[cold]
    pub(crate) fn note_failure(&self, exit: &mut Exit) {
        if self.has_run() {
            self.tell(exit);
        } else if matches!(exit, Exit::Stop(_)) {
            self.note_ran();
        } else {
            self.note_told();
        }
    }

    /// Notes how hooks and stages around the tool left a start: one of them may have failed after the tool ran, recovered from its
    /// error, or answered without it.
    pub(crate) fn note_left(&self, result: &mut ToolResult) {
        match result {
            Ok(_) | Err(Exit::Stop(_)) if self.attempt() > 0 => self.note_ran(),
            Ok(_) => {}
            Err(exit) => self.tell(exit),
        }
    }

    /// Notes a result that a journal holds. Its text says what there is to say.
    pub(crate) fn note_recalled(&self, result: &ToolResult) {
        match result {
            Err(Exit::Tool(_)) => {
                self.note_told();
                // What an agent did is in the text, and its calls are not made again.
                if let Some(acted) = self.run().acted()
                    && self.source() == ToolSource::Agent
                    && self.may_have_acted()
                {
                    acted.note(&self.entry().name, CallOutcome::Error(ErrorKind::InDoubt));
                }
            }
            Ok(_) | Err(Exit::Stop(_)) if self.attempt() > 0 => self.note_ran(),
            Ok(_) | Err(Exit::Stop(_) | Exit::Abort(_)) => {}
        }
    }

    /// Lets the error of a layer around the tool say that the tool ran, or may have acted.
    #[cold]
    pub(crate) fn tell(&self, exit: &mut Exit) {
        let Exit::Tool(error) = exit else { return };
        if self.has_run() {
            self.withhold(error);
        } else {
            error.put_around("", self.end_unseen());
        }
        self.note_told();
    }

    /// Lets an error in place of the tool's result say that the tool ran.
    pub(crate) fn withhold(&self, error: &mut ToolError) {
        error.put_around(&format!("`{}` has run; its result is withheld: ", self.tool_name()), "");
        if error.kind() == ErrorKind::Denied {
            error.set_kind(ErrorKind::Withheld);
        }
        self.note_told();
    }
}

/// For the crates of the runtime.
#[doc(hidden)]
impl ToolContext {
    /// Whether the last start of the tool ended with a result.
    pub fn has_run(&self) -> bool {
        self.known.load(Ordering::Relaxed) == RAN
    }

    /// Whether a call whose tool started may have changed something.
    pub fn may_have_acted(&self) -> bool {
        self.definition().effect.may_act()
    }
}
