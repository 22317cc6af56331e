//! The declared policy of a tool.

use std::fmt;
use std::sync::Arc;

use super::cache::Cache;
use super::guardrail::{InputGuardrail, OutputGuardrail};
use super::stages::Stages;
use crate::approval::Needed;
use crate::onion::{DynHook, Hook, MadeBy, Values};
use crate::policy::ErrorHandler;

/// Hooks and stages around a tool: guardrails, approval, a cache, error handlers, filled-in values.
///
/// `#[tool]` creates it from the options of a function, and a [`ToolSpec`](crate::ToolSpec) from its
/// additions. Other code neither creates nor reads one. A wrapper of a tool receives one in
/// [`Tool::with_policy`](crate::Tool::with_policy) or
/// [`DynTool::with_policy_dyn`](crate::DynTool::with_policy_dyn), and forwards it to the wrapped tool:
///
/// ```
/// use onionskin::spec::ToolPolicy;
/// use onionskin::{Args, Tool, ToolContext, ToolDefinition, ToolResult, ToolSpec, call, tool};
///
/// /// Prints each call of another tool.
/// struct Printed<T>(T);
///
/// impl<T: Tool> Tool for Printed<T> {
///     const NAME: &'static str = T::NAME;
///     type State = T::State;
///
///     fn definition(&self) -> &ToolDefinition {
///         self.0.definition()
///     }
///
///     async fn run(&self, cx: &ToolContext, args: &mut Args) -> ToolResult {
///         println!("{} {}", cx.tool_name(), args.text());
///         self.0.run_staged(cx, args).await
///     }
///
///     fn fit_args(&self, _: &ToolContext, _: &mut Args) -> ToolResult<()> {
///         Ok(()) // the tool inside checks them
///     }
///
///     fn check_args(&self, cx: &ToolContext, args: &Args) -> ToolResult<()> {
///         self.0.check_args(cx, args)
///     }
///
///     fn with_policy(&self, more: &ToolPolicy) -> Option<Self> {
///         Some(Self(self.0.with_policy(more)?))
///     }
/// }
///
/// /// Reads a page.
/// #[tool(approval)]
/// fn read(url: &str, key: &str) -> String {
///     format!("{url} with a key of {} letters", key.len())
/// }
///
/// let mut spec = ToolSpec::new(Printed(read::default()));
/// spec.approver(|_| async { onionskin::approval::Approval::Allow });
/// // The value reaches the function only: `run` above does not print it, and the approver does not see it.
/// spec.bind("key", None, Some("s3cret".into())).unwrap();
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// assert_eq!(call!(spec, url = "/").await.unwrap(), "/ with a key of 6 letters");
/// # });
/// ```
///
/// A wrapper passes `None` on as well: the wrapped tool has no place for the additions, so the `ToolSpec`
/// runs them around the wrapper. A wrapper that returns `Some` without forwarding the policy loses the added
/// guardrails.
#[derive(Clone, Default)]
pub struct ToolPolicy {
    pub(crate) hooks: Vec<Arc<dyn DynHook>>,
    pub(crate) stages: Stages,
}

/// Names and counts, without values.
impl fmt::Debug for ToolPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hooks: Vec<_> = self.hooks.iter().map(|hook| hook.name()).collect();
        f.debug_struct("ToolPolicy").field("hooks", &hooks).field("stages", &self.stages).finish()
    }
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

    /// Requires approval for calls for which the function returns `Some`, with an optional reason.
    #[must_use]
    pub fn approval_if(mut self, needed: Needed) -> Self {
        self.stages.approval.push(needed);
        self
    }

    #[must_use]
    pub fn cache(mut self, cache: Cache) -> Self {
        self.stages.cache = Some(cache);
        self
    }

    #[must_use]
    pub fn input(mut self, guardrail: impl InputGuardrail) -> Self {
        self.stages.input.push(Arc::new(guardrail));
        self
    }

    #[must_use]
    pub fn output(mut self, guardrail: impl OutputGuardrail) -> Self {
        self.stages.output.push(Arc::new(guardrail));
        self
    }

    /// Appends the stages of another policy.
    #[must_use]
    pub fn and(mut self, other: &Self) -> Self {
        self.stages = self.stages.and(&other.stages);
        self
    }
}

/// Adds the function of `on_error`, which handles the tool's errors.
pub fn recover<M>(mut policy: ToolPolicy, on_error: impl ErrorHandler<M>) -> ToolPolicy {
    policy.stages.on_error.push(Arc::new(move |error, cx| on_error.handle(error, cx)));
    policy
}
