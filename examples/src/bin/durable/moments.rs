//! The moments at which the program can die, to try out what the next start makes of it.

use std::process::Command;

use onionskin::BoxFuture;
use onionskin::journal::{Journal, JournalError, Step, StepRecord, StepWork};

/// Says each moment of a run, or kills the process at one of them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Moments {
    /// Whether each moment is printed.
    pub(crate) shown: bool,
    /// The moment of the death.
    pub(crate) kill_at: Option<String>,
}

impl Moments {
    /// The run is at a moment.
    pub(crate) fn pass(&self, moment: &str) {
        if self.shown {
            println!("moment: {moment}");
        }
        if self.kill_at.as_deref() == Some(moment) {
            // The signal that no program can catch. Where there is no such command, an abort comes close.
            let _ = Command::new("kill").args(["-9", &std::process::id().to_string()]).status();
            std::process::abort();
        }
    }
}

/// A journal whose steps have three moments: before the step, after its work, after its record.
pub(crate) struct Momentary<J> {
    pub(crate) journal: J,
    pub(crate) moments: Moments,
}

impl<J: Journal> Journal for Momentary<J> {
    fn step<'a>(
        &'a self,
        step: &'a Step,
        work: StepWork<'a>,
    ) -> BoxFuture<'a, Result<StepRecord, JournalError>> {
        let work: StepWork<'a> = Box::new(move || {
            Box::pin(async move {
                let record = work().await?;
                self.moments.pass(&format!("before the record of {}", step.id()));
                Ok(record)
            })
        });
        Box::pin(async move {
            self.moments.pass(&format!("before {}", step.id()));
            let record = self.journal.step(step, work).await?;
            self.moments.pass(&format!("after the record of {}", step.id()));
            Ok(record)
        })
    }
}
