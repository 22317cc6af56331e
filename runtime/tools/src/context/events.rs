//! The events of a call, and its steps, which they name.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use serde::Serialize;

use super::ToolContext;
use crate::event::EventKind;
use crate::journal::{StepId, StepKind, StepRef};

impl ToolContext {
    /// Reports a value of the program as an [`EventKind::User`] event of the run. If nobody reads the events,
    /// the value is serialised and dropped.
    ///
    /// ```
    /// use onionskin::{ToolContext, tool};
    ///
    /// /// Counts the rows of a table.
    /// #[tool]
    /// fn count(cx: &ToolContext, table: String) -> Result<usize, serde_json::Error> {
    ///     cx.emit(serde_json::json!({ "reads": table }))?;
    ///     Ok(table.lines().count())
    /// }
    /// ```
    ///
    /// # Errors
    /// Returns an error if the value cannot be serialised to JSON.
    pub fn emit(&self, event: impl Serialize) -> Result<(), serde_json::Error> {
        let value = serde_json::to_value(event)?;
        self.event(EventKind::User { call_id: Some(Arc::clone(&self.call_id)), value });
        Ok(())
    }

    pub(crate) fn event(&self, kind: EventKind) {
        self.run.events().push(self.step(StepKind::Tool), kind);
    }

    /// This call's step, attempt included.
    pub(super) fn step(&self, kind: StepKind) -> StepRef<'_> {
        StepRef {
            scope: self.run.scope(),
            turn: self.turn,
            kind,
            call_number: Some(self.call_number),
            name: Some(&self.entry().name),
            attempt: self.attempt.load(Ordering::Relaxed),
        }
    }

    #[doc(hidden)]
    pub fn step_id(&self, kind: StepKind) -> StepId {
        self.step(kind).to_id()
    }
}
