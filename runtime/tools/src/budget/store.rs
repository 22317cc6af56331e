//! Where the amounts that runs spent are stored.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::amounts::{Amounts, Resource};
use super::declared::{Budget, BudgetScope};
use super::error::{BudgetError, BudgetExceeded, Parts};
use futures_util::future::BoxFuture;

/// Stores what runs spent from budgets.
///
/// A store has one [`Account`] for each [`BudgetKey`]. The rules are in `Account`, so a store loads accounts, calls
/// `Account`, and writes them back in one transaction. It has no clock: the run passes the time.
///
/// A reservation is spent at once, and [`finish`](Self::finish) corrects it. So a run that ends in between, with its
/// process or without, has spent what it reserved.
///
/// `onionskin::testing::budget_suite` tests a store.
///
/// ```
/// use std::time::SystemTime;
///
/// use onionskin::BoxFuture;
/// use onionskin::budget::{Account, BudgetError, BudgetKey, BudgetStore, Charge, Reserved, Spending};
///
/// /// Prints each reservation.
/// struct Printed<S>(S);
///
/// impl<S: BudgetStore> BudgetStore for Printed<S> {
///     fn reserve<'a>(
///         &'a self,
///         charges: &'a [Charge],
///         now: SystemTime,
///     ) -> BoxFuture<'a, Result<Vec<Reserved>, BudgetError>> {
///         println!("{charges:?}");
///         self.0.reserve(charges, now)
///     }
///
///     fn finish<'a>(&'a self, spendings: &'a [Spending]) -> BoxFuture<'a, Result<(), BudgetError>> {
///         self.0.finish(spendings)
///     }
///
///     fn account<'a>(&'a self, key: &'a BudgetKey) -> BoxFuture<'a, Result<Option<Account>, BudgetError>> {
///         self.0.account(key)
///     }
/// }
/// # fn is_store<S: BudgetStore>() {}
/// # is_store::<Printed<onionskin::budget::MemoryBudgets>>();
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a store of budgets",
    label = "not a store of budgets",
    note = "a store of your own implements `BudgetStore`; `MemoryBudgets` stores in memory"
)]
pub trait BudgetStore: Send + Sync + 'static {
    /// Reserves all charges with [`Account::reserve`], or none of them: one reservation for each charge, in their order.
    /// Each charge has another key. Concurrent reservations, also of other processes, see each other's amounts.
    ///
    /// Cancel safety: dropping the future reserves all charges or none. What was reserved stays spent.
    ///
    /// # Errors
    /// Returns [`BudgetError::Exceeded`] if a charge does not fit, and [`BudgetError::storage`] if the store fails. Either
    /// reserves nothing. With the refusal of a charge, the store writes [`Account::begun_again`].
    fn reserve<'a>(
        &'a self,
        charges: &'a [Charge],
        now: SystemTime,
    ) -> BoxFuture<'a, Result<Vec<Reserved>, BudgetError>>;

    /// Replaces reservations by what was spent, with [`Account::finish`]: all of them or none. A key without an account is
    /// left out.
    ///
    /// Cancel safety: dropping the future replaces all reservations or none.
    ///
    /// # Errors
    /// Returns [`BudgetError::storage`] if the store fails. The reservations then stay spent.
    fn finish<'a>(&'a self, spendings: &'a [Spending]) -> BoxFuture<'a, Result<(), BudgetError>>;

    /// The account of a key, as it was written last; `None` if nothing was reserved yet.
    ///
    /// Cancel safety: dropping the future has no effect.
    ///
    /// # Errors
    /// Returns [`BudgetError::storage`] if the store fails.
    fn account<'a>(&'a self, key: &'a BudgetKey) -> BoxFuture<'a, Result<Option<Account>, BudgetError>>;

    /// A number that handles of the same accounts share and other stores do not have, while they exist. A budget that a run has
    /// twice, from its caller too, counts once if the stores have the same one. The default is the address of the store. A
    /// handle that can be cloned returns the address of what its clones share.
    fn identity(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }
}

impl<S: BudgetStore + ?Sized> BudgetStore for Arc<S> {
    fn reserve<'a>(
        &'a self,
        charges: &'a [Charge],
        now: SystemTime,
    ) -> BoxFuture<'a, Result<Vec<Reserved>, BudgetError>> {
        (**self).reserve(charges, now)
    }

    fn finish<'a>(&'a self, spendings: &'a [Spending]) -> BoxFuture<'a, Result<(), BudgetError>> {
        (**self).finish(spendings)
    }

    fn account<'a>(&'a self, key: &'a BudgetKey) -> BoxFuture<'a, Result<Option<Account>, BudgetError>> {
        (**self).account(key)
    }

    fn identity(&self) -> usize {
        (**self).identity()
    }
}

/// The key of an account: a budget, and the run, the session or the user that spends it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BudgetKey {
    budget: Arc<str>,
    scope: BudgetScope,
    id: Arc<str>,
    window: Option<Duration>,
}

impl BudgetKey {
    /// The key of a budget for one run, session or user; the id is empty for [`BudgetScope::All`].
    pub fn new(budget: &Budget, id: impl Into<Arc<str>>) -> Self {
        let (budget, scope, window) = (Arc::clone(budget.shared_name()), budget.scope(), budget.window());
        Self { budget, scope, id: id.into(), window }
    }

    /// The name of the budget.
    pub fn budget(&self) -> &str {
        &self.budget
    }

    pub(super) fn shared_budget(&self) -> &Arc<str> {
        &self.budget
    }

    /// What `id` is the id of.
    pub fn scope(&self) -> BudgetScope {
        self.scope
    }

