//! The guardrails of an agent and its rules for approval: inside its hooks, around the calls of all its tools,
//! whatever their source.

use std::sync::Arc;

use futures_util::future::BoxFuture;

use super::approval::approve;
use super::check::{admit, release};
use super::guardrail::{DynInputGuardrail, DynOutputGuardrail};
use crate::approval::{ApprovalRule, Needed};
use crate::context::{Guards, RunContext, ToolContext, ToolEntry};
use onionskin_definitions::args::Args;
use onionskin_definitions::definition::{bring_into_types, check_args};
use onionskin_definitions::error::ToolResult;

/// Selects the calls that a guardrail checks.
pub type Concerns = Arc<dyn Fn(&ToolContext) -> bool + Send + Sync>;

/// A guardrail, or a rule for approval, with an optional filter for calls.
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
    /// The rules for approval. Their filters select tools, once for each table of tools.
    pub approval: Vec<OnCalls<ApprovalRule>>,
}

impl AgentGuardrails {
    /// Whether there are no guardrails.
    pub fn is_empty(&self) -> bool {
        self.input.is_empty() && self.output.is_empty() && self.approval.is_empty()
    }

    /// The names of the guardrails that check a call's arguments, and of those that check its result.
    pub fn names(&self, call: &ToolContext) -> [Vec<String>; 2] {
        let input = self.input.iter().filter(|one| one.checks(call)).map(|one| one.guardrail.name());
        let output = self.output.iter().filter(|one| one.checks(call)).map(|one| one.guardrail.name());
        [input.map(str::to_owned).collect(), output.map(str::to_owned).collect()]
    }
}

impl Guards for AgentGuardrails {
    fn approval(&self, tool: &ToolEntry) -> Vec<Needed> {
        if self.approval.is_empty() {
            return Vec::new();
        }
        let call = ToolContext::new(RunContext::detached(), Arc::new(tool.clone()), Arc::from(""), 0, 0);
        let rules = self.approval.iter().filter(|one| one.checks(&call));
        rules.map(|one| Arc::clone(&one.guardrail)).collect()
    }

    fn approve<'a>(&'a self, cx: &'a ToolContext, args: &'a mut Args) -> BoxFuture<'a, ToolResult<()>> {
        Box::pin(async move {
            let definition = cx.definition();
            bring_into_types(definition, args);
            let check = |args: &Args| match cx.dynamic() {
                Some(tool) => tool.check(cx, args),
                None => check_args(definition, args),
            };
            check(args)?;
            approve(&[], cx, definition, &check, args).await?;
            cx.note_arguments(args);
            Ok(())
        })
    }

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
