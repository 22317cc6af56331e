//! The guardrails of an agent: inside its hooks, around the calls of all its tools, whatever their source.

use std::sync::Arc;

use futures_util::future::BoxFuture;

use super::check::{admit, release};
use super::guardrail::{DynInputGuardrail, DynOutputGuardrail};
use crate::context::{Guards, ToolContext};
use onionskin_definitions::args::Args;
use onionskin_definitions::definition::bring_into_types;
use onionskin_definitions::error::ToolResult;

/// Selects the calls that a guardrail checks.
pub type Concerns = Arc<dyn Fn(&ToolContext) -> bool + Send + Sync>;

/// A guardrail with an optional filter for calls.
pub struct OnCalls<G: ?Sized> {
    /// The guardrail.
    pub guardrail: Arc<G>,
    /// Selects the calls that it checks; `None` for all.
    pub concerns: Option<Concerns>,
}

impl<G: ?Sized> OnCalls<G> {
    fn checks(&self, call: &ToolContext) -> bool {
        self.concerns.as_ref().is_none_or(|concerns| concerns(call))
    }
}

/// The guardrails of an agent, each list in execution order.
#[derive(Default)]
pub struct AgentGuardrails {
    /// The guardrails of arguments.
    pub input: Vec<OnCalls<dyn DynInputGuardrail>>,
    /// The guardrails of results.
    pub output: Vec<OnCalls<dyn DynOutputGuardrail>>,
}

impl AgentGuardrails {
    /// Whether there are no guardrails.
    pub fn is_empty(&self) -> bool {
        self.input.is_empty() && self.output.is_empty()
    }

    /// The names of the guardrails that check a call's arguments, and of those that check its result.
    pub fn names(&self, call: &ToolContext) -> [Vec<String>; 2] {
        let input = self.input.iter().filter(|one| one.checks(call)).map(|one| one.guardrail.name());
        let output = self.output.iter().filter(|one| one.checks(call)).map(|one| one.guardrail.name());
        [input.map(str::to_owned).collect(), output.map(str::to_owned).collect()]
    }
}

impl Guards for AgentGuardrails {
    fn admit<'a>(&'a self, cx: &'a ToolContext, args: &'a mut Args) -> BoxFuture<'a, ToolResult<()>> {
        Box::pin(async move {
            for one in self.input.iter().filter(|one| one.checks(cx)) {
                bring_into_types(cx.definition(), args);
                admit(cx, args, &*one.guardrail).await?;
            }
            cx.note_arguments(args);
            Ok(())
        })
    }

    fn release<'a>(
        &'a self,
        cx: &'a ToolContext,
        args: &'a Args,
        result: ToolResult,
    ) -> BoxFuture<'a, ToolResult> {
        Box::pin(async move {
            let guardrails = self.output.iter().filter(|one| one.checks(cx)).map(|one| &*one.guardrail);
            release(cx, args, result, guardrails).await.0
        })
    }
}
