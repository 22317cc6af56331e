//! A circuit breaker around a model.

use onionskin_core::model::{Model, ModelDelta, ModelError, ModelRequest, ModelResponse};
use onionskin_hooks::CircuitBreaker;

use crate::forward::forward_all_but_check;
use crate::key::{key, without_call_key};
use crate::signs::is_piece;

/// Does not ask a model whose requests keep failing, until its [`CircuitBreaker`] lets a probe pass. All runs and models with one
/// breaker share its circuits; a circuit belongs to the provider and the name of a model ([`Model::identity`]). A
/// [`Fallback`](crate::Fallback) and a [`Router`](crate::Router) have those of their first model, so wrap each of their models instead.
///
/// The key of a provider and its address are no part of [`Model::identity`]. A model with the key or the endpoint of a user needs a breaker of
/// its own: otherwise, the failures of one user's endpoint open the circuit for all others.
///
/// A breaker with [`CircuitBreaker::keyed_by`] is an error when the agent is built ([`ModelError::Setup`]): its key is one of calls of tools.
///
/// ```
/// use std::time::Duration;
/// use onionskin::hooks::CircuitBreaker;
/// use onionskin::models::{Circuit, Fallback};
/// # use onionskin::{ScriptedModel, ScriptedTurn, agent};
/// # agent! { Poet { instruction: "Answer in rhyme." } }
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// # let large = std::sync::Arc::new(ScriptedModel::turns([ScriptedTurn::fail(503)]));
/// # let (asked, small) = (large.clone(), ScriptedModel::turns([ScriptedTurn::say("A crab.")]));
/// let breaker = CircuitBreaker::new(3, Duration::from_secs(30));
/// let model = Fallback::new(Circuit::new(large, breaker)).or(small);
/// let poet = Poet::builder().model(model).build().await.unwrap();
/// for _ in 0..10 {
///     assert_eq!(poet.run("A crab?").await.unwrap().text, "A crab.");
/// }
/// # assert_eq!(asked.requests().len(), 3);
/// # });
/// ```
///
/// While the circuit is open, a request ends with [`ModelError::Unavailable`]. It is transient: a run waits until the next probe, at most a
/// minute, and asks again (`Limits::model_retries`). The first piece of a probe's answer lets other requests pass.
///
/// A transient error of the model, a status of 500 or more and an answer that cannot be read are failures. Other errors and dropped requests say nothing about the
/// model, so a model that is silent needs a [`FirstTokenTimeout`](crate::FirstTokenTimeout) inside.
#[derive(Debug, Clone)]
pub struct Circuit<M> {
    model: M,
    breaker: CircuitBreaker,
}

impl<M: Model> Circuit<M> {
    /// Wraps a model.
    pub fn new(model: M, breaker: CircuitBreaker) -> Self {
        Self { model, breaker }
    }
}

impl<M: Model> Model for Circuit<M> {
    async fn respond(
        &self,
        request: &ModelRequest,
        deltas: &mut (dyn FnMut(ModelDelta) + Send),
    ) -> Result<ModelResponse, ModelError> {
        let key = key(&self.model, request);
        let mut permit = self.breaker.permit(&key).map_err(|open| {
            let retry_in = open.retry_in();
            ModelError::unavailable(format!("the circuit of {key} is open: {open}"), retry_in)
        })?;
        let mut has_begun = false;
        let mut show = |delta| {
            if !has_begun && is_piece(&delta) {
                has_begun = true;
                permit.responds();
            }
            deltas(delta);
        };
        let result = self.model.respond(request, &mut show).await;
        match &result {
            Ok(_) => permit.success(),
            Err(error) if is_failure(error) => permit.failure(),
            Err(_) => drop(permit),
        }
        result
    }

    fn check(&self, requested: Option<&str>) -> Result<(), ModelError> {
        without_call_key("circuit breaker", self.breaker.has_call_key())?;
        self.model.check(requested)
    }

    forward_all_but_check!(self => self.model);
}

fn is_failure(error: &ModelError) -> bool {
    match error {
        ModelError::Status { status, .. } => *status >= 500 || error.is_transient(),
        ModelError::Transport(_)
        | ModelError::Malformed(_)
        | ModelError::Incomplete(_)
        | ModelError::Timeout(_)
        | ModelError::Unended(_) => true,
        // Another wrapper did not ask the model.
        ModelError::Unavailable { .. }
        | ModelError::TooLong(_)
        | ModelError::Setup(_)
        | ModelError::NoKey { .. }
        | ModelError::Tools(_)
        | ModelError::Unsupported { .. }
        | ModelError::UnreadContent { .. }
        | ModelError::ToolChoice(_)
        | ModelError::Script(_)
        | _ => false,
    }
}
