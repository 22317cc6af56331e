//! The next model when one fails.

use onionskin_core::model::{Model, ModelDelta, ModelError, ModelRequest, ModelResponse, Usage};

use crate::candidates::{Candidates, ask};
use crate::forward::forward_all_but_check;
use crate::signs::waiting;

/// Asks the next model when one fails. Each request begins with the first model.
///
/// ```
/// use onionskin::model::ModelError;
/// use onionskin::models::Fallback;
/// use onionskin::{ScriptedModel, ScriptedTurn, agent};
///
/// agent! { Poet { instruction: "Answer in rhyme." } }
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let busy = ScriptedModel::turns([ScriptedTurn::fail(529)]);
/// let other = ScriptedModel::turns([ScriptedTurn::say("A crab on the slab.")]);
/// let output = Poet::builder().model(Fallback::new(busy).or(other)).run("A crab?").await.unwrap();
/// assert_eq!(output.text, "A crab on the slab.");
/// # });
/// ```
///
/// The next model is asked only while nothing of an answer was shown, and only after an error of this model or its account:
/// - a transient error ([`ModelError::is_transient`]), any status of 500 or more, an answer that cannot be read,
/// - a conversation that is too long for this model,
/// - the status 401, 402, 403 or 404, and a provider that says that a retry fails too: a key, a credit or a model that is gone. The status
///   400, 409, 413 or 422 with those words is a mistake in the request.
///
/// Any other error is returned at once, because it is a mistake in the request or in the program, and another model would hide it. If all models fail, the error is the first
/// transient one, so that the run asks again, or else the first one.
///
/// A model that is silent is an error only for the whole run ([`ModelError::Timeout`]): wrap it in a
/// [`FirstTokenTimeout`](crate::FirstTokenTimeout).
///
/// Only what all models support can be requested, and all of them are checked when an agent is built. Where their rules for the
/// schema of a typed answer differ, the answer is requested as a tool call. Instructions and spans are those of the first model;
/// [`ModelResponse::model`] names the model that answered. The data of a provider ([`ModelResponse::provider_data`]) go back only to
/// models with that provider's name.
///
/// The tokens of failed models count for the model that answered, also in its cost ([`ModelResponse::billed_as`]).
#[derive(Debug, Clone)]
pub struct Fallback(Candidates);

impl Fallback {
    /// Asks this model first. An agent is built with it only after another one was added with [`Self::or`] ([`ModelError::Setup`]).
    pub fn new(model: impl Model) -> Self {
        Self(Candidates::new(model))
    }

    /// Asks this model after those before it have failed.
    #[must_use]
    pub fn or(mut self, model: impl Model) -> Self {
        self.0.push(model);
        self
    }
}

impl Model for Fallback {
    async fn respond(
        &self,
        request: &ModelRequest,
        deltas: &mut (dyn FnMut(ModelDelta) + Send),
    ) -> Result<ModelResponse, ModelError> {
        let mut spent = Usage::default();
        let mut failed: Option<ModelError> = None;
        for model in self.0.iter() {
            let (mut is_shown, mut billed) = (false, Usage::default());
            let mut show = |delta| match delta {
                ModelDelta::Usage(usage) => {
                    billed = usage;
                    let mut all = spent;
                    all += usage;
                    if delta == waiting() && all != usage {
                        // The sum would hide that the model waits. It follows, because counts replace each other.
                        deltas(waiting());
                    }
                    deltas(ModelDelta::Usage(all));
                }
                ModelDelta::Text(_) | ModelDelta::Reasoning(_) | ModelDelta::ToolCall(_) => {
                    is_shown = true;
                    deltas(delta);
                }
            };
            let error = match ask(model, request, &mut show).await {
                Ok(mut response) => {
                    response.usage += spent;
                    return Ok(response);
                }
                Err(error) => error,
            };
            if is_shown || !is_of_the_model(&error) {
                return Err(error);
            }
            spent += billed;
            failed = Some(match failed {
                Some(first) if first.is_transient() || !error.is_transient() => first,
                Some(_) | None => error,
            });
        }
        // There is a first model, and it failed.
        Err(failed.unwrap_or_else(|| ModelError::setup("a fallback has no model")))
    }

    /// All models.
    fn check(&self, requested: Option<&str>) -> Result<(), ModelError> {
        if self.0.iter().nth(1).is_none() {
            return Err(ModelError::setup(
                "`Fallback` has one model: add another one with `.or(..)`, or remove it",
            ));
        }
        self.0.check(requested)
    }

    forward_all_but_check!(self => self.0);
}

/// Whether an error is one of the model or its account, so that another model may answer.
fn is_of_the_model(error: &ModelError) -> bool {
    match error {
        // Also if the provider says that a retry fails too: the request is the reason.
        ModelError::Status { status: 400 | 409 | 413 | 422, .. } => error.is_transient(),
        ModelError::Status { status, lasts, .. } => {
            *lasts || *status >= 500 || error.is_transient() || matches!(status, 401..=404)
        }
        ModelError::TooLong(_)
        | ModelError::Transport(_)
        | ModelError::Malformed(_)
        | ModelError::Incomplete(_)
        | ModelError::Timeout(_)
        | ModelError::Unavailable { .. } => true,
        ModelError::Unended(_)
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
