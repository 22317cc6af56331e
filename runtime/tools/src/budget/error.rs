//! Errors of budgets.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use onionskin_definitions::secret::{Redact, Redactor};

use super::amounts::Resource;
use crate::model::UnpricedModel;

/// Why a run cannot spend from its budgets.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BudgetError {
    /// The next request or call does not fit into a budget. In a run this is `RunError::Limit`.
    #[error("the limit of {0} is reached")]
    Exceeded(BudgetExceeded),
    /// The store could not read or write what is spent.
    #[error("the store of budgets failed: {reason}")]
    #[non_exhaustive]
    Storage {
        /// The reason of the store.
        reason: String,
    },
    /// A budget has a price list without the model that would be asked or that answered.
    #[error("the budget `{budget}` limits money, and {source}")]
    #[non_exhaustive]
    Unpriced {
        /// The budget.
        budget: Arc<str>,
        /// The model.
        source: UnpricedModel,
    },
    /// The budget belongs to a user, and the run has none.
    #[error("the budget `{budget}` belongs to a user, and the run has none: call `RunRequest::user`")]
    #[non_exhaustive]
    NoUser {
        /// The budget.
        budget: Arc<str>,
    },
    /// Two budgets of a run have the same name, scope and window, and differ in their amounts or prices.
    #[error(
        "two budgets of the run are called `{budget}` and differ, but would count as one: give one of them another name"
    )]
    #[non_exhaustive]
    Conflict {
        /// The name.
        budget: Arc<str>,
    },
    /// The budget limits nothing, or allows nothing.
    #[error("the budget `{budget}` is not usable: {mistake}")]
    #[non_exhaustive]
    NoEffect {
        /// The budget.
        budget: Arc<str>,
        /// What is wrong, and what to write instead.
        mistake: &'static str,
    },
}

impl BudgetError {
    /// The store could not read or write.
    pub fn storage(reason: impl fmt::Display) -> Self {
        Self::Storage { reason: reason.to_string() }
    }
}

impl Redact for BudgetError {
    fn redact(&mut self, redactor: &Redactor) {
        match self {
            Self::Storage { reason } => reason.redact(redactor),
            Self::Exceeded(_)
            | Self::Unpriced { .. }
            | Self::NoUser { .. }
            | Self::Conflict { .. }
            | Self::NoEffect { .. } => {}
        }
    }
}

/// A request or a call does not fit into a budget.
#[derive(Clone, PartialEq, Eq)]
pub struct BudgetExceeded(Box<Parts>);

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Parts {
    pub(super) budget: Arc<str>,
    pub(super) resource: Resource,
    pub(super) max: u64,
    pub(super) spent: u64,
    pub(super) needed: u64,
    pub(super) retry_after: Option<Duration>,
}

impl BudgetExceeded {
    pub(super) fn new(parts: Parts) -> Self {
        Self(Box::new(parts))
    }

    /// The name of the budget.
    pub fn budget(&self) -> &str {
        &self.0.budget
    }

    /// What is used up.
    pub fn resource(&self) -> Resource {
        self.0.resource
    }

    /// The maximum of the budget, in the unit of [`Resource`].
    pub fn max(&self) -> u64 {
        self.0.max
    }

    /// What was spent or reserved before, in the unit of [`Resource`].
    pub fn spent(&self) -> u64 {
        self.0.spent
    }

    /// What the request or the call would have reserved, in the unit of [`Resource`].
    pub fn needed(&self) -> u64 {
        self.0.needed
    }

    /// The time until the budget is whole again; `None` without a window, and if more is needed than the whole budget.
    pub fn retry_after(&self) -> Option<Duration> {
        self.0.retry_after
    }
}

impl fmt::Display for BudgetExceeded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Parts { budget, resource, max, spent, needed, retry_after } = &*self.0;
        let (unit, max, spent, needed) =
            (resource.unit(), resource.number(*max), resource.number(*spent), resource.number(*needed));
        write!(f, "{max}{unit} of the budget `{budget}` ({spent} spent, {needed} needed")?;
        if self.0.needed > self.0.max {
            f.write_str(", which is more than the whole budget")?;
        } else if let Some(time) = retry_after {
            write!(f, ", whole again in {time:?}")?;
        }
        f.write_str(")")
    }
}

impl fmt::Debug for BudgetExceeded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for BudgetExceeded {}
