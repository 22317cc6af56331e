//! The stages that are added to a tool: approval, a cache, guardrails, and what answers for its errors.

use std::future::Future;
use std::sync::Arc;

use super::toolspec::ToolSpec;
use crate::args::Args;
use crate::context::ToolContext;
use crate::definition::Effect;
use crate::error::{ToolError, ToolResult};
use crate::policy::{
    Cache, Fill, InputGuardrails, NeedsApproval, OutputGuardrails, Stages, ToolPolicy, no_cache_of_once,
};
use crate::tool::DynTool;

/// What was added, and where it stands.
#[derive(Clone, Default)]
pub(super) struct Added {
    stages: Arc<Stages>,
    /// The tool that holds it: one with stages or hooks of its own, inside of which it belongs.
    tool: Option<Arc<dyn DynTool>>,
}

impl Added {
    fn new(bare: &Arc<dyn DynTool>, stages: Stages) -> Self {
        let policy = ToolPolicy { stages, ..ToolPolicy::default() };
        Self { tool: bare.with_policy_dyn(&policy), stages: Arc::new(policy.stages) }
    }

    /// The tool that holds what was added.
    pub(super) fn tool(&self) -> Option<&Arc<dyn DynTool>> {
        self.tool.as_ref()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.stages.is_empty()
    }

    /// What has to be run around the tool.
    pub(super) fn around(&self) -> Option<&Stages> {
        (self.tool.is_none() && self.stages.has_stages()).then_some(&*self.stages)
    }

    /// What has to be filled in outside of the tool: one with stages or hooks of its own does it inside of them.
    pub(super) fn fill(&self) -> Option<&dyn Fill> {
        if self.tool.is_none() { self.stages.fill() } else { None }
    }

    /// The same around a tool of which other parameters are filled in.
    pub(super) fn filled(&self, bare: &Arc<dyn DynTool>, fill: Option<Arc<dyn Fill>>) -> Self {
        if fill.is_none() && self.stages.fill().is_none() {
            return self.clone();
        }
        Self::new(bare, self.stages.filled(fill))
    }

    /// The same around a tool of its own, for a clone.
    pub(super) fn fork(&self, bare: &Arc<dyn DynTool>, fill: Option<Arc<dyn Fill>>) -> Self {
        Self::new(bare, self.stages.for_clone().filled(fill))
    }
}

impl ToolSpec {
    /// Has every call approved, as `#[tool(approval)]`: by the agent's approver, or by [`Self::approver`].
    pub fn approval(&mut self) -> &mut Self {
        self.approval_if(|_| true)
    }

    /// Has the calls approved of which the function says so: `true`, or `Some` with a reason. What had to be approved before
    /// still has to be.
    pub fn approval_if<R: NeedsApproval>(
        &mut self,
        needed: impl Fn(&Args) -> R + Send + Sync + 'static,
    ) -> &mut Self {
        self.change(|stages| stages.needs_approval(Arc::new(move |args| needed(args).needed())))
    }

    /// Keeps results, as `#[tool(cache)]`; in place of the tool's own cache, if it has one.
    ///
    /// # Panics
    /// If the tool has the effect [`Once`](crate::Effect::Once), which agent tools have and tools of MCP servers that give no
    /// hint: each of its calls has to be made. [`Self::options`] says that it has another one.
    pub fn cache(&mut self, cache: Cache) -> &mut Self {
        assert!(self.own_definition().effect != Effect::Once, "{}", no_cache_of_once(self.name()));
        self.change(|stages| stages.set_cache(cache))
    }

    /// Adds input guardrails: one, a tuple, or a list. They run in the order in which they are added, after those that the
    /// tool was declared with, whatever it was made from.
    ///
    /// They see the arguments as the caller gives them, without what is hidden; on a tool that was declared with hooks or
    /// guardrails they run inside of these and see what these see: the tool's own names, and hidden values. What is bound they
    /// do not see. A rule about a parameter refuses a call in which it does not find the parameter: a later
    /// [`transform`](Self::transform) may rename or hide it.
    ///
    /// ```
    /// use onionskin::{Args, ToolSpec, call, guardrail};
    ///
    /// #[derive(serde::Deserialize, schemars::JsonSchema)]
    /// struct Query {
    ///     query: String,
    /// }
    ///
    /// #[guardrail(input)]
    /// fn no_secrets(args: &Args) -> Result<(), String> {
    ///     if args["query"].as_str().is_some_and(|text| text.contains("key")) {
    ///         return Err("secrets are not looked for".to_owned());
    ///     }
    ///     Ok(())
    /// }
    ///
    /// let mut spec = ToolSpec::from_fn("search", "Searches.", |args: Query, _| async move { Ok(args.query) });
    /// spec.add_input_guardrails(no_secrets::new());
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// assert_eq!(call!(spec, query = "my key").await.unwrap_err().to_string(), "secrets are not looked for");
    /// # });
    /// ```
    pub fn add_input_guardrails(&mut self, guardrails: impl InputGuardrails) -> &mut Self {
        self.change(|stages| stages.add_input(guardrails.list()))
    }

    /// Adds output guardrails: one, a tuple, or a list. They run in the order in which they are added, after those that the
    /// tool was declared with.
    pub fn add_output_guardrails(&mut self, guardrails: impl OutputGuardrails) -> &mut Self {
        self.change(|stages| stages.add_output(guardrails.list()))
    }

    /// Adds a function that answers a tool error: of the tool, and of the functions that were declared or added before it.
    /// What an output guardrail withholds is one of them; a stop, an abort and what an input guardrail refuses pass it by. If
    /// it ends with another tool error, the model is told both.
    ///
    /// ```
    /// use onionskin::{ToolOutput, ToolSpec};
    ///
    /// let mut spec = ToolSpec::from_fn("fail", "Fails.", |(): (), _| async { Err::<u8, _>("down".into()) });
    /// spec.add_on_error_func(|error, cx| async move {
    ///     Ok(ToolOutput::text(format!("{} is {error}", cx.tool_name())))
    /// });
    /// assert_eq!(spec.call_blocking("{}").unwrap(), "fail is down");
    /// ```
    pub fn add_on_error_func<F, Fut>(&mut self, on_error: F) -> &mut Self
    where
        F: Fn(ToolError, ToolContext) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = ToolResult> + Send + 'static,
    {
        self.change(|stages| stages.add_on_error(Arc::new(on_error)))
    }

    /// Whether a cache was added.
    pub(super) fn is_cached(&self) -> bool {
        self.added.stages.is_cached()
    }

    /// Changes what is added.
    fn change(&mut self, change: impl FnOnce(&mut Stages)) -> &mut Self {
        let mut stages = Stages::clone(&self.added.stages);
        change(&mut stages);
        self.added = Added::new(self.bare_tool(), stages);
        self
    }
}
