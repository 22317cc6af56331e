//! Approval of calls: the approver, its requests and its answers.

use std::fmt;
use std::sync::Arc;

use futures_util::future::BoxFuture;

use crate::args::Args;
use crate::definition::Effect;

/// Decides whether a call may run, for tools with `approval`.
///
/// Set it where an agent or an app is built, for one run, or on a [`ToolSpec`](crate::ToolSpec) that is called
/// directly. Without an approver, such a call is refused. A closure implements it:
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
    /// Decides about one call. The wait for the decision is not part of the tool's `timeout`, and the call holds no
    /// permit of `max_parallel` meanwhile. A panic refuses the call.
    ///
    /// Cancel safety: if the future is dropped, for example because the run ends, the call does not run.
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

/// An [`Approver`] as a trait object.
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
    /// The call runs with exactly the arguments that were shown.
    Allow,
    /// The call is refused. The model gets the refusal, with the reason if there is one.
    Deny(Option<String>),
}

impl Approval {
    /// Refuses the call with a reason for the model.
    pub fn deny(reason: impl Into<String>) -> Self {
        Self::Deny(Some(reason.into()))
    }
}

/// A call that waits for approval. It owns its data, so it can be stored and shown elsewhere.
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

    /// The agent that makes the call.
    pub fn agent_name(&self) -> &str {
        &self.agent
    }

    /// The arguments of the call, without bound parameters. Secrets are masked.
    pub fn args(&self) -> &Args {
        &self.args
    }

    /// Whether the call may be repeated.
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

    /// The tool's reason for the approval, if it gives one. Secrets are masked.
    pub fn reason(&self) -> Option<&str> {
        self.reason.as_deref()
    }
}

impl fmt::Debug for dyn DynApprover {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Approver")
    }
}
