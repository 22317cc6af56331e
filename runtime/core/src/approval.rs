//! Who approves calls: what is asked, and what is answered.

use std::fmt;
use std::sync::Arc;

use futures_util::future::BoxFuture;

use crate::args::Args;
use crate::definition::Effect;

/// Who is asked whether a call may be made, for tools with `approval`.
///
/// It is set where an agent or an app is built, for one run, or on a [`ToolSpec`](crate::ToolSpec) that is called directly.
/// Without one, such a call is refused. A closure will do:
///
/// ```
/// use onionskin::{ToolSpec, call, tool};
/// use onionskin::approval::{Approval, ApprovalRequest};
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
    pub(crate) tool: Arc<str>,
    pub(crate) agent: Arc<str>,
    pub(crate) args: Args,
    pub(crate) effect: Effect,
    pub(crate) call_id: Arc<str>,
    pub(crate) correlation_id: Arc<str>,
    pub(crate) reason: Option<String>,
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

    /// The id of the run, as [`ToolContext::correlation_id`](crate::ToolContext::correlation_id).
    pub fn correlation_id(&self) -> &str {
        &self.correlation_id
    }

    /// Why it has to be approved, if the tool says so; a secret in it is masked.
    pub fn reason(&self) -> Option<&str> {
        self.reason.as_deref()
    }
}

impl fmt::Debug for dyn DynApprover {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Approver")
    }
}
