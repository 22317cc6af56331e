//! Calls in doubt: an earlier run started a tool that must run only once, and has no result of it.

use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::FutureExt as _;

use super::{IdempotencyKey, ToolContext};
use crate::approval::{ApprovalRequest, Resolution};
use crate::args::Args;
use crate::definition::{Effect, ToolSource};
use crate::error::{ErrorKind, Exit, ToolError, ToolResult};
use crate::journal::{InDoubt, StepId, StepKind};
use crate::output::ToolOutput;

impl ToolContext {
    /// Keeps the arguments for a person who has to find out what became of the call.
    pub(crate) fn keep_args(&self, args: &Args) {
        if self.is_once() {
            let _ = self.extra().args.set(args.clone());
        }
    }

    /// Whether the tool must not run twice. An agent runs again, because the steps of its run are recorded one by one.
    fn is_once(&self) -> bool {
        self.definition().effect == Effect::Once && self.source() != ToolSource::Agent
    }

    /// Records the beginning of a function with the effect `Once`. If there is such a record and no result, the
    /// function may have taken effect: the approver is asked. Returns the result if it took effect.
    pub(super) async fn begin(&self) -> ToolResult<Option<ToolOutput>> {
        if self.run().journal().is_none() || !self.is_once() {
            return Ok(None);
        }
        let is_first = AtomicBool::new(false);
        let id = StepId { attempt: self.tries(), ..self.step_id(StepKind::Begin) };
        let begun = async || {
            is_first.store(true, Ordering::Relaxed);
            true
        };
        self.run().reading(id, begun).await;
        if is_first.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let doubt = InDoubt { tool: self.tool_name().to_owned(), run_id: self.run().run_id().to_owned() };
        match self.resolution(&doubt).await {
            Resolution::RunAgain => Ok(None),
            Resolution::TookEffect(output) => Ok(Some(output)),
            Resolution::Unknown => {
                Err(Exit::Tool(ToolError::from_source(doubt).with_kind(ErrorKind::InDoubt)))
            }
        }
    }

    async fn resolution(&self, doubt: &InDoubt) -> Resolution {
        let extra = self.extra();
        let (Some(approver), Some(args)) = (self.run().approver(), extra.args.get()) else {
            return Resolution::Unknown;
        };
        let request = self.request_of(args, Some(doubt.to_string()));
        // Catches a panic of the method itself, and of its future.
        let asked = AssertUnwindSafe(async { approver.resolve_dyn(request).await }).catch_unwind();
        // Other calls can run while a person decides.
        self.without_permit(asked).await.unwrap_or_else(|_| {
            tracing::error!(tool = self.tool_name(), "the approver panicked, so the call stays in doubt");
            Resolution::Unknown
        })
    }

    /// The call for an approver, without secrets.
    pub(crate) fn request_of(&self, args: &Args, reason: Option<String>) -> ApprovalRequest {
        let mut args = args.clone();
        let text = args.text();
        let shown = self.run().hide_text(&*text);
        if *shown != *text {
            args = Args::from(shown.into_owned());
        }
        ApprovalRequest {
            tool: self.tool_name().into(),
            agent: self.agent_name().into(),
            args,
            effect: self.definition().effect,
            call_id: self.tool_use_id().into(),
            idempotency_key: IdempotencyKey::of(self).as_str().into(),
            correlation_id: self.correlation_id().into(),
            reason: reason.map(|reason| self.run().hide_text(reason).into_owned()),
        }
    }
}
