//! The hook [`require_approval`](struct@require_approval): a person decides about some calls.

mod condition;

use std::fmt;
use std::sync::Arc;

use onionskin_core::approval::{NeedsApproval, RequireApproval};
use onionskin_core::made::FromValues;
use onionskin_core::services::ServiceTypes;
use onionskin_core::{Args, Hook, Inject as _, Next, ToolContext, ToolResult};

pub(crate) use condition::Condition;

/// Asks a person about the calls for which `when` returns `true`, or `Some` with a reason. As for tools with `approval`, the approver of the
/// run answers, and without one the run pauses.
///
/// ```
/// use onionskin::approval::{Approval, ApprovalRequest};
/// use onionskin::hooks::require_approval;
/// use onionskin::{RunError, ScriptedModel, ScriptedTurn, agent, tool};
/// use serde_json::json;
///
/// /// Pays.
/// #[tool(effect = once)]
/// fn pay(cents: u64) -> String {
///     format!("paid {cents}")
/// }
///
/// agent! {
///     Payer {
///         instruction: "Pay.",
///         function_tools: [pay],
///         tool_hooks: [require_approval(|_, args| args["cents"].as_u64().is_none_or(|cents| cents > 1_000)) for [pay]],
///     }
/// }
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let model = || ScriptedModel::turns([ScriptedTurn::call("pay", json!({ "cents": 5_000 })), ScriptedTurn::say("{last}")]);
/// let Err(RunError::Paused(paused)) = Payer::builder().model(model()).run("Go.").await else { panic!("it pauses") };
/// assert_eq!(paused.questions()[0].arguments(), &json!({ "cents": 5_000 }));
///
/// let payer = Payer::builder().model(model()).approver(|_: ApprovalRequest| async { Approval::deny("too much") });
/// assert_eq!(payer.run("Go.").await.unwrap().text, "Tool execution was not approved: too much");
/// # });
/// ```
///
/// The function gets the call and the final arguments, after all hooks and guardrails, and again if they change. So its place among the hooks
/// does not matter, and no other hook can let the call through. Only `call_original` of an outer hook leaves this hook out, as any other.
/// With the filter `everywhere`, it also asks about the calls of children. Write rules that are safe for missing arguments, as in the example.
/// A replay asks the function again, so it should not depend on the time or a counter.
///
/// Errors: a refused call ends in a tool error of kind `Denied`. A function that panics refuses the call, with an error of kind `Panic`. Errors of
/// the tool are returned unchanged.
///
/// Cancellation: a call that is dropped while it waits for the person does not run.
///
/// Tools with `effect = once`: the hook never calls a tool twice, and a refused call did not run.
#[derive(Clone)]
pub struct require_approval {
    when: Arc<Rule>,
}

type Rule = dyn Fn(&ToolContext, &Args) -> Need + Send + Sync;

/// A function in a list of hooks.
type When = fn(&ToolContext, &Args) -> bool;

/// Whether a call needs approval, with an optional reason.
enum Need {
    None,
    Approval(Option<String>),
}

impl NeedsApproval for Need {
    fn needed(self) -> Option<Option<String>> {
        match self {
            Self::None => None,
            Self::Approval(reason) => Some(reason),
        }
    }
}

impl require_approval {
    /// Creates the hook with the function that selects the calls.
    #[must_use]
    pub fn new<R: NeedsApproval>(when: impl Fn(&ToolContext, &Args) -> R + Send + Sync + 'static) -> Self {
        let when =
            move |cx: &ToolContext, args: &Args| when(cx, args).needed().map_or(Need::None, Need::Approval);
        Self { when: Arc::new(when) }
    }
}

impl From<(When,)> for require_approval {
    fn from((when,): (When,)) -> Self {
        Self::new(when)
    }
}

#[diagnostic::do_not_recommend]
impl Hook for require_approval {
    type Made = FromValues<(When,)>;

    fn services(taken: &mut ServiceTypes) {
        RequireApproval::services(taken);
    }

    async fn call<N: Next>(&self, cx: &ToolContext, args: &mut Args, next: N) -> ToolResult {
        let when = Arc::clone(&self.when);
        RequireApproval::inject(cx)?.run(args, next, move |cx, args| when(cx, args)).await
    }
}

impl fmt::Debug for require_approval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("require_approval").finish_non_exhaustive()
    }
}
