//! Token counts of each model.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{ModelIdentity, Usage};

/// The tokens of each model, because models have different [prices](super::Prices).
///
/// A model has the name under which it was requested, as in [`ModelIdentity::model`]; a model without a name has
/// the name of its provider. A model that asks one of several models says which ([`ModelResponse::billed_as`](super::ModelResponse::billed_as)). The value is that of a run, a session or a user: add what belongs together.
///
/// ```
/// use onionskin::model::{Usage, UsageByModel};
///
/// let mut session = UsageByModel::new();
/// session.add("small", Usage::new(120, 8));
/// session.add("large", Usage::new(500, 90));
///
/// let mut user = UsageByModel::new();
/// user += &session;
/// user.add("small", Usage::new(30, 2));
/// assert_eq!(user.get("small").unwrap().total(), 160);
/// assert_eq!(user.total().total(), 750);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(from = "BTreeMap<Arc<str>, Usage>", into = "BTreeMap<Arc<str>, Usage>")]
pub struct UsageByModel(
    /// Sorted by name. A run has few models, and a list of one is smaller than a map.
    Vec<(Arc<str>, Usage)>,
);

impl From<BTreeMap<Arc<str>, Usage>> for UsageByModel {
    fn from(models: BTreeMap<Arc<str>, Usage>) -> Self {
        Self(models.into_iter().collect())
    }
}

impl From<UsageByModel> for BTreeMap<Arc<str>, Usage> {
    fn from(models: UsageByModel) -> Self {
        models.0.into_iter().collect()
    }
}

impl UsageByModel {
    /// No tokens.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds tokens of a model.
    pub fn add(&mut self, model: impl Into<Arc<str>>, usage: Usage) {
        let model = model.into();
        match self.find(&model) {
            Ok(at) => self.0[at].1 += usage,
            Err(at) => self.0.insert(at, (model, usage)),
        }
    }

    /// The tokens of the model with this name.
    pub fn get(&self, model: &str) -> Option<Usage> {
        self.find(model).ok().map(|at| self.0[at].1)
    }

    /// The place of a name, or the place for it.
    fn find(&self, model: &str) -> Result<usize, usize> {
        self.0.binary_search_by(|(known, _)| (**known).cmp(model))
    }

    /// The names of the models and their tokens, in the order of the names.
    pub fn iter(&self) -> impl Iterator<Item = (&str, Usage)> {
        self.0.iter().map(|(model, usage)| (&**model, *usage))
    }

    /// The sum over all models.
    pub fn total(&self) -> Usage {
        let mut total = Usage::default();
        self.0.iter().for_each(|(_, usage)| total += *usage);
        total
    }

    /// Whether no model was asked.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl std::ops::AddAssign<&Self> for UsageByModel {
    fn add_assign(&mut self, other: &Self) {
        other.0.iter().for_each(|(model, usage)| self.add(Arc::clone(model), *usage));
    }
}

/// For the crates of the runtime.
#[doc(hidden)]
impl ModelIdentity {
    /// The name in [`UsageByModel`].
    pub fn billed_name(&self) -> &str {
        self.model().unwrap_or(self.provider())
    }
}
