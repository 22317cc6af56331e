//! Approval of calls: the approver, its requests and its answers.

use std::fmt;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use onionskin_definitions::args::Args;
use onionskin_definitions::definition::Effect;
use onionskin_definitions::output::ToolOutput;
use onionskin_definitions::setters;

/// Decides whether a call may run, for tools with `approval`.
///
/// Set it where an agent or an app is built, for one run, or on a [`ToolSpec`](crate::ToolSpec) that is
/// called directly. Without an approver, such a call is refused. A closure implements it:
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
    /// Decides about one call. The wait for the decision is not part of the tool's `timeout`, and the call
    /// holds no permit of `max_parallel` meanwhile. A panic refuses the call.
    ///
    /// Cancel safety: if the future is dropped, for example because the run ends, the call does not run.
    fn approve(&self, request: ApprovalRequest) -> impl Future<Output = Approval> + Send;

    /// Decides about a call in doubt: the tool's effect is [`Effect::Once`], and an earlier run with the same
    /// id ended while the tool ran. [`ApprovalRequest::reason`] describes the case. The default
    /// implementation returns [`Resolution::Unknown`], and so does a panic: the call then ends with
    /// `ErrorKind::InDoubt`.
    ///
    /// ```
    /// use onionskin::approval::{Approval, ApprovalRequest, Approver, Resolution};
    ///
    /// /// Asks the bank.
    /// struct Bank;
    ///
    /// impl Approver for Bank {
    ///     async fn approve(&self, _: ApprovalRequest) -> Approval {
    ///         Approval::Allow
    ///     }
    ///
    ///     async fn resolve(&self, call: ApprovalRequest) -> Resolution {
    ///         # fn booked(_: &str) -> Option<bool> { None }
    ///         match booked(call.idempotency_key()) {
    ///             Some(true) => Resolution::took_effect("paid"),
    ///             Some(false) => Resolution::RunAgain,
    ///             None => Resolution::Unknown,
    ///         }
    ///     }
    /// }
    /// ```
    ///
    /// Cancel safety: if the future is dropped, the call stays in doubt, and the next run asks again.
    fn resolve(&self, call: ApprovalRequest) -> impl Future<Output = Resolution> + Send {
        let _ = call;
        async { Resolution::Unknown }
    }
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

/// Shared by runs, agents or direct calls.
#[diagnostic::do_not_recommend]
impl<T: Approver> Approver for Arc<T> {
    fn approve(&self, request: ApprovalRequest) -> impl Future<Output = Approval> + Send {
        (**self).approve(request)
    }

    fn resolve(&self, call: ApprovalRequest) -> impl Future<Output = Resolution> + Send {
        (**self).resolve(call)
    }
}

/// An [`Approver`] as a trait object.
pub trait DynApprover: Send + Sync + 'static {
    /// As [`Approver::approve`].
    fn approve_dyn(&self, request: ApprovalRequest) -> BoxFuture<'_, Approval>;

    /// As [`Approver::resolve`].
    fn resolve_dyn(&self, call: ApprovalRequest) -> BoxFuture<'_, Resolution>;
}

impl<A: Approver> DynApprover for A {
    fn approve_dyn(&self, request: ApprovalRequest) -> BoxFuture<'_, Approval> {
        Box::pin(async move { self.approve(request).await })
    }

    fn resolve_dyn(&self, call: ApprovalRequest) -> BoxFuture<'_, Resolution> {
        Box::pin(async move { self.resolve(call).await })
    }
}

/// The answer of an [`Approver`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[must_use = "an answer does nothing until it is given"]
#[non_exhaustive]
pub enum Approval {
    /// The call runs with exactly the arguments that were shown.
    Allow,
    /// As [`Allow`](Self::Allow). Later calls of the tool by the same agent, in the same session and for the
    /// same user (`RunRequest::user`), need no approval; [`Always`] selects which. Outside a session it
    /// equals `Allow`. [`Session::save`](crate::Session::save) does not store it, so a restored session asks
    /// again.
    AllowAlways(Always),
    /// As [`Allow`](Self::Allow), with these arguments, which must fit the tool's schema. An argument that
    /// equals the one shown keeps its original value, also if it was masked.
    /// [`EventKind::ArgumentsChanged`](crate::event::EventKind::ArgumentsChanged) reports the new arguments;
    /// the conversation keeps the call as the model wrote it.
    AllowWith(Map<String, Value>),
    /// The call is refused. The model gets the refusal, with the reason if there is one.
    Deny(Option<String>),
}

/// Which later calls of a session need no approval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Always {
    /// Calls of the tool with the same arguments, compared as JSON values.
    Arguments,
    /// All calls of the tool.
    Tool,
}

impl Approval {
    /// Refuses the call with a reason for the model.
    pub fn deny(reason: impl Into<String>) -> Self {
        Self::Deny(Some(reason.into()))
    }
}

