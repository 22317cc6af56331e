//! Adding stages to a tool: approval, cache, guardrails and error handlers.

use std::future::Future;
use std::sync::Arc;

use super::added::Added;
use super::toolspec::ToolSpec;
use crate::approval::NeedsApproval;
use crate::context::ToolContext;
use crate::policy::{Cache, InputGuardrails, OutputGuardrails, Stages, no_cache_of_once};
use onionskin_definitions::args::Args;
use onionskin_definitions::definition::Effect;
use onionskin_definitions::error::{ToolError, ToolResult};

impl ToolSpec {
    /// Requires approval for every call, as `#[tool(approval)]` does: by the agent's approver, or by
    /// [`Self::approver`].
    pub fn approval(&mut self) -> &mut Self {
        self.approval_if(|_| true)
    }

    /// Requires approval for calls for which the function returns `true`, or `Some` with a reason. Earlier
    /// rules still apply.
    pub fn approval_if<R: NeedsApproval>(
        &mut self,
        needed: impl Fn(&Args) -> R + Send + Sync + 'static,
    ) -> &mut Self {
        self.change(|stages| stages.approval.push(Arc::new(move |args| needed(args).needed())));
        self.note_approval();
        self
    }

    /// Caches results, as `#[tool(cache)]` does. It replaces the tool's own cache.
    ///
    /// # Panics
    /// Panics if the tool has the effect `Once`, because each of its calls must run. Agent tools and tools of
    /// MCP servers without hints have this effect. [`Self::options`] can change it.
    pub fn cache(&mut self, cache: Cache) -> &mut Self {
        assert!(self.own.effect != Effect::Once, "{}", no_cache_of_once(self.name()));
        self.change(|stages| stages.cache = Some(cache))
    }

    /// Adds input guardrails: one, a tuple, or a list. They run in the order in which they are added, after
    /// the declared ones, for every kind of tool.
    ///
    /// They see the arguments of the caller, without hidden values. On a tool that was declared with hooks or
    /// guardrails they run inside these, and see the tool's own names and hidden values. They never see bound
    /// parameters. A rule about a parameter should refuse calls without that parameter, because a later
    /// [`transform`](Self::transform) can rename or hide it.
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
        self.change(|stages| stages.input.extend(guardrails.list()))
    }

    /// Adds output guardrails: one, a tuple, or a list. They run in the order in which they are added, after
    /// the declared ones.
    pub fn add_output_guardrails(&mut self, guardrails: impl OutputGuardrails) -> &mut Self {
        self.change(|stages| stages.output.extend(guardrails.list()))
    }

    /// Adds a function that handles tool errors of the tool and of earlier handlers, including refusals of
    /// output guardrails. It does not receive stops, aborts and refusals of input guardrails. If the function
    /// returns another tool error, the model gets both.
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
        self.change(|stages| stages.on_error.push(Arc::new(move |error, cx| Box::pin(on_error(error, cx)))))
    }

    /// Changes the added stages.
    fn change(&mut self, change: impl FnOnce(&mut Stages)) -> &mut Self {
        let mut stages = Stages::clone(&self.added.stages);
        change(&mut stages);
        self.takes(|taken| stages.services(taken));
        self.added = Added::new(&self.tool, stages);
        self
    }
}
