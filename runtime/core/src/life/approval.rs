//! Calls that somebody has to approve before they are made.

use std::fmt;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;

use crate::args::Args;
use crate::context::ToolContext;
use crate::definition::Effect;
use crate::error::{ErrorKind, Exit, ToolError, ToolResult};
use crate::onion::panic_words;

/// Who is asked whether a call may be made, for tools with `approval`.
///
/// It is set where an agent or an app is built, for one run, or on a [`ToolSpec`](crate::ToolSpec) that is called directly.
/// Without one, such a call is refused. A closure will do:
///
/// ```
/// use onionskin::{Approval, ApprovalRequest, ToolSpec, call, tool};
///
/// /// Pays.
/// #[tool(approval)]
/// fn pay(cents: u32) -> String {
///     format!("paid {cents}")
/// }
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let refused = call!(pay::spec(), cents = 5).await.unwrap_err();
/// assert_eq!(refused.to_string(), "Tool execution was not approved.");
///
/// let mut pay = pay::spec();
/// pay.approver(|request: ApprovalRequest| async move {
///     if request.args()["cents"].as_u64().is_some_and(|cents| cents < 100) { Approval::Allow } else { Approval::deny("too much") }
/// });
/// assert_eq!(call!(pay, cents = 5).await.unwrap(), "paid 5");
/// let refused = call!(pay, cents = 500).await.unwrap_err();
/// assert_eq!(refused.to_string(), "Tool execution was not approved: too much");
/// # });
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot approve calls",
    label = "not an approver",
    note = "write a closure, `|request: ApprovalRequest| async move {{ Approval::Allow }}`, or implement `Approver` for the type"
)]
pub trait Approver: Send + Sync + 'static {
    /// Decides about one call. A panic is a refusal; if the future is dropped, because of a time limit for example, the call
    /// is not made.
    fn approve(&self, request: ApprovalRequest) -> impl Future<Output = Approval> + Send;
}

#[diagnostic::do_not_recommend]
impl<F, Fut> Approver for F
where
    F: Fn(ApprovalRequest) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Approval> + Send,
{
    fn approve(&self, request: ApprovalRequest) -> impl Future<Output = Approval> + Send {
        self(request)
    }
}

/// An [`Approver`] whose type is not known.
pub(crate) trait DynApprover: Send + Sync + 'static {
    fn approve_dyn(&self, request: ApprovalRequest) -> BoxFuture<'_, Approval>;
}

impl<A: Approver> DynApprover for A {
    fn approve_dyn(&self, request: ApprovalRequest) -> BoxFuture<'_, Approval> {
        Box::pin(async move { self.approve(request).await })
    }
}

/// The answer of an [`Approver`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use = "an answer does nothing until it is given"]
#[non_exhaustive]
pub enum Approval {
    /// The call is made, with just the arguments that were shown.
    Allow,
    /// The call is not made; the model is told so, and why if there is a reason.
    Deny(Option<String>),
}

impl Approval {
    /// The call is not made; the model is told why.
    pub fn deny(reason: impl Into<String>) -> Self {
        Self::Deny(Some(reason.into()))
    }
}

/// A call that waits to be approved. It owns what it tells, so that it can be kept and shown elsewhere.
#[derive(Debug, Clone)]
pub struct ApprovalRequest {
    tool: Arc<str>,
    agent: Arc<str>,
    args: Args,
    effect: Effect,
    call_id: Arc<str>,
    correlation_id: Arc<str>,
    reason: Option<String>,
}

impl ApprovalRequest {
    /// The tool's name as hooks see it.
    pub fn tool_name(&self) -> &str {
        &self.tool
    }

    /// The agent whose call it is.
    pub fn agent_name(&self) -> &str {
        &self.agent
    }

    /// The arguments that the tool will get, without those that a state fills; a secret in them is masked.
    pub fn args(&self) -> &Args {
        &self.args
    }

    /// Whether the call could be repeated.
    pub fn effect(&self) -> Effect {
        self.effect
    }

