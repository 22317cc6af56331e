//! The stages between a tool's own hooks and its function: approval, cache, guardrails and error handlers.

use std::fmt;
use std::sync::Arc;

use futures_util::future::BoxFuture;

use super::approval::{self, MAX_APPROVALS, changed_again};
use super::cache::{Cache, Lookup, no_cache_of_once};
use super::check::{admit, release};
use super::fill::Fill;
use super::guardrail::{DynInputGuardrail, DynOutputGuardrail};
use super::inside::Inside;
use super::on_error::{self, OnError};
use crate::approval::Needed;
use crate::context::{CallStages, ToolContext};
use crate::onion::{Caught, tool_panicked};
use crate::services::ServiceTypes;
use onionskin_definitions::args::Args;
use onionskin_definitions::definition::{Effect, bring_into_types};
use onionskin_definitions::error::{Exit, ToolError, ToolResult};

/// The stages of a tool's calls inside its own hooks. They run in the order of declaration, then of addition.
#[derive(Clone, Default)]
pub(crate) struct Stages {
    /// The rules for approval: a call needs it if one of them requires it.
    pub(crate) approval: Vec<Needed>,
    pub(crate) cache: Option<Cache>,
    pub(crate) input: Vec<Arc<dyn DynInputGuardrail>>,
    pub(crate) output: Vec<Arc<dyn DynOutputGuardrail>>,
    pub(crate) on_error: Vec<OnError>,
    /// The values to fill in, inside all other stages.
    fill: Option<Arc<dyn Fill>>,
}

/// Shows names and counts only, because filled-in values can be secrets.
impl fmt::Debug for Stages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let input: Vec<_> = self.input.iter().map(|guardrail| guardrail.name()).collect();
        let output: Vec<_> = self.output.iter().map(|guardrail| guardrail.name()).collect();
        f.debug_struct("Stages")
            .field("approval", &!self.approval.is_empty())
            .field("cache", &self.cache)
            .field("input_guardrails", &input)
            .field("output_guardrails", &output)
            .field("error_handlers", &self.on_error.len())
            .field("fills_values_in", &self.fill.is_some())
            .finish()
    }
}

impl Stages {
    /// Appends other stages, whose cache replaces this one.
    #[must_use]
    pub(crate) fn and(mut self, other: &Self) -> Self {
        self.approval.extend(other.approval.iter().cloned());
        self.cache = other.cache.clone().or(self.cache);
        self.input.extend(other.input.iter().cloned());
        self.output.extend(other.output.iter().cloned());
        self.on_error.extend(other.on_error.iter().cloned());
        self.fill = other.fill.clone().or(self.fill);
        self
    }

    /// The same stages with other filled-in parameters, or with none.
    pub(crate) fn filled(&self, fill: Option<Arc<dyn Fill>>) -> Self {
        Self { fill, ..self.clone() }
    }

    /// The same stages for a clone of their tool. Guardrails are cloned unless they were added as shared.
    pub(crate) fn for_clone(&self) -> Self {
        let input =
            self.input.iter().map(|guardrail| guardrail.for_clone().unwrap_or_else(|| Arc::clone(guardrail)));
        let output = self
            .output
            .iter()
            .map(|guardrail| guardrail.for_clone().unwrap_or_else(|| Arc::clone(guardrail)));
        Self { input: input.collect(), output: output.collect(), ..self.clone() }
    }

    /// Adds the services that the guardrails take.
    pub(crate) fn services(&self, taken: &mut ServiceTypes) {
        self.input.iter().for_each(|guardrail| guardrail.services_dyn(taken));
        self.output.iter().for_each(|guardrail| guardrail.services_dyn(taken));
    }

    pub(crate) fn fill(&self) -> Option<&dyn Fill> {
        self.fill.as_deref()
    }

    pub(crate) fn is_empty(&self) -> bool {
        !self.has_stages() && self.fill.is_none()
    }

    pub(crate) fn has_stages(&self) -> bool {
        let none = self.approval.is_empty() && self.cache.is_none();
        !(none && self.input.is_empty() && self.output.is_empty() && self.on_error.is_empty())
    }

