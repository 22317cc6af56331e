//! What is left of the budgets of a run.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use super::amounts::{Amounts, Resource};
use super::declared::{Budget, BudgetScope};
use super::store::{Account, BudgetKey, millis};

/// What is left of one budget of a run ([`RunContext::budgets`](crate::RunContext::budgets)).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BudgetStatus {
    budget: String,
    scope: BudgetScope,
    spent: Amounts,
    /// The maximum of each limited resource.
    max: Vec<(Resource, u64)>,
    /// The end of the window, in milliseconds since the Unix epoch.
    end: Option<u64>,
}

impl BudgetStatus {
    pub(super) fn new(key: &BudgetKey, budget: &Budget, stored: Option<Account>, now: SystemTime) -> Self {
        let account = stored.filter(|account| !account.is_over(key, millis(now)));
        Self {
            budget: key.budget().to_owned(),
            scope: key.scope(),
            spent: account.map(|account| account.spent).unwrap_or_default(),
            max: Resource::ALL
                .into_iter()
                .filter_map(|resource| Some((resource, budget.max(resource)?)))
                .collect(),
            end: account.and_then(|account| account.end(key)),
        }
    }

    /// The name of the budget.
    pub fn budget(&self) -> &str {
        &self.budget
    }

    /// Who shares it.
    pub fn scope(&self) -> BudgetScope {
        self.scope
    }

    /// What was spent or is reserved.
    pub fn spent(&self) -> Amounts {
        self.spent
    }

    /// The maximum of a resource, in the unit of [`Resource`]; `None` if the budget does not limit it.
    pub fn max(&self, resource: Resource) -> Option<u64> {
        self.max.iter().find(|(limited, _)| *limited == resource).map(|(_, max)| *max)
    }

    /// What is left of a resource, in the unit of [`Resource`]; `None` if the budget does not limit it.
    pub fn left(&self, resource: Resource) -> Option<u64> {
        Some(self.max(resource)?.saturating_sub(self.spent.get(resource)))
    }

    /// When the budget is whole again; `None` if it has no window, or the window has not begun.
    pub fn window_end(&self) -> Option<SystemTime> {
        UNIX_EPOCH.checked_add(Duration::from_millis(self.end?))
    }
}