    /// The id that the model gave the call.
    pub fn tool_use_id(&self) -> &str {
        &self.call_id
    }

    /// The id of the run, as [`ToolContext::correlation_id`].
    pub fn correlation_id(&self) -> &str {
        &self.correlation_id
    }

    /// Why it has to be approved, if the tool says so; a secret in it is masked.
    pub fn reason(&self) -> Option<&str> {
        self.reason.as_deref()
    }
}

/// What a tool's `approval = path` can give: whether a call has to be approved, or why.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say whether a call has to be approved",
    label = "not a yes or no",
    note = "it is `fn(&Args) -> bool`, or `fn(&Args) -> Option<String>` to give a reason"
)]
pub trait NeedsApproval {
    #[doc(hidden)]
    fn needed(self) -> Option<Option<String>>;
}

#[diagnostic::do_not_recommend]
impl NeedsApproval for bool {
    fn needed(self) -> Option<Option<String>> {
        self.then_some(None)
    }
}

#[diagnostic::do_not_recommend]
impl<T: Into<String>> NeedsApproval for Option<T> {
    fn needed(self) -> Option<Option<String>> {
        self.map(|reason| Some(reason.into()))
    }
}

/// Which calls of a tool have to be approved.
pub(crate) type Needed = Arc<dyn Fn(&Args) -> Option<Option<String>> + Send + Sync>;

/// What has to be approved by the one or the other.
pub(super) fn either(one: Needed, other: Needed) -> Needed {
    Arc::new(move |args| match (one(args), other(args)) {
        (Some(reason), Some(more)) => Some(reason.or(more)),
        (needed, None) | (None, needed) => needed,
    })
}

/// Asks for a call, if it has to be approved and was not with these arguments.
pub(super) async fn approve(needed: &Needed, cx: &ToolContext, args: &Args) -> ToolResult<()> {
    let Some(reason) = needed(args) else { return Ok(()) };
    let text = args.text();
    if cx.life(|life| life.is_approved(&text)) {
        return Ok(());
    }
    let Some(approver) = cx.run().approver() else {
        tracing::warn!(
            tool = cx.tool_name(),
            "a call has to be approved and nobody is there to do it, so it is refused: set `.approver(..)` on the agent's \
             builder, on the run's request, or on a `ToolSpec` that is called directly"
        );
        return Err(refused(None));
    };
    let asked = AssertUnwindSafe(approver.approve_dyn(request(cx, args, reason))).catch_unwind();
    // Others go on while a person thinks.
    match cx.without_slot(asked).await {
        Ok(Approval::Allow) => {
            cx.life(|life| life.approve(text));
            Ok(())
        }
        Ok(Approval::Deny(reason)) => Err(refused(reason)),
        Err(panic) => {
            let reason = cx.run().hide_text(panic_words(panic));
            tracing::error!(
                tool = cx.tool_name(),
                reason = &*reason,
                "the approver panicked, so the call is refused"
            );
            Err(refused(None))
        }
    }
}

fn request(cx: &ToolContext, args: &Args, reason: Option<String>) -> ApprovalRequest {
    let mut args = args.clone();
    let text = args.text();
    let shown = cx.run().hide_text(&*text);
    if *shown != *text {
        args = Args::from(shown.into_owned());
    }
    ApprovalRequest {
        tool: cx.tool_name().into(),
        agent: cx.agent_name().into(),
        args,
        effect: cx.definition().effect,
        call_id: cx.tool_use_id().into(),
        correlation_id: cx.correlation_id().into(),
        reason: reason.map(|reason| cx.run().hide_text(reason).into_owned()),
    }
}

fn refused(reason: Option<String>) -> Exit {
    let text = match reason {
        Some(reason) => format!("Tool execution was not approved: {reason}"),
        None => "Tool execution was not approved.".to_owned(),
    };
    Exit::Tool(ToolError::new(text).with_kind(ErrorKind::Denied))
}

impl fmt::Debug for dyn DynApprover {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Approver")
    }
}
