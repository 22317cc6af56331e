//! The budgets of a run, and what its requests and calls take from them.

use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use onionskin_definitions::lock::lock;
use tokio::time::Instant;

use super::amounts::{Amounts, Resource};
use super::declared::{Budget, BudgetScope, micros};
use super::error::BudgetError;
use super::memory::MemoryBudgets;
use super::status::BudgetStatus;
use super::store::{BudgetKey, BudgetStore, Charge, Reserved, Spending};
use crate::model::{UnpricedModel, Usage};

/// The budgets of a run, which the runs that it starts share.
#[derive(Clone, Default)]
pub struct Budgets(Option<Arc<Active>>);

struct Active {
    entries: Vec<Entry>,
    /// What dropped requests and calls spent, until it is written.
    ended: Arc<Mutex<Spendings>>,
}

/// What was spent, by store.
type Spendings = Vec<(Arc<dyn BudgetStore>, Vec<Spending>)>;

/// A budget with the account that pays.
#[derive(Clone)]
struct Entry {
    budget: Arc<Budget>,
    key: BudgetKey,
    store: Arc<dyn BudgetStore>,
}

/// For whom a run spends.
#[derive(Debug)]
pub struct Spender {
    /// The id of the run.
    pub run: Arc<str>,
    /// The id of the session.
    pub session: Arc<str>,
    /// The user.
    pub user: Option<Arc<str>>,
    /// Whether a later run can continue this one.
    pub is_continuable: bool,
    /// Whether a later run can have this session.
    pub has_own_session: bool,
}

/// What a request or a call uses.
#[derive(Debug, Clone, Copy)]
pub enum Need<'a> {
    /// Tokens of a model.
    Request(&'a str, Usage),
    /// A start of a tool.
    Call,
}

impl Need<'_> {
    /// The amounts that the budget limits.
    fn amounts(self, budget: &Budget, time: Duration) -> Result<Amounts, BudgetError> {
        let (usage, calls, mut money) = match self {
            Need::Call => (Usage::default(), 1, 0),
            Need::Request(_, usage) => (usage, 0, 0),
        };
        if let (Need::Request(model, usage), Some(prices)) = (self, budget.prices()) {
            let cost = prices.cost(model, &usage).ok_or_else(|| BudgetError::Unpriced {
                budget: Arc::clone(budget.shared_name()),
                source: UnpricedModel { model: model.into() },
            })?;
            money = u64::try_from(cost.micros()).unwrap_or(u64::MAX);
        }
        Ok(Amounts::from_fn(|resource| match (budget.max(resource), resource) {
            (None, _) => 0,
            (Some(_), Resource::Tokens) => usage.total(),
            (Some(_), Resource::Money) => money,
            (Some(_), Resource::Calls) => calls,
            (Some(_), Resource::Time) => micros(time),
        }))
    }
}

/// The charges of one store.
struct StoreCharges<'a> {
    store: &'a Arc<dyn BudgetStore>,
    /// The indices of the budgets.
    budgets: Vec<usize>,
    charges: Vec<Charge>,
}

/// The time that is reserved. Nobody knows how long a request will take.
const RESERVED_TIME: Duration = Duration::from_micros(1);

