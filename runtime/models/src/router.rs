//! A model for each request, by a rule.

use std::fmt;
use std::sync::Arc;

use onionskin_core::model::{Model, ModelDelta, ModelError, ModelRequest, ModelResponse};

use crate::candidates::{Candidates, ask};
use crate::forward::forward_all_but_check;

/// Chooses a model for each request, by a rule that returns the model's name in the router.
///
/// ```
/// use onionskin::models::Router;
/// use onionskin::{ScriptedModel, ScriptedTurn, agent};
///
/// agent! { Poet { instruction: "Answer in rhyme." } }
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// # let says = |text: &str| ScriptedModel::turns([ScriptedTurn::say(text)]);
/// let (small, large) = (says("A crab."), says("A long conversation."));
/// let model = Router::new("small", small)
///     .route("large", large)
///     .rule(|request| if request.messages.len() > 20 { "large" } else { "small" });
/// assert_eq!(Poet::builder().model(model).run("A crab?").await.unwrap().text, "A crab.");
/// # });
/// ```
///
/// Only what all models support can be requested, and all of them are checked when an agent is built, because the rule knows
/// whole requests only. Schemas of typed answers, instructions, spans and the data of providers are as with
/// [`Fallback`](crate::Fallback).
#[derive(Clone)]
pub struct Router {
    names: Vec<Arc<str>>,
    models: Candidates,
    rule: Rule,
}

type Rule = Arc<dyn Fn(&ModelRequest) -> &'static str + Send + Sync>;

impl Router {
    /// Creates a router with this model, which answers until there is a [`rule`](Self::rule).
    pub fn new(name: &'static str, model: impl Model) -> Self {
        Self { names: vec![name.into()], models: Candidates::new(model), rule: Arc::new(move |_| name) }
    }

    /// Adds a model.
    #[must_use]
    pub fn route(mut self, name: impl Into<Arc<str>>, model: impl Model) -> Self {
        self.names.push(name.into());
        self.models.push(model);
        self
    }

    /// Sets the rule. A name that no model has ends the request with [`ModelError::Setup`].
    #[must_use]
    pub fn rule(mut self, rule: impl Fn(&ModelRequest) -> &'static str + Send + Sync + 'static) -> Self {
        self.rule = Arc::new(rule);
        self
    }

    fn names(&self) -> String {
        self.names.join(", ")
    }
}

impl Model for Router {
    async fn respond(
        &self,
        request: &ModelRequest,
        deltas: &mut (dyn FnMut(ModelDelta) + Send),
    ) -> Result<ModelResponse, ModelError> {
        let chosen = (self.rule)(request);
        let model = self.names.iter().zip(self.models.iter()).find(|(name, _)| ***name == *chosen);
        let Some((_, model)) = model else {
            return Err(ModelError::setup(format!(
                "the rule of the router chose `{chosen}`, and its models are: {}",
                self.names()
            )));
        };
        ask(model, request, deltas).await
    }

    /// All models, and their names.
    fn check(&self, requested: Option<&str>) -> Result<(), ModelError> {
        for (index, name) in self.names.iter().enumerate() {
            if self.names[..index].contains(name) {
                return Err(ModelError::setup(format!("the router has two models with the name `{name}`")));
            }
        }
        self.models.check(requested)
    }

    forward_all_but_check!(self => self.models);
}

impl fmt::Debug for Router {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Router").field("names", &self.names).finish_non_exhaustive()
    }
}
