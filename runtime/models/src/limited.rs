//! Rate limits around a model.

use std::cmp::Ordering;
use std::pin::pin;
use std::time::Duration;

use onionskin_core::model::{Model, ModelDelta, ModelError, ModelRequest, ModelResponse, Usage};
use onionskin_hooks::{RateLimit, RateLimitError};

use crate::forward::forward_all_but_check;
use crate::key::{key, without_call_key};
use crate::signs::waiting;

/// Asks a model no more often than [`RateLimit`]s allow. Requests wait in their order. All runs and models with one limit share its
/// permits; they belong to the provider and the name of a model ([`Model::identity`]). A [`Fallback`](crate::Fallback) and a
/// [`Router`](crate::Router) have those of their first model, so wrap each of their models instead.
///
/// The key of a provider and its address are no part of [`Model::identity`]. A model with the key or the endpoint of a user needs a limit of
/// its own: otherwise, what one user's account uses stops all others.
///
/// A limit with [`RateLimit::keyed_by`] is an error when the agent is built ([`ModelError::Setup`]): its key is one of calls of tools.
///
/// ```
/// use std::time::Duration;
/// use onionskin::hooks::RateLimit;
/// use onionskin::models::Limited;
/// # use onionskin::{ScriptedModel, ScriptedTurn, agent};
/// # agent! { Poet { instruction: "Answer in rhyme." } }
/// # tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap().block_on(async {
/// # let model = ScriptedModel::turns([ScriptedTurn::say("A crab.")]);
/// let minute = Duration::from_secs(60);
/// let model = Limited::new(model)
///     .requests(RateLimit::new(500, minute).burst(20))
///     .tokens(RateLimit::new(200_000, minute));
/// assert_eq!(Poet::builder().model(model).run("A crab?").await.unwrap().text, "A crab.");
/// # });
/// ```
///
/// The tokens of an answer are known at its end. A request first takes an estimate of its own tokens, a token for each four bytes of its
/// JSON and at most the limit's burst, and charges the rest afterwards, or gives it back if the estimate was too high: the text of an
/// image has many more bytes than the image has tokens. A model that reports no tokens has used the estimate. One answer charges at most
/// what [`RateLimit::charge`] takes at once, so a provider that reports billions of tokens does not stop all requests for long.
///
/// A run that is over or is cancelled gives up its place, and uses no permits. The wait counts as the model's work, so it ends with the
/// run's deadline, and after ten times `Limits::model_timeout` with [`ModelError::Unended`].
#[derive(Debug, Clone)]
pub struct Limited<M> {
    model: M,
    requests: Option<RateLimit>,
    tokens: Option<RateLimit>,
}

impl<M: Model> Limited<M> {
    /// Wraps a model, without a limit. An agent is built with it only after a limit was added ([`ModelError::Setup`]).
    pub fn new(model: M) -> Self {
        Self { model, requests: None, tokens: None }
    }

    /// Limits the requests: one permit for each.
    #[must_use]
    pub fn requests(mut self, limit: RateLimit) -> Self {
        self.requests = Some(limit);
        self
    }

    /// Limits the tokens of requests and answers: one permit for each.
    #[must_use]
    pub fn tokens(mut self, limit: RateLimit) -> Self {
        self.tokens = Some(limit);
        self
    }
}

impl<M: Model> Model for Limited<M> {
    async fn respond(
        &self,
        request: &ModelRequest,
        deltas: &mut (dyn FnMut(ModelDelta) + Send),
    ) -> Result<ModelResponse, ModelError> {
        let key = key(&self.model, request);
        let reserved = match &self.tokens {
            Some(limit) => Some(reserve(limit, &key, request, deltas).await?),
            None => None,
        };
        if let Some(limit) = &self.requests {
            wait(limit, &key, 1, deltas).await.map_err(|error| refused(&key, &error))?;
        }
        let Some(mut charge) = reserved.map(Reserved::charge) else {
            return self.model.respond(request, deltas).await;
        };
        let mut count = |delta| {
            if let ModelDelta::Usage(usage) = delta {
                charge.used = usage;
            }
            deltas(delta);
        };
        let response = self.model.respond(request, &mut count).await?;
        charge.used = response.usage;
        Ok(response)
    }

