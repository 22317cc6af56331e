//! A budget, as a program declares it.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::amounts::Resource;
use super::error::BudgetError;
use crate::model::Prices;

/// Who shares a budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum BudgetScope {
    /// One run and the runs that it starts. Each run begins with the whole budget.
    Run,
    /// The runs of one session.
    Session,
    /// The runs of one user (`RunRequest::user`). A run without a user does not begin.
    User,
    /// All runs with this budget and its store.
    All,
}

impl fmt::Display for BudgetScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Run => "run",
            Self::Session => "session",
            Self::User => "user",
            Self::All => "all",
        })
    }
}

/// What runs may spend together: tokens, money, tool calls and time, in a window of time or for good.
///
/// Before each model request and each start of a tool, the run reserves what it is likely to spend. Afterwards it replaces
/// the reservation by what was spent. A request that does not fit into each budget is not sent, and the run ends with
/// `RunError::Limit`. A tool that does not fit does not start: its call is a tool error of the kind
/// [`Limit`](onionskin_definitions::error::ErrorKind::Limit), and the run continues.
///
/// The runs that a run starts as children and agent tools spend its budgets too. What a run in progress reserves is an
/// estimate, so the budget can be exceeded by at most one request or call of each run in progress.
///
/// ```
/// use std::time::Duration;
///
/// use onionskin::budget::{Budget, BudgetScope};
/// use onionskin::model::{Price, Prices};
/// use onionskin::run::Limit;
/// use onionskin::{RunError, ScriptedModel, ScriptedTurn, agent};
///
/// agent! { Clerk { instruction: "Answer." } }
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// // 2.50 dollars a day for each user.
/// let prices = Prices::new().with("onionskin", Price::new(150_000, 600_000));
/// let daily = Budget::new("daily", BudgetScope::User).money(2_500_000, prices).per(Duration::from_hours(24));
/// // And few tokens for each run.
/// let run = Budget::new("run", BudgetScope::Run).tokens(5);
///
/// let clerk = Clerk::builder().model(ScriptedModel::turns([ScriptedTurn::say("Yes.")])).budget(daily).budget(run);
/// let clerk = clerk.build().await.unwrap();
/// let error = clerk.request("A long question?").user("ada").run().await.unwrap_err();
/// let RunError::Limit { limit: Limit::Budget(exceeded), .. } = error else { panic!("{error}") };
/// assert_eq!((exceeded.budget(), exceeded.max()), ("run", 5));
/// # });
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use = "a budget limits nothing until a builder or a request has it"]
pub struct Budget {
    name: Arc<str>,
    scope: BudgetScope,
    max: BTreeMap<Resource, u64>,
    prices: Option<Prices>,
    window: Option<Duration>,
}

impl Budget {
    /// A budget without amounts. In a store, the name, the scope and the window are its identity: budgets of other agents
    /// and programs that have the same ones share what is spent.
    pub fn new(name: impl Into<Arc<str>>, scope: BudgetScope) -> Self {
        Self { name: name.into(), scope, max: BTreeMap::new(), prices: None, window: None }
    }

    fn with(mut self, resource: Resource, max: u64) -> Self {
        self.max.insert(resource, max);
        self
    }

    /// Sets the maximum number of input and output tokens.
    pub fn tokens(self, max: u64) -> Self {
        self.with(Resource::Tokens, max)
    }

    /// Sets the maximum amount of money, in micro-units of the currency of the prices: 2.50 dollars are `2_500_000`. The cost
    /// of each request is rounded up to a micro-unit. A model without a price is not asked
    /// ([`BudgetError::Unpriced`]).
    pub fn money(mut self, max: u64, prices: Prices) -> Self {
        self.prices = Some(prices);
        self.with(Resource::Money, max)
    }

    /// Sets the maximum number of starts of tools. A call that a hook retries starts its tool again. A call that a hook, a
    /// cache or a person answers starts none. A call of an agent is not counted: the calls of that agent are.
    pub fn calls(self, max: u64) -> Self {
        self.with(Resource::Calls, max)
    }

    /// Sets the maximum time of model requests and tools, added up, also of those that run side by side. Pauses between
    /// requests and waits for approval are not counted; the time in which a tool itself waits for a person is. A request in
    /// progress is not cut: `Limits::time` ends runs.
    pub fn time(self, max: Duration) -> Self {
        self.with(Resource::Time, micros(max))
    }

    /// Sets a window: the budget is whole again when this time has passed since the first reservation of the window. The
    /// next window begins with the next reservation. A window has full milliseconds. Without a window, the budget is never
    /// whole again.
    pub fn per(mut self, window: Duration) -> Self {
        self.window = Some(window);
        self
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn shared_name(&self) -> &Arc<str> {
        &self.name
    }

    /// Who shares it.
    pub fn scope(&self) -> BudgetScope {
        self.scope
    }

    /// The maximum of a resource, in the unit of [`Resource`]; `None` if the budget does not limit it.
    pub fn max(&self, resource: Resource) -> Option<u64> {
        self.max.get(&resource).copied()
    }

    /// The window.
    pub fn window(&self) -> Option<Duration> {
        self.window
    }

    pub(super) fn prices(&self) -> Option<&Prices> {
        self.prices.as_ref()
    }
}

/// For the crates of the runtime.
#[doc(hidden)]
impl Budget {
    /// Whether both would have the same accounts.
    pub fn is_same(&self, other: &Self) -> bool {
        (&self.name, self.scope, self.window) == (&other.name, other.scope, other.window)
    }

    /// # Errors
    /// Returns an error if the budget limits nothing, or allows nothing.
    pub fn check(&self) -> Result<(), BudgetError> {
        let has_no_price = || self.prices.as_ref().is_some_and(|prices| *prices == Prices::new());
        let mistake = if self.max.is_empty() {
            "it limits nothing: call `tokens`, `money`, `calls` or `time`"
        } else if self.max.values().any(|max| *max == 0) {
            "one of its amounts is 0, so nothing could run: set a larger amount, or remove it"
        } else if self.window.is_some_and(|window| window.as_millis() == 0) {
            "its window is shorter than a millisecond: set a longer one"
        } else if has_no_price() {
            "its `Prices` are empty, so no model could be asked: add the prices of the models with `Prices::with`"
        } else {
            return Ok(());
        };
        Err(BudgetError::NoEffect { budget: Arc::clone(&self.name), mistake })
    }
}

/// A time in microseconds, rounded up.
pub(super) fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_nanos().div_ceil(1_000)).unwrap_or(u64::MAX)
}