    /// Runs a tool through its stages.
    ///
    /// Boxed, with the tool behind a pointer, so that the code is compiled in this crate once and not for
    /// every tool.
    pub(crate) fn run<'a>(
        &'a self,
        cx: &'a ToolContext,
        args: &'a mut Args,
        inside: &'a dyn Inside,
    ) -> BoxFuture<'a, ToolResult> {
        Box::pin(async move {
            if self.looks_at_args(cx) {
                bring_into_types(inside.definition(), args);
            }
            // The tool was declared with a cache, and its value later got the effect `Once`.
            if self.cache.is_some() && cx.definition().effect == Effect::Once {
                return Err(Exit::tool(no_cache_of_once(cx.tool_name())));
            }
            // Do not request approval for a call that would be refused. A guardrail may still correct the
            // arguments.
            if let Err(refusal) = self.check_args(cx, args, inside) {
                return if self.input.is_empty() {
                    self.leave(cx, args, Err(refusal)).await
                } else {
                    self.guarded(cx, args, inside).await
                };
            }
            self.approve(cx, args, inside).await?;
            let Some(cache) = &self.cache else { return self.guarded(cx, args, inside).await };
            match cache.lookup(cx, inside.final_args(args).as_mut(), self.fill()).await {
                Lookup::Hit(output) => Ok(output),
                Lookup::NotApplicable => self.guarded(cx, args, inside).await,
                Lookup::WithinItself => {
                    let text = format!(
                        "`{}` was called by itself with the same arguments, and its cache would wait for the result of \
                         the first call for ever",
                        cx.tool_name()
                    );
                    Err(Exit::Tool(ToolError::new(text)))
                }
                Lookup::Miss(flight) => {
                    let output = flight.around(self.guarded(cx, args, inside)).await?;
                    cache.keep(cx, &flight, &output);
                    Ok(output)
                }
            }
        })
    }

    /// Whether a stage reads the arguments before the tool does.
    fn looks_at_args(&self, cx: &ToolContext) -> bool {
        self.asks(cx) || self.cache.is_some() || !self.input.is_empty()
    }

    /// Whether a call may need approval, by the tool, its agent or a hook.
    fn asks(&self, cx: &ToolContext) -> bool {
        !self.approval.is_empty() || cx.has_outer_rules()
    }

    /// Whether a stage can change the arguments.
    pub(crate) fn can_change_args(&self) -> bool {
        !self.input.is_empty()
    }

    /// Checks the arguments of a call that may need approval.
    fn check_args(&self, cx: &ToolContext, args: &Args, inside: &dyn Inside) -> ToolResult<()> {
        if self.asks(cx) { inside.check_args(cx, args) } else { Ok(()) }
    }

    /// Asks for approval. Returns whether a person changed the arguments.
    async fn approve(&self, cx: &ToolContext, args: &mut Args, inside: &dyn Inside) -> ToolResult<bool> {
        let check = |args: &Args| inside.check_args(cx, args);
        approval::approve(&self.approval, cx, inside.definition(), &check, args).await
    }

    /// Runs the input guardrails until they leave the approved arguments unchanged. Returns the refusal of
    /// arguments that do not fit.
    async fn admit(
        &self,
        cx: &ToolContext,
        args: &mut Args,
        inside: &dyn Inside,
    ) -> ToolResult<Result<(), Exit>> {
        for _ in 0..MAX_APPROVALS {
            for guardrail in &self.input {
                admit(cx, args, &**guardrail).await?;
                bring_into_types(inside.definition(), args);
            }
            if self.input.is_empty() {
                return Ok(Ok(()));
            }
            if let Err(refusal) = self.check_args(cx, args, inside) {
                return Ok(Err(refusal));
            }
            // The approved arguments are the ones that run: changed arguments need approval again.
            if !self.approve(cx, args, inside).await? {
                return Ok(Ok(()));
            }
            // The cache key contains the arguments that were approved first.
            cx.stages(CallStages::exclude_from_caches);
        }
        Err(changed_again())
    }

    /// Runs the guardrails, and the tool between them.
    async fn guarded(&self, cx: &ToolContext, args: &mut Args, inside: &dyn Inside) -> ToolResult {
        if let Err(refusal) = self.admit(cx, args, inside).await? {
            return self.leave(cx, args, Err(refusal)).await;
        }
        // Outer guardrails and handlers see the result without secrets.
        cx.note_arguments(args);
        let call = async { cx.run().hide(inside.run(cx, args).await) };
        let result = Caught::new(call, cx, tool_panicked).await;
        self.leave(cx, args, result).await
    }

    /// Passes the tool's result through the stages after it.
    async fn leave(&self, cx: &ToolContext, args: &Args, result: ToolResult) -> ToolResult {
        let result = self.answer(cx, result).await;
        let has_run = cx.has_run();
        let (released, refused) = self.release(cx, args, result).await;
        if !refused || self.on_error.is_empty() {
            return released;
        }
        // The answer of an error handler is a result like any other, so the guardrails that refused check it
        // too.
        let answer = self.answer(cx, released).await;
        if has_run && answer.is_ok() {
            cx.note_success();
        }
        self.release(cx, args, answer).await.0
    }

    /// Passes a tool error to the error handlers.
    async fn answer(&self, cx: &ToolContext, mut result: ToolResult) -> ToolResult {
        for handler in &self.on_error {
            result = on_error::answer(cx, result, |error| handler(error, cx.to_owned_attempt())).await;
        }
        result
    }

    /// Passes a result through the output guardrails. Also returns whether one of them withheld it.
    async fn release(&self, cx: &ToolContext, args: &Args, result: ToolResult) -> (ToolResult, bool) {
        release(cx, args, result, self.output.iter().map(|guardrail| &**guardrail)).await
    }
}
