//! Runs of stored sessions: what they append to the log of their session, and when.

use std::sync::Arc;

use onionskin_tools::context::AbortCause;
use onionskin_tools::model::{ToolResultMessage, UsageByModel};
use onionskin_tools::session::SessionLog;

use crate::agent::error::run_error::RunError;

use super::run::AgentRun;

impl AgentRun {
    /// The log of the session, for the outermost run of a stored one.
    fn log(&self) -> Option<&SessionLog> {
        self.session.log().filter(|_| self.cx.parent().is_none())
    }

    /// Whether calls of the newest message have no results yet.
    pub(in crate::agent) fn has_open_calls(&self) -> bool {
        self.tally().open.is_some()
    }

    /// Notes tokens for the stored session of the outermost run.
    pub(super) fn note_usage(&self, usage: &UsageByModel) {
        let mut outermost = &self.cx;
        while let Some(parent) = outermost.parent() {
            outermost = parent;
        }
        if let Some(log) = outermost.session().and_then(|session| session.log()) {
            log.note_usage(usage);
        }
    }

    /// Stores the messages of the conversation that are not stored yet.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub(super) async fn store_messages(&self) -> Result<(), RunError> {
        let Some(log) = self.log() else { return Ok(()) };
        let stored = Box::pin(log.note_messages(&self.session, &self.messages())).await;
        stored.map_err(|source| RunError::Session { agent: Arc::clone(&self.instance.name), source })
    }

    /// Stores the result of a call. If that fails, the run is aborted, because no other call may act on a session that
    /// is not stored.
    pub(super) async fn store_result(&self, result: impl FnOnce() -> Option<ToolResultMessage>) {
        let Some(log) = self.log() else { return };
        let Some(result) = result() else { return };
        if let Err(error) = Box::pin(log.note_result(&self.session, &self.messages(), result)).await {
            self.cx.abort_for(AbortCause::Session(error));
        }
    }
}
