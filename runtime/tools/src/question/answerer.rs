//! Answerers of questions.

use std::fmt;
use std::sync::Arc;

use futures_util::future::BoxFuture;

use super::{Answer, Question};

/// Answers the questions of runs while they wait: a terminal, a page, a channel to another part of the
/// program.
///
/// Set it where an agent or an app is built, or for one run. If there is an
/// [`Approver`](crate::approval::Approver), that one decides about approvals. A closure implements it:
///
/// ```
/// use onionskin::question::{Answer, Question};
/// use onionskin::{ScriptedModel, ScriptedTurn, agent, tool};
/// use serde_json::json;
///
/// /// Pays.
/// #[tool(approval)]
/// fn pay(cents: u32) -> String {
///     format!("paid {cents}")
/// }
///
/// agent! { Payer { instruction: "Pay.", function_tools: [pay] } }
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let model = ScriptedModel::turns([ScriptedTurn::call("pay", json!({ "cents": 5 })), ScriptedTurn::say("{last}")]);
/// let payer = Payer::builder().model(model).answerer(|question: Question| async move {
///     let small = question.arguments()["cents"].as_u64().is_some_and(|cents| cents < 100);
///     Some(if small { Answer::allow() } else { Answer::deny("too much") })
/// });
/// assert_eq!(payer.run("Pay.").await.unwrap().text, "paid 5");
/// # });
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot answer questions",
    label = "not an answerer",
    note = "write a closure, `|question: Question| async move {{ Some(Answer::allow()) }}`, or implement `Answerer` for the type"
)]
pub trait Answerer: Send + Sync + 'static {
    /// Answers one question. `None` leaves it open: when the other calls of the turn have ended, the run ends
    /// with `RunError::Paused`. The wait does not count towards the tool's `timeout`, and the call holds no
    /// `max_parallel` permit meanwhile. After a panic or an answer that does not fit, the tool gets
    /// [`AskError::Answerer`](super::AskError::Answerer), and a call that needs approval is refused.
    ///
    /// Cancel safety: if the future is dropped, for example because the run ends, the question is asked again
    /// when the run is resumed.
    fn answer(&self, question: Question) -> impl Future<Output = Option<Answer>> + Send;
}

#[diagnostic::do_not_recommend]
impl<F, Fut> Answerer for F
where
    F: Fn(Question) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Option<Answer>> + Send,
{
    fn answer(&self, question: Question) -> impl Future<Output = Option<Answer>> + Send {
        self(question)
    }
}

/// Shared by runs or agents.
#[diagnostic::do_not_recommend]
impl<T: Answerer> Answerer for Arc<T> {
    fn answer(&self, question: Question) -> impl Future<Output = Option<Answer>> + Send {
        (**self).answer(question)
    }
}

/// An [`Answerer`] as a trait object.
pub trait DynAnswerer: Send + Sync + 'static {
    /// As [`Answerer::answer`].
    fn answer_dyn(&self, question: Question) -> BoxFuture<'_, Option<Answer>>;
}

impl<A: Answerer> DynAnswerer for A {
    fn answer_dyn(&self, question: Question) -> BoxFuture<'_, Option<Answer>> {
        Box::pin(async move { self.answer(question).await })
    }
}

impl fmt::Debug for dyn DynAnswerer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Answerer")
    }
}
