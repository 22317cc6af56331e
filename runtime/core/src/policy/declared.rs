//! The declared policy of a tool.

use std::future::ready;
use std::sync::Arc;

use super::approval::Needed;
use super::cache::Cache;
use super::guardrail::{InputGuardrail, OutputGuardrail};
use super::on_error::OnError;
use super::stages::Stages;
use crate::context::ToolContext;
use crate::error::{ToolError, ToolResult};
use crate::onion::{DynHook, Hook, MadeBy, Values};

/// Hooks and stages around a tool: guardrails, approval, a cache, error handlers, values that are filled in.
///
/// `#[tool]` makes it of the options of a function, and a [`ToolSpec`](crate::ToolSpec) of its additions. Wrappers of tools
/// pass it on, see [`DynTool::with_policy_dyn`](crate::DynTool::with_policy_dyn).
#[derive(Clone, Default)]
pub struct ToolPolicy {
    pub(crate) hooks: Vec<Arc<dyn DynHook>>,
    pub(crate) stages: Stages,
}

#[doc(hidden)]
impl ToolPolicy {
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a hook inside the earlier ones, constructed from its configuration.
    #[must_use]
    pub fn hook<H: Hook>(mut self, with: Values<H>) -> Self {
        self.hooks.push(Arc::new(<H::Made as MadeBy<H>>::configure(with)));
        self
    }

    /// Requires approval for every call.
    #[must_use]
    pub fn approval(self) -> Self {
        self.approval_if(Arc::new(|_| Some(None)))
    }

    /// Requires approval for the calls for which the function returns `Some`, with an optional reason.
    #[must_use]
    pub fn approval_if(mut self, needed: Needed) -> Self {
        self.stages.needs_approval(needed);
        self
    }

    #[must_use]
    pub fn cache(mut self, cache: Cache) -> Self {
        self.stages.set_cache(cache);
        self
    }

    #[must_use]
    pub fn input(mut self, guardrail: impl InputGuardrail) -> Self {
        self.stages.add_input([Arc::new(guardrail) as _]);
        self
    }

    #[must_use]
    pub fn output(mut self, guardrail: impl OutputGuardrail) -> Self {
        self.stages.add_output([Arc::new(guardrail) as _]);
        self
    }

    /// Adds an error handler.
    #[must_use]
    fn on_error(mut self, handler: Arc<dyn OnError>) -> Self {
        self.stages.add_on_error(handler);
        self
    }

    /// The same policy with the stages of another one after its own.
    #[must_use]
    pub fn and(mut self, other: &Self) -> Self {
        self.stages = self.stages.and(&other.stages);
        self
    }
}

/// A function that handles a tool's errors, declared with `on_error`.
#[doc(hidden)]
pub fn recover(policy: ToolPolicy, on_error: fn(&ToolContext, ToolError) -> ToolResult) -> ToolPolicy {
    policy.on_error(Arc::new(move |error, cx: ToolContext| ready(on_error(&cx, error))))
}
