//! The suite for stores: it passes for the store in memory, and each of its cases fails for a store that is broken there.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use onionskin::BoxFuture;
use onionskin::budget::{
    Account, Amounts, BudgetError, BudgetKey, BudgetStore, Charge, MemoryBudgets, Reserved, Spending,
};
use onionskin::testing::budget_suite;

type Shared = Mutex<HashMap<String, Arc<MemoryBudgets>>>;

fn opened(stores: &Shared, name: &str) -> Arc<MemoryBudgets> {
    Arc::clone(stores.lock().unwrap().entry(name.to_owned()).or_default())
}

#[tokio::test(flavor = "multi_thread")]
async fn a13_the_store_in_memory_passes_the_suite() {
    let stores = Shared::default();
    budget_suite(async |name: &str| opened(&stores, name)).await.assert_passed();
}

/// How a store is broken.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Fault {
    /// It reserves charges one by one.
    OneByOne,
    /// It reserves without a check.
    NoCheck,
    /// It checks resources that the charge does not need.
    ChecksAll,
    /// Its keys are joined texts in lower case.
    LossyKeys,
    /// It looks at its own clock, in which no time passes.
    NoClock,
    /// It adds what was spent to the reservation.
    NoCorrection,
    /// It corrects the account of any window.
    CorrectsAnyWindow,
    /// It stores 32 bits.
    ShortNumbers,
    /// It creates accounts when it corrects them.
    CreatesAccounts,
    /// A dropped reservation reserves a part.
    PartlyDropped,
    /// Each handle has accounts of its own.
    OwnAccounts,
    /// It reads and writes in two steps.
    ReadsThenWrites,
    /// It says that the time is never before the beginning of the window.
    ForwardOnly,
    /// It writes nothing with a refusal.
    ForgetsRefused,
}

struct Broken {
    fault: Fault,
    accounts: Arc<Mutex<HashMap<String, Account>>>,
}

impl Broken {
    fn name(&self, key: &BudgetKey) -> String {
        let name = format!("{key:?}");
        if self.fault == Fault::LossyKeys { name.to_lowercase() } else { name }
    }

    fn charge(&self, charge: &Charge, now: SystemTime) -> Result<Account, BudgetError> {
        let name = self.name(charge.key());
        let before = self.accounts.lock().unwrap().get(&name).copied();
        let now = if self.fault == Fault::NoClock { SystemTime::UNIX_EPOCH } else { now };
        if self.fault == Fault::NoCheck {
            let mut account = before.unwrap_or(Account::reserve(None, charge, now)?);
            account.spent.tokens = before.map_or(0, |before| before.spent.tokens) + charge.amounts().tokens;
            return Ok(account);
        }
        if self.fault == Fault::ForwardOnly
            && let Some(before) = before
        {
            let began = SystemTime::UNIX_EPOCH + Duration::from_millis(before.began);
            return Account::reserve(Some(before), charge, now.max(began));
        }
        if self.fault == Fault::ChecksAll && before.is_some_and(|before| before.spent.calls > 0) {
            let call = Amounts::from_fn(|_| 1);
            let all = Charge::new(
                onionskin::budget::Budget::new("calls", charge.key().scope()).calls(1),
                charge.key().id(),
                call,
            );
            Account::reserve(before, &all, now)?;
        }
        let mut account = Account::reserve(before, charge, now)?;
        if self.fault == Fault::ShortNumbers {
            account.spent.tokens &= u64::from(u32::MAX);
        }
        Ok(account)
    }

    fn begin_again(&self, charges: &[Charge], now: SystemTime) {
        if matches!(self.fault, Fault::ForgetsRefused | Fault::ForwardOnly) {
            return;
        }
        for key in charges.iter().map(Charge::key) {
            let before = self.accounts.lock().unwrap().get(&self.name(key)).copied();
            if let Some(account) = before.and_then(|before| before.begun_again(key, now)) {
                self.put(key, account);
            }
        }
    }

    fn put(&self, key: &BudgetKey, account: Account) {
        self.accounts.lock().unwrap().insert(self.name(key), account);
    }
}

