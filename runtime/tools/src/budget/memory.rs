//! A store of budgets in memory.

use std::collections::HashMap;
use std::future::ready;
use std::sync::Mutex;
use std::time::SystemTime;

use futures_util::future::BoxFuture;
use onionskin_definitions::lock::lock;

use super::error::BudgetError;
use super::store::{Account, BudgetKey, BudgetStore, Charge, Reserved, Spending, millis};

/// Stores in memory what runs spent: the end of the process ends all budgets. Accounts of windows that are over are
/// removed. Without a window, each user and each session of the program has an account as long as the store exists, and so has
/// each run of a program with a journal.
///
/// A builder without `budget_store` has its own. Agents of several builders share one in an [`Arc`](std::sync::Arc):
///
/// ```
/// use std::sync::Arc;
///
/// use onionskin::budget::{Budget, BudgetKey, BudgetScope, BudgetStore, MemoryBudgets};
/// use onionskin::{ScriptedModel, ScriptedTurn, agent};
///
/// agent! { Clerk { instruction: "Answer." } }
/// agent! { Poet { instruction: "Answer in rhyme." } }
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let store = Arc::new(MemoryBudgets::default());
/// let budget = || Budget::new("requests", BudgetScope::All).tokens(1_000);
/// let model = || ScriptedModel::turns([ScriptedTurn::say("Yes.")]);
/// Clerk::builder().model(model()).budget(budget()).budget_store(Arc::clone(&store)).run("Yes?").await.unwrap();
/// Poet::builder().model(model()).budget(budget()).budget_store(Arc::clone(&store)).run("Yes?").await.unwrap();
/// let account = store.account(&BudgetKey::new(&budget(), "")).await.unwrap().unwrap();
/// assert!(account.spent.tokens > 0);
/// # });
/// ```
#[derive(Debug, Default)]
pub struct MemoryBudgets(Mutex<Accounts>);

#[derive(Debug, Default)]
struct Accounts {
    by_key: HashMap<BudgetKey, Account>,
    /// The number of accounts at which those of ended windows are removed.
    full: usize,
}

/// The least number of accounts at which those of ended windows are removed.
const MIN_FULL: usize = 1_024;

impl Accounts {
    fn reserve(&mut self, charges: &[Charge], now: SystemTime) -> Result<Vec<Reserved>, BudgetError> {
        let charged = charges.iter().map(|charge| {
            let before = self.by_key.get(charge.key()).copied();
            Account::reserve(before, charge, now)
        });
        let charged: Vec<_> = match charged.collect::<Result<_, _>>() {
            Ok(charged) => charged,
            Err(refused) => {
                self.begin_again(charges, now);
                return Err(refused);
            }
        };
        let reserved =
            charged.iter().zip(charges).map(|(account, charge)| account.reserved(charge)).collect();
        self.by_key.extend(charges.iter().map(|charge| charge.key().clone()).zip(charged));
        if self.by_key.len() > self.full.max(MIN_FULL) {
            let now = millis(now);
            self.by_key.retain(|key, account| !account.is_over(key, now));
            self.full = self.by_key.len() * 2;
        }
        Ok(reserved)
    }

    fn begin_again(&mut self, charges: &[Charge], now: SystemTime) {
        for key in charges.iter().map(Charge::key) {
            if let Some(account) = self.by_key.get_mut(key) {
                *account = account.begun_again(key, now).unwrap_or(*account);
            }
        }
    }
}

impl BudgetStore for MemoryBudgets {
    fn reserve<'a>(
        &'a self,
        charges: &'a [Charge],
        now: SystemTime,
    ) -> BoxFuture<'a, Result<Vec<Reserved>, BudgetError>> {
        Box::pin(async move { lock(&self.0).reserve(charges, now) })
    }

    fn finish<'a>(&'a self, spendings: &'a [Spending]) -> BoxFuture<'a, Result<(), BudgetError>> {
        Box::pin(async move {
            let accounts = &mut lock(&self.0).by_key;
            for spending in spendings {
                if let Some(account) = accounts.get_mut(&spending.reserved.key) {
                    account.finish(spending);
                }
            }
            Ok(())
        })
    }

    fn account<'a>(&'a self, key: &'a BudgetKey) -> BoxFuture<'a, Result<Option<Account>, BudgetError>> {
        Box::pin(ready(Ok(lock(&self.0).by_key.get(key).copied())))
    }
}
