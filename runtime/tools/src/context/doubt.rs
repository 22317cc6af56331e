//! Calls in doubt: an earlier run started a tool that must run only once and recorded no result.

use std::convert::Infallible;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::FutureExt as _;

use super::{IdempotencyKey, ToolContext};
use crate::approval::{ApprovalRequest, Resolution};
use crate::journal::{InDoubt, StepId, StepKind};
use onionskin_definitions::args::Args;
use onionskin_definitions::definition::{Asks, Effect, ToolSource};
use onionskin_definitions::error::{ErrorKind, Exit, ToolError, ToolResult};
use onionskin_definitions::output::ToolOutput;

impl ToolContext {
    /// Keeps the arguments of an attempt and their hash, for a person who has to resolve a call in doubt.
    pub(crate) fn keep_attempt_args(&self, args: &Args, hash: &str) {
        if self.is_once() || self.definition().asks != Asks::Nothing {
            let kept = Some((args.clone(), hash.to_owned()));
            self.data(|data| data.attempt_args = kept);
        }
    }

    /// Notes that the call is in doubt. Later attempts do not run, even if a hook retries.
    pub(crate) fn note_doubt(&self, exit: &Exit) {
        if exit.as_tool_error().is_some_and(|error| error.kind() == ErrorKind::InDoubt) {
            self.data(|data| data.in_doubt = true);
        }
    }

    /// Whether the tool must not run twice. An agent runs again, because the steps of its run are recorded
    /// one by one.
    pub(super) fn is_once(&self) -> bool {
        self.definition().effect == Effect::Once && self.source() != ToolSource::Agent
    }

    /// Records the start of a function with the effect `Once`. If the start is recorded already without a
    /// result, the function may have taken effect, so the approver decides. Returns the result if it took
    /// effect.
    pub(super) async fn begin(&self) -> ToolResult<Option<ToolOutput>> {
        if self.run().journal().is_none() || !self.is_once() {
            return Ok(None);
        }
        let doubt = InDoubt { tool: self.tool_name().to_owned(), run_id: self.run().run_id().to_owned() };
        let in_doubt = |doubt| Err(Exit::Tool(ToolError::from_source(doubt).with_kind(ErrorKind::InDoubt)));
        if self.data_if_any(|data| data.in_doubt).unwrap_or(false) {
            return in_doubt(doubt);
        }
        let kept = self.data(|data| data.attempt_args.clone());
        let hash = kept.as_ref().map(|(_, hash)| hash.clone()).unwrap_or_default();
        let is_first = AtomicBool::new(false);
        let id = StepId { attempt: self.tries(), ..self.step_id(StepKind::Begin) };
        let begun = async || {
            is_first.store(true, Ordering::Relaxed);
            if let Some(questions) = self.run().questions() {
                questions.note_acted();
            }
            Ok::<_, Infallible>(true)
        };
        let Ok(_) = self.run().step(id, || (Effect::Once, hash), begun).await;
        self.begin_segments();
        if is_first.load(Ordering::Relaxed) || self.was_waiting().await {
            return Ok(None);
        }
        match self.resolution(&doubt, kept.as_ref().map(|(args, _)| args)).await {
            Resolution::RunAgain => Ok(None),
            Resolution::TookEffect(output) => Ok(Some(output)),
            Resolution::Unknown => {
                self.data(|data| data.in_doubt = true);
                in_doubt(doubt)
            }
        }
    }

    async fn resolution(&self, doubt: &InDoubt, args: Option<&Args>) -> Resolution {
        let (Some(approver), Some(args)) = (self.run().approver(), args) else {
            return Resolution::Unknown;
        };
        let request = self.approval_request(args, Some(doubt.to_string()));
        // Catches a panic of the method itself, and of its future.
        let resolved = AssertUnwindSafe(async { approver.resolve_dyn(request).await }).catch_unwind();
        // Other calls can run while a person decides.
        self.without_permit(resolved).await.unwrap_or_else(|_| {
            tracing::error!(tool = self.tool_name(), "the approver panicked, so the call stays in doubt");
            Resolution::Unknown
        })
    }

    /// The call as a request to an approver, with secrets masked.
    pub(crate) fn approval_request(&self, args: &Args, reason: Option<String>) -> ApprovalRequest {
        let mut args = args.clone();
        let text = args.text();
        let shown = self.run().hide_text(&*text);
        if *shown != *text {
            let schema = args.detach_schema();
            args = Args::from(shown.into_owned());
            if let Some(schema) = &schema {
                args.attach_schema(schema);
            }
        }
        ApprovalRequest {
            tool: self.tool_name().into(),
            agent: self.agent_name().into(),
            args,
            effect: self.definition().effect,
            call_id: self.call_id().into(),
            idempotency_key: IdempotencyKey::for_call(self).as_str().into(),
            correlation_id: self.correlation_id().into(),
            reason: reason.map(|reason| self.run().hide_text(reason).into_owned()),
        }
    }
}