impl BudgetStore for Broken {
    fn reserve<'a>(
        &'a self,
        charges: &'a [Charge],
        now: SystemTime,
    ) -> BoxFuture<'a, Result<Vec<Reserved>, BudgetError>> {
        Box::pin(async move {
            let mut accounts = Vec::new();
            for charge in charges {
                let account = match self.charge(charge, now) {
                    Ok(account) => account,
                    Err(refused) => {
                        self.begin_again(charges, now);
                        return Err(refused);
                    }
                };
                if matches!(self.fault, Fault::OneByOne | Fault::PartlyDropped) {
                    self.put(charge.key(), account);
                }
                if matches!(self.fault, Fault::PartlyDropped | Fault::ReadsThenWrites) {
                    tokio::task::yield_now().await;
                }
                accounts.push(account);
            }
            let reserved = charges.iter().zip(&accounts).map(|(charge, account)| account.reserved(charge));
            let reserved = reserved.collect();
            for (charge, account) in charges.iter().zip(accounts) {
                self.put(charge.key(), account);
            }
            Ok(reserved)
        })
    }

    fn finish<'a>(&'a self, spendings: &'a [Spending]) -> BoxFuture<'a, Result<(), BudgetError>> {
        Box::pin(async move {
            for spending in spendings {
                let key = &spending.reserved.key;
                let stored = self.accounts.lock().unwrap().get(&self.name(key)).copied();
                let mut spending = spending.clone();
                let account = match (stored, self.fault) {
                    (None, Fault::CreatesAccounts) => Some(Account::new(0, spending.actual)),
                    (Some(mut account), fault) => {
                        if fault == Fault::CorrectsAnyWindow {
                            spending.reserved.began = account.began;
                        }
                        if fault == Fault::NoCorrection {
                            spending.reserved.amounts = Amounts::default();
                        }
                        account.finish(&spending);
                        Some(account)
                    }
                    (None, _) => None,
                };
                if let Some(account) = account {
                    self.put(key, account);
                }
            }
            Ok(())
        })
    }

    fn account<'a>(&'a self, key: &'a BudgetKey) -> BoxFuture<'a, Result<Option<Account>, BudgetError>> {
        let account = self.accounts.lock().unwrap().get(&self.name(key)).copied();
        Box::pin(std::future::ready(Ok(account)))
    }
}

#[tokio::test]
async fn a13_each_case_of_the_suite_finds_a_broken_store() {
    let faults: [(Fault, &[&str]); 14] = [
        (Fault::OneByOne, &["all_or_nothing"]),
        (Fault::NoCheck, &["limit"]),
        (Fault::ChecksAll, &["unlimited_resources"]),
        (Fault::LossyKeys, &["keys"]),
        (Fault::NoClock, &["window"]),
        (Fault::NoCorrection, &["correction"]),
        (Fault::CorrectsAnyWindow, &["late_correction"]),
        (Fault::ShortNumbers, &["large_amounts"]),
        (Fault::CreatesAccounts, &["unknown_key"]),
        (Fault::PartlyDropped, &["dropped"]),
        (Fault::OwnAccounts, &["two_handles"]),
        (Fault::ReadsThenWrites, &["concurrent"]),
        (Fault::ForwardOnly, &["clock_that_jumps_back"]),
        (Fault::ForgetsRefused, &["refused_after_a_jump_back"]),
    ];
    let mut passed = Vec::new();
    for (fault, cases) in faults {
        let stores: Mutex<HashMap<String, Arc<_>>> = Mutex::default();
        let open = async |name: &str| {
            let name = if fault == Fault::OwnAccounts {
                format!("{name} {}", stores.lock().unwrap().len())
            } else {
                name.to_owned()
            };
            let accounts = Arc::clone(stores.lock().unwrap().entry(name).or_default());
            Broken { fault, accounts }
        };
        let report = budget_suite(open).await;
        for case in cases {
            if !report.failed().contains(case) {
                passed.push(format!("{fault:?} passes {case}:\n{report}"));
            }
        }
    }
    assert!(passed.is_empty(), "{}", passed.join("\n"));
}