/// The answer of an [`Approver`] about a call in doubt.
#[derive(Debug, Clone)]
#[must_use = "an answer does nothing until it is given"]
#[non_exhaustive]
pub enum Resolution {
    /// Nobody can tell. The call ends with `ErrorKind::InDoubt`.
    Unknown,
    /// The tool had no effect. It runs.
    RunAgain,
    /// The tool took effect with this result. It does not run again.
    TookEffect(ToolOutput),
}

impl Resolution {
    /// The tool took effect, with this result.
    pub fn took_effect(output: impl Into<ToolOutput>) -> Self {
        Self::TookEffect(output.into())
    }
}

/// A call that waits for approval. It owns its data, so a program can store it and show it elsewhere.
///
/// A test of an approver creates one:
///
/// ```
/// use onionskin::Args;
/// use onionskin::approval::{Approval, ApprovalRequest};
///
/// async fn up_to_a_hundred(request: ApprovalRequest) -> Approval {
///     if request.args()["cents"].as_u64().is_some_and(|cents| cents <= 100) { Approval::Allow } else { Approval::Deny(None) }
/// }
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let request = ApprovalRequest::new("pay", Args::from(r#"{"cents": 500}"#)).with_reason("a large amount");
/// assert_eq!(up_to_a_hundred(request).await, Approval::Deny(None));
/// # });
/// ```
#[derive(Debug, Clone)]
pub struct ApprovalRequest {
    pub(crate) tool: Arc<str>,
    pub(crate) agent: Arc<str>,
    pub(crate) args: Args,
    pub(crate) effect: Effect,
    pub(crate) call_id: Arc<str>,
    pub(crate) idempotency_key: Arc<str>,
    pub(crate) correlation_id: Arc<str>,
    pub(crate) reason: Option<String>,
}

impl ApprovalRequest {
    /// A request for a call of this tool, for tests of approvers. The tool's effect is [`Effect::Once`].
    pub fn new(tool_name: impl Into<Arc<str>>, args: Args) -> Self {
        Self {
            tool: tool_name.into(),
            agent: "agent".into(),
            args,
            effect: Effect::Once,
            call_id: "call_1".into(),
            idempotency_key: Arc::default(),
            correlation_id: Arc::default(),
            reason: None,
        }
    }

    setters! {
        /// Sets [`agent_name`](Self::agent_name).
        with_agent(name: impl Into<Arc<str>>) => agent = name.into();

        /// Sets [`effect`](Self::effect).
        with_effect(effect: Effect) => effect = effect;

        /// Sets [`call_id`](Self::call_id).
        with_call_id(id: impl Into<Arc<str>>) => call_id = id.into();

        /// Sets [`idempotency_key`](Self::idempotency_key).
        with_idempotency_key(key: impl Into<Arc<str>>) => idempotency_key = key.into();

        /// Sets [`correlation_id`](Self::correlation_id).
        with_correlation_id(id: impl Into<Arc<str>>) => correlation_id = id.into();

        /// Sets [`reason`](Self::reason).
        with_reason(text: impl Into<String>) => reason = Some(text.into());
    }

    /// The tool's name as hooks see it.
    pub fn tool_name(&self) -> &str {
        &self.tool
    }

    /// The agent that makes the call.
    pub fn agent_name(&self) -> &str {
        &self.agent
    }

    /// The arguments of the call, without bound parameters. Secrets are masked. Indexing an argument that the
    /// tool does not have panics, as in hooks, and a panic of an approver refuses the call.
    pub fn args(&self) -> &Args {
        &self.args
    }

    /// Whether the call may be repeated.
    pub fn effect(&self) -> Effect {
        self.effect
    }

    /// The id that the model gave the call.
    pub fn call_id(&self) -> &str {
        &self.call_id
    }

    /// The `IdempotencyKey` of the call, with which a service can look up the request.
    pub fn idempotency_key(&self) -> &str {
        &self.idempotency_key
    }

    /// The id of the run, as [`ToolContext::correlation_id`](crate::ToolContext::correlation_id).
    pub fn correlation_id(&self) -> &str {
        &self.correlation_id
    }

    /// The reason why the tool needs approval, if it gives one. Secrets are masked.
    pub fn reason(&self) -> Option<&str> {
        self.reason.as_deref()
    }
}

impl fmt::Debug for dyn DynApprover {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Approver")
    }
}

/// A return type of a rule for approval, such as a tool's `approval = path` function: whether a call needs approval, or the reason for it.
/// Programs do not implement it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say whether a call has to be approved",
    label = "not a yes or no",
    note = "write `fn(&Args) -> bool`, or `fn(&Args) -> Option<String>` to give a reason"
)]
pub trait NeedsApproval {
    /// `None` if the call needs no approval, else `Some` with an optional reason.
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

/// Decides by the arguments whether a call needs approval: `Some` with an optional reason if it does.
pub type ApprovalRule = dyn Fn(&Args) -> Option<Option<String>> + Send + Sync;

/// A shared rule for calls that need approval.
pub type Needed = Arc<ApprovalRule>;
