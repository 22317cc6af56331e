//! Runs of stored sessions: what they append to the log of their session, and when.

use std::sync::Arc;

use onionskin_tools::context::AbortCause;
use onionskin_tools::model::{Message, ToolResultMessage, Usage};
use onionskin_tools::session::SessionLog;

use crate::agent::error::run_error::RunError;

use super::model_request::ModelCall;
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

    /// Notes the tokens of a request for the stored session of the outermost run. A replay asks no model, so nothing is
    /// noted twice.
    pub(super) fn note_usage(&self, requested: ModelCall<'_>, billed_as: Option<&str>, usage: Usage) {
        let mut outermost = &self.cx;
        while let Some(parent) = outermost.parent() {
            outermost = parent;
        }
        if let Some(log) = outermost.session().and_then(|session| session.log()) {
            log.note_usage(requested.billed_name(billed_as), usage);
        }
    }

    /// Stores an answer of the model, unless hooks can refuse it at the end of the run.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub(super) async fn store_answer(&self, answer: &Message) -> Result<(), RunError> {
        let can_be_refused = !self.instance.declaration.run_hooks.is_empty() || self.is_before_send();
        if answer.tool_calls().is_empty() && can_be_refused { Ok(()) } else { self.store_messages().await }
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

    /// Stores what a call of a loop by hand changed. If that fails, the run is aborted.
    pub(super) async fn store_after_call(&self) {
        if let Err(RunError::Session { source, .. }) = self.store_messages().await {
            self.cx.abort_for(AbortCause::Session(source));
        }
    }

    /// Stores the result of a call, unless turn hooks can change it after the batch. If that fails, the run is aborted, because no other call may act on a session that
    /// is not stored.
    pub(super) async fn store_result(&self, result: impl FnOnce() -> Option<ToolResultMessage>) {
        let Some(log) = self.log().filter(|_| !self.has_turn_hooks()) else { return };
        let Some(result) = result() else { return };
        if let Err(error) = Box::pin(log.note_result(&self.session, &self.messages(), result)).await {
            self.cx.abort_for(AbortCause::Session(error));
        }
    }
}
