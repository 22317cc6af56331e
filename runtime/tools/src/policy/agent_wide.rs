//! The guardrails of an agent and its rules for approval: inside its hooks, around the calls of all its tools,
//! whatever their source.

use std::sync::Arc;

use futures_util::future::BoxFuture;

use super::approval::approve;
use super::check::{admit, release};
use super::guardrail::{DynInputGuardrail, DynOutputGuardrail};
use crate::approval::{ApprovalRule, Needed, NeedsApproval};
use crate::context::{Guards, Inject, RunContext, ToolContext, ToolEntry};
use crate::onion::Next;
use crate::services::ServiceTypes;
use onionskin_definitions::args::Args;
use onionskin_definitions::definition::{bring_into_types, check_any_args};
use onionskin_definitions::error::{Exit, ToolResult};

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
    /// The calls of the hooks that may require approval.
    pub hooks_that_ask: Vec<Concerns>,
}

/// Asks for the calls of agents without guardrails.
static NO_GUARDRAILS: AgentGuardrails = AgentGuardrails {
    input: Vec::new(),
    output: Vec::new(),
    approval: Vec::new(),
    hooks_that_ask: Vec::new(),
};

/// Requires approval of the call of a hook, which takes it as a parameter. The approver of the run answers, and without
/// one the run pauses ([`RunError::Paused`](crate::question)), as for tools with `approval`.
///
/// ```
/// use onionskin::approval::RequireApproval;
/// use onionskin::{Args, Next, RunError, ScriptedModel, ScriptedTurn, ToolResult, agent, tool, tool_hook};
/// use serde_json::json;
///
/// /// A person decides about large amounts.
/// #[tool_hook]
/// async fn large_amounts(#[inject] approval: RequireApproval<'_>, args: &mut Args, next: impl Next) -> ToolResult {
///     approval.run(args, next, |_, args| args["cents"].as_u64().is_none_or(|cents| cents > 1_000)).await
/// }
///
/// /// Pays.
/// #[tool]
/// fn pay(cents: u64) -> String {
///     format!("paid {cents}")
/// }
///
/// agent! { Payer { instruction: "Pay.", function_tools: [pay], tool_hooks: [large_amounts] } }
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let model = ScriptedModel::turns([ScriptedTurn::call("pay", json!({ "cents": 5_000 }))]);
/// let Err(RunError::Paused(paused)) = Payer::builder().model(model).run("Go.").await else { panic!("it pauses") };
/// assert_eq!(paused.questions()[0].arguments(), &json!({ "cents": 5_000 }));
/// # });
/// ```
///
/// A hook that is written by hand gets one with [`Inject::inject`], and passes its
/// [`services`](crate::Hook::services) on to [`Inject::services`], so that runs keep what a pause needs:
///
/// ```
/// use onionskin::approval::RequireApproval;
/// use onionskin::services::ServiceTypes;
/// use onionskin::{Args, Hook, Inject, Next, ToolContext, ToolResult, made};
///
/// /// A person decides about each call of a guest.
/// #[derive(Default)]
/// struct Guests;
///
/// impl Hook for Guests {
///     type Made = made::ByDefault;
///
///     fn services(taken: &mut ServiceTypes) {
///         RequireApproval::services(taken);
///     }
///
///     async fn call<N: Next>(&self, cx: &ToolContext, args: &mut Args, next: N) -> ToolResult {
///         let is_guest = |cx: &ToolContext, _: &Args| (cx.run().user() == Some("guest")).then_some("a guest asks");
///         RequireApproval::inject(cx)?.run(args, next, is_guest).await
///     }
/// }
/// ```
#[derive(Debug, Clone, Copy)]
pub struct RequireApproval<'c>(&'c ToolContext);

impl RequireApproval<'_> {
    /// Runs the rest of the call in place of `next`, and requires approval of it if `rule` returns `true`, or `Some` with a reason. The rule
    /// gets the final arguments, after all hooks and guardrails, under the names that the hook sees, and again if they change; a rule that
    /// panics refuses the call. It applies to all attempts of the call from now on. A replay asks it again, so record before what it needs of the
    /// time, a counter or another program ([`ToolContext::record`]).
    ///
    /// It takes `next`, because a rule that came after the tool ran, or in the tool itself, would have no effect. A typed hook runs inside
    /// of the place where a person is asked, so it cannot require approval.
    ///
    /// Cancel safety: a call that is dropped while it waits for the person does not run.
    ///
    /// # Errors
    /// Returns the exit of the rest of the call; a refused call is a tool error of kind [`Denied`](onionskin_definitions::error::ErrorKind::Denied).
    pub async fn run<N: Next, R: NeedsApproval>(
        self,
        args: &mut Args,
        next: N,
        rule: impl Fn(&ToolContext, &Args) -> R + Send + Sync + 'static,
    ) -> ToolResult {
        self.0.add_hook_rule(Arc::new(move |cx, args| rule(cx, args).needed()), &NO_GUARDRAILS);
        next.run(args).await
    }
}

#[diagnostic::do_not_recommend]
impl<'a> Inject<'a> for RequireApproval<'a> {
    fn inject(cx: &'a ToolContext) -> Result<Self, Exit> {
        Ok(Self(cx))
    }

    fn services(taken: &mut ServiceTypes) {
        taken.add_approval();
    }
}

impl AgentGuardrails {
    /// Whether there are no guardrails.
    pub fn is_empty(&self) -> bool {
        self.input.is_empty()
            && self.output.is_empty()
            && self.approval.is_empty()
            && self.hooks_that_ask.is_empty()
    }

    /// The names of the guardrails that check a call's arguments, and of those that check its result.
    pub fn names(&self, call: &ToolContext) -> [Vec<String>; 2] {
        let input = self.input.iter().filter(|one| one.checks(call)).map(|one| one.guardrail.name());
        let output = self.output.iter().filter(|one| one.checks(call)).map(|one| one.guardrail.name());
        [input.map(str::to_owned).collect(), output.map(str::to_owned).collect()]
    }
}

/// A call of a tool outside of runs, for filters.
fn call_of(tool: &ToolEntry) -> ToolContext {
    ToolContext::new(RunContext::detached(), Arc::new(tool.clone()), Arc::from(""), 0, 0)
}

impl Guards for AgentGuardrails {
    fn approval(&self, tool: &ToolEntry) -> Vec<Needed> {
        if self.approval.is_empty() {
            return Vec::new();
        }
        let call = call_of(tool);
        let rules = self.approval.iter().filter(|one| one.checks(&call));
        rules.map(|one| Arc::clone(&one.guardrail)).collect()
    }

    fn hooks_may_ask(&self, tool: &ToolEntry) -> bool {
        if self.hooks_that_ask.is_empty() {
            return false;
        }
        let call = call_of(tool);
        self.hooks_that_ask.iter().any(|concerns| concerns(&call))
    }

    fn approve<'a>(&'a self, cx: &'a ToolContext, args: &'a mut Args) -> BoxFuture<'a, ToolResult<()>> {
        Box::pin(async move {
            let definition = cx.definition();
            bring_into_types(definition, args);
            let check = |args: &Args| match cx.dynamic() {
                Some(tool) => tool.check(cx, args),
                None => check_any_args(definition, args),
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
