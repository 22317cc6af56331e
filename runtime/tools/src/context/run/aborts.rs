//! Aborts of a run.

use super::RunContext;
use crate::context::latch::AbortCause;
use onionskin_definitions::error::Abort;
use onionskin_definitions::secret::Redact as _;

impl RunContext {
    /// Sets the abort latch of this run and all its parent runs.
    pub(crate) fn abort(&self, abort: &Abort) {
        self.end(abort.clone(), None);
    }

    /// Ends this run for this cause. Its parent runs continue.
    pub(crate) fn end_for(&self, mut cause: AbortCause) {
        if let Some(redactor) = self.concealed().redactor() {
            cause.redact(&redactor);
        }
        self.0.latch.set(Abort::new(cause.to_string()), Some(cause));
    }

    fn end(&self, mut abort: Abort, mut cause: Option<AbortCause>) {
        if let Some(redactor) = self.concealed().redactor() {
            abort.redact(&redactor);
            if let Some(cause) = &mut cause {
                cause.redact(&redactor);
            }
        }
        let mut run = Some(self);
        while let Some(this) = run {
            this.0.latch.set(abort.clone(), cause.clone());
            run = this.parent();
        }
    }
}

/// For the crates of the runtime.
#[doc(hidden)]
impl RunContext {
    /// Aborts this run and all its parent runs for this cause.
    pub fn abort_for(&self, cause: AbortCause) {
        self.end(cause.abort(), Some(cause));
    }

    #[inline]
    pub fn aborted(&self) -> Option<&Abort> {
        self.0.latch.get()
    }

    /// The cause of the abort, if the run's error contains more than its text.
    pub fn abort_cause(&self) -> Option<&AbortCause> {
        self.0.latch.cause()
    }
}