impl Budgets {
    /// Adds budgets to those of the caller, for a run of `spender`.
    ///
    /// # Errors
    /// Returns an error if a budget belongs to a user and there is none, or if two budgets would count as one and differ.
    pub fn with<'b>(
        self,
        budgets: impl IntoIterator<Item = &'b Arc<Budget>>,
        store: &Arc<dyn BudgetStore>,
        spender: &Spender,
    ) -> Result<Self, BudgetError> {
        let mut budgets = budgets.into_iter().peekable();
        if budgets.peek().is_none() {
            return Ok(self);
        }
        let (mut entries, ended) = match self.0.as_deref() {
            Some(Active { entries, ended }) => (entries.clone(), Arc::clone(ended)),
            None => (Vec::new(), Arc::default()),
        };
        // Nobody reads the account of a run or a session that has ended, and a program can have millions of them.
        let passing: Arc<dyn BudgetStore> = Arc::new(MemoryBudgets::default());
        for budget in budgets {
            let (id, lasts) = match budget.scope() {
                BudgetScope::Run => (Arc::clone(&spender.run), spender.is_continuable),
                BudgetScope::Session => {
                    (Arc::clone(&spender.session), spender.is_continuable || spender.has_own_session)
                }
                BudgetScope::User => match &spender.user {
                    Some(user) => (Arc::clone(user), true),
                    None => return Err(BudgetError::NoUser { budget: Arc::clone(budget.shared_name()) }),
                },
                BudgetScope::All => (Arc::default(), true),
            };
            let key = BudgetKey::new(budget, id);
            let store = Arc::clone(if lasts { store } else { &passing });
            let same =
                entries.iter().find(|entry: &&Entry| entry.key == key && entry.store.identity() == store.identity());
            match same {
                Some(entry) if entry.budget == *budget => {}
                Some(_) => return Err(BudgetError::Conflict { budget: Arc::clone(budget.shared_name()) }),
                None => entries.push(Entry { budget: Arc::clone(budget), key, store }),
            }
        }
        Ok(Self(Some(Arc::new(Active { entries, ended }))))
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Reserves what a request or a call is likely to use, in all budgets or in none. `None`: no budget limits it.
    ///
    /// Cancel safety: what was reserved when the future is dropped stays spent.
    ///
    /// # Errors
    /// Returns [`BudgetError::Exceeded`] if a budget has too little left, or the error of a store.
    pub async fn reserve(&self, need: Need<'_>) -> Result<Option<Held>, BudgetError> {
        let Some(active) = &self.0 else { return Ok(None) };
        active.write_ended().await?;
        let mut held = Held { active: Arc::clone(active), began: Instant::now(), reserved: Vec::new() };
        let mut by_store: Vec<StoreCharges<'_>> = Vec::new();
        for (index, Entry { budget, key, store }) in active.entries.iter().enumerate() {
            let amounts = need.amounts(budget, RESERVED_TIME)?;
            if amounts.is_zero() {
                continue;
            }
            let charge = Charge::with_key(budget, key, amounts);
            match by_store.iter_mut().find(|known| known.store.identity() == store.identity()) {
                Some(known) => {
                    known.budgets.push(index);
                    known.charges.push(charge);
                }
                None => by_store.push(StoreCharges { store, budgets: vec![index], charges: vec![charge] }),
            }
        }
        for StoreCharges { store, budgets, charges } in by_store {
            let reserved = match store.reserve(&charges, SystemTime::now()).await {
                Ok(reserved) if reserved.len() == charges.len() => Ok(reserved),
                Ok(_) => Err(BudgetError::storage(
                    "`reserve` returned another number of reservations than of charges",
                )),
                Err(error) => Err(error),
            };
            match reserved {
                Ok(reserved) => held.reserved.extend(budgets.into_iter().zip(reserved)),
                Err(error) => {
                    held.release().await?;
                    return Err(error);
                }
            }
        }
        held.began = Instant::now();
        Ok((!held.reserved.is_empty()).then_some(held))
    }

    /// Writes the time of the requests and calls that were dropped.
    ///
    /// # Errors
    /// Returns the error of a store.
    pub async fn write_ended(&self) -> Result<(), BudgetError> {
        match &self.0 {
            Some(active) => active.write_ended().await,
            None => Ok(()),
        }
    }

    /// What is left, the budgets of callers first.
    ///
    /// # Errors
    /// Returns the error of a store.
    pub async fn status(&self) -> Result<Vec<BudgetStatus>, BudgetError> {
        let Some(active) = &self.0 else { return Ok(Vec::new()) };
        let mut all = Vec::with_capacity(active.entries.len());
        for Entry { budget, key, store } in &active.entries {
            let account = store.account(key).await?;
            all.push(BudgetStatus::new(key, budget, account, SystemTime::now()));
        }
        Ok(all)
    }
}

impl Active {
    async fn write_ended(&self) -> Result<(), BudgetError> {
        let ended = std::mem::take(&mut *lock(&self.ended));
        write(ended).await
    }
}

/// What a request or a call in progress reserved. If it is dropped, the reservation stays spent, and its time is written
/// before the next reservation of the run.
#[must_use = "a dropped reservation stays spent"]
pub struct Held {
    active: Arc<Active>,
    began: Instant,
    /// Reservations, each with the index of its budget.
    reserved: Vec<(usize, Reserved)>,
}

impl Held {
    /// Replaces the reservation by what was used.
    ///
    /// Cancel safety: when the future is dropped, the rest of the reservation stays spent.
    ///
    /// # Errors
    /// Returns the error of a store, or an error if the model that answered has no price. The reservation then stays spent.
    pub async fn finish(mut self, used: Need<'_>) -> Result<(), BudgetError> {
        let (time, mut unpriced) = (self.began.elapsed(), None);
        let spendings = self.spendings(|budget, reserved| {
            used.amounts(budget, time).unwrap_or_else(|error| {
                unpriced = Some(error);
                reserved
            })
        });
        write(spendings).await?;
        unpriced.map_or(Ok(()), Err)
    }

    /// Gives the reservation back: nothing was used.
    ///
    /// Cancel safety: as [`Self::finish`].
    ///
    /// # Errors
    /// Returns the error of a store.
    pub async fn release(mut self) -> Result<(), BudgetError> {
        write(self.spendings(|_, _| Amounts::default())).await
    }

    /// Takes the reservations. `actual` returns what was spent in place of each of them.
    fn spendings(&mut self, mut actual: impl FnMut(&Budget, Amounts) -> Amounts) -> Spendings {
        let mut by_store = Spendings::new();
        for (index, reserved) in std::mem::take(&mut self.reserved) {
            let Entry { budget, store, .. } = &self.active.entries[index];
            let actual = actual(budget, reserved.amounts);
            let spending = Spending { reserved, actual };
            match by_store.iter_mut().find(|(known, _)| known.identity() == store.identity()) {
                Some((_, spendings)) => spendings.push(spending),
                None => by_store.push((Arc::clone(store), vec![spending])),
            }
        }
        by_store
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let time = micros(self.began.elapsed());
        let spendings = self.spendings(|_, reserved| Amounts {
            time: if reserved.time == 0 { 0 } else { time.max(reserved.time) },
            ..reserved
        });
        lock(&self.active.ended).extend(spendings);
    }
}

async fn write(spendings: Spendings) -> Result<(), BudgetError> {
    for (store, spendings) in spendings {
        store.finish(&spendings).await?;
    }
    Ok(())
}
