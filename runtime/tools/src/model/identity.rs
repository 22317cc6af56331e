//! The identity of a model.

use std::borrow::Cow;

/// The provider and the name of the model that answers a request
/// ([`Model::identity`](super::Model::identity)).
///
/// ```
/// use onionskin::model::{Model, ModelIdentity};
/// use onionskin::ScriptedModel;
///
/// let asked = ScriptedModel::new().identity(Some("small"));
/// assert_eq!(asked, ModelIdentity::new("onionskin", Some("small")));
/// assert_eq!((asked.provider(), asked.model()), ("onionskin", Some("small")));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelIdentity {
    provider: Cow<'static, str>,
    model: Option<Box<str>>,
}

impl ModelIdentity {
    /// Creates an identity. `model` is `None` if the name is unknown.
    pub fn new(provider: impl Into<Cow<'static, str>>, model: Option<&str>) -> Self {
        Self { provider: provider.into(), model: model.map(Into::into) }
    }

    /// The provider's name, as OpenTelemetry's `gen_ai.provider.name`.
    pub fn provider(&self) -> &str {
        &self.provider
    }

    /// The model's name, as OpenTelemetry's `gen_ai.request.model`.
    pub fn model(&self) -> Option<&str> {
        self.model.as_deref()
    }
}