    /// The id of the run, the session or the user; empty for [`BudgetScope::All`].
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The window of the budget. A budget with another window has another account.
    pub fn window(&self) -> Option<Duration> {
        self.window
    }

    /// The window in milliseconds.
    pub(super) fn window_millis(&self) -> Option<u64> {
        self.window.map(|window| u64::try_from(window.as_millis()).unwrap_or(u64::MAX))
    }
}

/// What a request or a call takes from one budget.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Charge {
    key: BudgetKey,
    budget: Arc<Budget>,
    amounts: Amounts,
}

impl Charge {
    /// The charge of a budget for one run, session or user.
    pub fn new(budget: impl Into<Arc<Budget>>, id: impl Into<Arc<str>>, amounts: Amounts) -> Self {
        let budget = budget.into();
        Self { key: BudgetKey::new(&budget, id), budget, amounts }
    }

    pub(super) fn with_key(budget: &Arc<Budget>, key: &BudgetKey, amounts: Amounts) -> Self {
        Self { key: key.clone(), budget: Arc::clone(budget), amounts }
    }

    /// The account that pays.
    pub fn key(&self) -> &BudgetKey {
        &self.key
    }

    /// The maximum of a resource; `None` if the budget does not limit it.
    pub fn max(&self, resource: Resource) -> Option<u64> {
        self.budget.max(resource)
    }

    /// The amounts. An amount of 0 always fits.
    pub fn amounts(&self) -> Amounts {
        self.amounts
    }
}

/// A reservation in one account.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reserved {
    /// The account.
    pub key: BudgetKey,
    /// The beginning of the window in which it was reserved ([`Account::began`]).
    pub began: u64,
    /// The amounts.
    pub amounts: Amounts,
}

/// What was spent in place of a reservation.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Spending {
    /// The reservation.
    pub reserved: Reserved,
    /// What was spent. It can be more than what was reserved, also more than the budget.
    pub actual: Amounts,
}

impl Spending {
    /// These amounts in place of a reservation.
    pub fn new(reserved: Reserved, actual: Amounts) -> Self {
        Self { reserved, actual }
    }
}

/// What was spent in the current window of a budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Account {
    /// The beginning of the window, in milliseconds since the Unix epoch.
    pub began: u64,
    /// What was spent or is reserved since then.
    pub spent: Amounts,
}

impl Account {
    /// A stored account.
    pub fn new(began: u64, spent: Amounts) -> Self {
        Self { began, spent }
    }

    /// Returns the account after a charge. `before` is the stored account; `None` if there is none.
    ///
    /// After the end of a window the next one begins. A clock that jumped back by more than the window would end the window
    /// too late, so the window begins again, with what was spent ([`Self::begun_again`]).
    ///
    /// # Errors
    /// Returns [`BudgetError::Exceeded`] if the charge does not fit.
    pub fn reserve(before: Option<Self>, charge: &Charge, now: SystemTime) -> Result<Self, BudgetError> {
        let before = before.map(|account| account.begun_again(&charge.key, now).unwrap_or(account));
        let now = millis(now);
        let mut account = match before {
            Some(account) if !account.is_over(&charge.key, now) => account,
            Some(_) | None => Self { began: now, spent: Amounts::default() },
        };
        for resource in Resource::ALL {
            let (spent, needed) = (account.spent.get(resource), charge.amounts.get(resource));
            if let Some(max) = charge.max(resource)
                && needed > 0
                && spent.saturating_add(needed) > max
            {
                // What is more than the whole budget never fits.
                let end = account.end(&charge.key).filter(|_| needed <= max);
                return Err(BudgetError::Exceeded(BudgetExceeded::new(Parts {
                    budget: Arc::clone(charge.key.shared_budget()),
                    resource,
                    max,
                    spent,
                    needed,
                    retry_after: end.map(|end| Duration::from_millis(end.saturating_sub(now))),
                })));
            }
        }
        let spent = account.spent;
        account.spent =
            Amounts::from_fn(|resource| spent.get(resource).saturating_add(charge.amounts.get(resource)));
        Ok(account)
    }

    /// The account whose window begins again, if the clock jumped back by more than the window; `None` otherwise.
    /// [`Self::reserve`] includes it. A store that refuses a charge writes this account: otherwise a used up budget would
    /// never be whole again.
    pub fn begun_again(self, key: &BudgetKey, now: SystemTime) -> Option<Self> {
        let now = millis(now);
        let window = key.window_millis()?;
        (self.began > now.saturating_add(window)).then_some(Self { began: now, ..self })
    }

    /// The reservation of a charge in this account, which [`Self::reserve`] returned.
    pub fn reserved(&self, charge: &Charge) -> Reserved {
        Reserved { key: charge.key.clone(), began: self.began, amounts: charge.amounts }
    }

    /// Replaces a reservation by what was spent. If the window of the reservation is over, there is nothing to replace.
    pub fn finish(&mut self, spending: &Spending) {
        let Spending { reserved, actual } = spending;
        if self.began == reserved.began {
            let spent = self.spent;
            self.spent = Amounts::from_fn(|resource| {
                let rest = spent.get(resource).saturating_sub(reserved.amounts.get(resource));
                rest.saturating_add(actual.get(resource))
            });
        }
    }

    /// The end of the window in milliseconds since the Unix epoch.
    pub(super) fn end(&self, key: &BudgetKey) -> Option<u64> {
        key.window_millis().map(|window| self.began.saturating_add(window))
    }

    /// Whether the window is over.
    pub(super) fn is_over(&self, key: &BudgetKey, now: u64) -> bool {
        self.end(key).is_some_and(|end| end <= now)
    }
}

/// Milliseconds since the Unix epoch.
pub(super) fn millis(time: SystemTime) -> u64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
