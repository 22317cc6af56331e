//! The budgets of a run, and what its requests and calls take from them.

use std::sync::Arc;
use std::time::SystemTime;

use super::declared::{Budget, BudgetScope};
use super::error::BudgetError;
use super::held::{ByStore, Ended, Held, Need, push_for};
use super::memory::MemoryBudgets;
use super::status::BudgetStatus;
use super::store::{BudgetKey, BudgetStore, Charge};

/// The budgets of a run, which the runs that it starts share.
#[derive(Clone, Default)]
pub struct Budgets(Option<Arc<Active>>);

struct Active {
    entries: Vec<Entry>,
    ended: Arc<Ended>,
}

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
            let same = entries
                .iter()
                .find(|entry: &&Entry| entry.key == key && entry.store.identity() == store.identity());
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
        active.ended.write().await?;
        let mut held = Held::new(Arc::clone(&active.ended));
        let mut by_store = ByStore::new();
        for Entry { budget, key, store } in &active.entries {
            let amounts = need.estimate(budget)?;
            if amounts.is_zero() {
                continue;
            }
            push_for(&mut by_store, store, (budget, Charge::with_key(budget, key, amounts)));
        }
        for (store, charges) in by_store {
            let (budgets, charges): (Vec<_>, Vec<_>) = charges.into_iter().unzip();
            let reserved = match store.reserve(&charges, SystemTime::now()).await {
                Ok(reserved) if reserved.len() == charges.len() => Ok(reserved),
                Ok(_) => Err(BudgetError::storage(
                    "`reserve` returned another number of reservations than of charges",
                )),
                Err(error) => Err(error),
            };
            match reserved {
                Ok(reserved) => {
                    for (budget, reserved) in budgets.into_iter().zip(reserved) {
                        held.add(Arc::clone(budget), Arc::clone(&store), reserved);
                    }
                }
                Err(error) => {
                    held.release().await;
                    return Err(error);
                }
            }
        }
        Ok((!held.is_empty()).then_some(held))
    }

    /// Writes what dropped requests and calls spent.
    ///
    /// # Errors
    /// Returns the error of a store, also of an earlier [`Held::finish`].
    pub async fn write_ended(&self) -> Result<(), BudgetError> {
        match &self.0 {
            Some(active) => active.ended.write().await,
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
