//! A time limit for the beginning of an answer.

use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use onionskin_core::model::{Model, ModelDelta, ModelError, ModelRequest, ModelResponse};

use crate::forward::forward;

/// Ends a request whose model is silent: without a piece of an answer after this time, the error is [`ModelError::Timeout`], which is
/// transient.
///
/// The limit of a run (`Limits::model_timeout`) ends the request of the whole wrapper. With this one, a
/// [`Fallback`](crate::Fallback) asks the next model, and a [`CircuitBreaker`](crate::Circuit) counts a failure. A model that does not
/// stream has its whole answer as its first piece.
///
/// ```
/// use std::time::Duration;
/// use onionskin::models::{Fallback, FirstTokenTimeout};
/// # use onionskin::{ScriptedModel, ScriptedTurn, agent};
/// # agent! { Poet { instruction: "Answer in rhyme." } }
/// # tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap().block_on(async {
/// # let mut late = ScriptedTurn::say("Much too late.");
/// # late.wait_ms = 60_000;
/// # let (large, small) = (ScriptedModel::turns([late]), ScriptedModel::turns([ScriptedTurn::say("A crab.")]));
/// let model = Fallback::new(FirstTokenTimeout::new(large, Duration::from_secs(10))).or(small);
/// assert_eq!(Poet::builder().model(model).run("A crab?").await.unwrap().text, "A crab.");
/// # });
/// ```
#[derive(Debug, Clone)]
pub struct FirstTokenTimeout<M> {
    model: M,
    time: Duration,
}

impl<M: Model> FirstTokenTimeout<M> {
    /// Wraps a model.
    pub fn new(model: M, time: Duration) -> Self {
        Self { model, time }
    }
}

impl<M: Model> Model for FirstTokenTimeout<M> {
    async fn respond(
        &self,
        request: &ModelRequest,
        deltas: &mut (dyn FnMut(ModelDelta) + Send),
    ) -> Result<ModelResponse, ModelError> {
        let has_begun = AtomicBool::new(false);
        let mut show = |delta| {
            if !matches!(delta, ModelDelta::Usage(_)) {
                has_begun.store(true, Ordering::Relaxed);
            }
            deltas(delta);
        };
        let mut answer = pin!(self.model.respond(request, &mut show));
        match tokio::time::timeout(self.time, answer.as_mut()).await {
            Ok(result) => result,
            Err(_) if has_begun.load(Ordering::Relaxed) => answer.await,
            Err(_) => Err(ModelError::timeout(self.time)),
        }
    }

    forward!(self => self.model);
}
