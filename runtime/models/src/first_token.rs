//! A time limit for the beginning of an answer.

use std::pin::pin;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use onionskin_core::model::{Model, ModelDelta, ModelError, ModelRequest, ModelResponse};
use tokio::time::{Instant, timeout};

use crate::forward::forward;
use crate::signs::{is_piece, waiting};

/// Ends a request whose model is silent: without a piece of an answer after this time, the error is [`ModelError::Timeout`], which is
/// transient.
///
/// The limit of a run (`Limits::model_timeout`) ends the request of the whole wrapper. With this one, a
/// [`Fallback`](crate::Fallback) asks the next model, and a [`CircuitBreaker`](crate::Circuit) counts a failure. A model that does not
/// stream has its whole answer as its first piece. The time begins when the model is asked: a wait for the permits of a
/// [`Limited`](crate::Limited) inside does not count.
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
    ///
    /// # Panics
    /// Panics if the time is zero, because every request would fail.
    pub fn new(model: M, time: Duration) -> Self {
        assert!(
            !time.is_zero(),
            "a `FirstTokenTimeout` of zero fails every request: set a longer time, or remove it"
        );
        Self { model, time }
    }
}

impl<M: Model> Model for FirstTokenTimeout<M> {
    async fn respond(
        &self,
        request: &ModelRequest,
        deltas: &mut (dyn FnMut(ModelDelta) + Send),
    ) -> Result<ModelResponse, ModelError> {
        let silence = Silence(Mutex::new(Some(Instant::now())));
        let mut show = |delta| {
            if is_piece(&delta) {
                silence.set(None);
            } else if delta == waiting() && silence.since().is_some() {
                silence.set(Some(Instant::now()));
            }
            deltas(delta);
        };
        let mut answer = pin!(self.model.respond(request, &mut show));
        while let Some(since) = silence.since() {
            let rest = self.time.saturating_sub(since.elapsed());
            if rest.is_zero() {
                return Err(ModelError::timeout(self.time));
            }
            if let Ok(result) = timeout(rest, answer.as_mut()).await {
                return result;
            }
        }
        answer.await
    }

    forward!(self => self.model);
}

/// Since when the model is silent; `None` after the first piece.
struct Silence(Mutex<Option<Instant>>);

impl Silence {
    fn since(&self) -> Option<Instant> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set(&self, since: Option<Instant>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = since;
    }
}