    fn check(&self, requested: Option<&str>) -> Result<(), ModelError> {
        if self.requests.is_none() && self.tokens.is_none() {
            let text = "`Limited` has no limit: add `.requests(..)` or `.tokens(..)`, or remove it";
            return Err(ModelError::setup(text));
        }
        for limit in [&self.requests, &self.tokens].into_iter().flatten() {
            without_call_key("rate limit", limit.has_call_key())?;
        }
        self.model.check(requested)
    }

    forward_all_but_check!(self => self.model);
}

/// Waits for the estimate of a request's tokens.
async fn reserve<'l>(
    limit: &'l RateLimit,
    key: &'l str,
    request: &ModelRequest,
    deltas: &mut (dyn FnMut(ModelDelta) + Send),
) -> Result<Reserved<'l>, ModelError> {
    let estimate = estimate(request)?;
    let permits = match wait(limit, key, estimate, deltas).await {
        // More than the limit ever has at once.
        Err(RateLimitError::MoreThanBurst { burst, .. }) => {
            wait(limit, key, burst, deltas).await.map(|()| burst)
        }
        other => other.map(|()| estimate),
    };
    let permits = permits.map_err(|error| refused(key, &error))?;
    Ok(Reserved { limit, key, permits })
}

/// An estimate of a request's tokens.
fn estimate(request: &ModelRequest) -> Result<u32, ModelError> {
    /// The bytes of a token.
    const BYTES: usize = 4;
    let bytes = serde_json::to_vec(request).map_err(|error| ModelError::setup(error.to_string()))?.len();
    Ok(u32::try_from(bytes / BYTES).unwrap_or(u32::MAX))
}

/// The tokens of a request whose model was not asked yet. They go back if it never is.
struct Reserved<'l> {
    limit: &'l RateLimit,
    key: &'l str,
    permits: u32,
}

impl<'l> Reserved<'l> {
    /// The model is asked now.
    fn charge(mut self) -> Charge<'l> {
        let reserved = std::mem::take(&mut self.permits);
        Charge { limit: self.limit, key: self.key, reserved, used: Usage::default() }
    }
}

impl Drop for Reserved<'_> {
    fn drop(&mut self) {
        if self.permits > 0 {
            // A key that has left has a full bucket.
            let _ = self.limit.give_back(self.key, self.permits);
        }
    }
}

/// Corrects the estimate of a request by what it used, also if it failed or was dropped.
struct Charge<'l> {
    limit: &'l RateLimit,
    key: &'l str,
    reserved: u32,
    used: Usage,
}

impl Drop for Charge<'_> {
    fn drop(&mut self) {
        let used = u32::try_from(self.used.total()).unwrap_or(u32::MAX);
        // Without room for the key nothing can be noted, and the answer is there.
        let _ = match used.cmp(&self.reserved) {
            Ordering::Greater => self.limit.charge(self.key, used - self.reserved),
            Ordering::Less if used > 0 => self.limit.give_back(self.key, self.reserved - used),
            Ordering::Less | Ordering::Equal => Ok(()),
        };
    }
}

/// The time between two signs that a request waits.
const SIGN: Duration = Duration::from_secs(1);

/// Waits for permits. The run ends a request whose model sends nothing for a time, so a wait sends empty counts of tokens.
async fn wait(
    limit: &RateLimit,
    key: &str,
    permits: u32,
    deltas: &mut (dyn FnMut(ModelDelta) + Send),
) -> Result<(), RateLimitError> {
    let mut permit = pin!(limit.acquire(key, permits));
    loop {
        match tokio::time::timeout(SIGN, permit.as_mut()).await {
            Ok(result) => return result,
            Err(_) => deltas(waiting()),
        }
    }
}

fn refused(key: &str, error: &RateLimitError) -> ModelError {
    ModelError::unavailable(format!("the limit of {key}: {error}"), None)
}
