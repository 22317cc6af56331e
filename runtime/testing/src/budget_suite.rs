//! A test suite for any store of budgets.

use std::fmt;
use std::pin::pin;
use std::slice;
use std::sync::Arc;
use std::task::{Context, Waker};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use onionskin_tools::budget::{
    Account, Amounts, Budget, BudgetError, BudgetKey, BudgetScope, BudgetStore, Charge, Reserved, Resource,
    Spending,
};

use crate::report::{CaseOutcome, SuiteReport, case_outcome};

/// Tests a store of budgets: reservations of all or nothing, corrections, windows, keys, large amounts, two handles of one
/// store, concurrent and dropped reservations.
///
/// `open` opens a store by its name. It is called with a new name for each case, and sometimes twice with one name: both
/// stores then have the same accounts, as two processes have that open one file.
///
/// A case takes at most 20 seconds. The runtime needs its timers.
///
/// Cancel safety: dropping the future ends the case in progress.
///
/// ```
/// use std::collections::HashMap;
/// use std::sync::{Arc, Mutex};
///
/// use onionskin::budget::MemoryBudgets;
/// use onionskin::testing::budget_suite;
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let stores: Mutex<HashMap<String, Arc<MemoryBudgets>>> = Mutex::default();
/// let open = async |name: &str| Arc::clone(stores.lock().unwrap().entry(name.to_owned()).or_default());
/// budget_suite(open).await.assert_passed();
/// # });
/// ```
pub async fn budget_suite<S: BudgetStore>(open: impl AsyncFn(&str) -> S) -> SuiteReport {
    let mut cases = Vec::new();
    macro_rules! run {
        ($($case:ident)*) => {$(
            let case = async {
                let name = stringify!($case);
                let stores = Stores { first: Arc::new(open(name).await), second: Arc::new(open(name).await) };
                match $case(&stores).await {
                    Ok(()) => CaseOutcome::Passed,
                    Err(Mistake(reason)) => CaseOutcome::Failed(reason),
                }
            };
            cases.push((stringify!($case), case_outcome(case).await));
        )*};
    }
    run! {
        correction
        limit
        unlimited_resources
        all_or_nothing
        keys
        window
        late_correction
        clock_that_jumps_back
        refused_after_a_jump_back
        large_amounts
        unknown_key
        dropped
        two_handles
        concurrent
    }
    SuiteReport { cases }
}

/// Two handles of one store.
struct Stores<S> {
    first: Arc<S>,
    second: Arc<S>,
}

/// What a case expects and the store does not do.
struct Mistake(String);

impl From<BudgetError> for Mistake {
    fn from(error: BudgetError) -> Self {
        Self(format!("a method failed: {error}"))
    }
}

type Check = Result<(), Mistake>;

#[expect(clippy::needless_pass_by_value, reason = "cases compare values that they make")]
fn expect<T: PartialEq + fmt::Debug>(what: &str, actual: T, expected: T) -> Check {
    if actual == expected {
        return Ok(());
    }
    Err(Mistake(format!("{what}: {actual:?} instead of {expected:?}")))
}

/// A moment of the cases.
fn at(seconds: u64) -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(1_800_000_000 + seconds)
}

const HOUR: u64 = 3_600;

fn tokens(tokens: u64) -> Amounts {
    Amounts::from_fn(|resource| if resource == Resource::Tokens { tokens } else { 0 })
}

fn ten() -> Budget {
    Budget::new("ten", BudgetScope::All).tokens(10)
}

async fn reserve(
    store: &impl BudgetStore,
    charges: &[Charge],
    now: SystemTime,
) -> Result<Vec<Reserved>, Mistake> {
    let reserved = store.reserve(charges, now).await?;
    expect("the number of reservations", reserved.len(), charges.len())?;
    Ok(reserved)
}

/// Fails unless the store refuses the charges. Returns what it says was spent.
async fn refused(store: &impl BudgetStore, charges: &[Charge], now: SystemTime) -> Result<u64, Mistake> {
    match store.reserve(charges, now).await {
        Err(BudgetError::Exceeded(exceeded)) => Ok(exceeded.spent()),
        other => Err(Mistake(format!("{charges:?} does not fit, but `reserve` returned {other:?}"))),
    }
}

async fn spent(store: &impl BudgetStore, key: &BudgetKey) -> Result<Amounts, Mistake> {
    Ok(store.account(key).await?.map(|account| account.spent).unwrap_or_default())
}

async fn finish(store: &impl BudgetStore, reserved: Vec<Reserved>, actual: Amounts) -> Check {
    let spendings: Vec<_> = reserved.into_iter().map(|reserved| Spending::new(reserved, actual)).collect();
    Ok(store.finish(&spendings).await?)
}

/// A reservation is spent until it is replaced, by less or by more.
async fn correction<S: BudgetStore>(Stores { first: store, .. }: &Stores<S>) -> Check {
    let all = |amount: u64| {
        let mut next = 0;
        Amounts::from_fn(|_| {
            next += 1;
            amount + next
        })
    };
    let budget = Budget::new("all", BudgetScope::All).tokens(100).calls(100).time(Duration::from_millis(1));
    let charge = Charge::new(budget, "", all(4));
    expect("an account before the first reservation", store.account(charge.key()).await?, None)?;
    let reserved = reserve(store, slice::from_ref(&charge), at(0)).await?;
    let began = 1_800_000_000_000;
    let account = Account::new(began, all(4));
    expect("the account after the reservation", store.account(charge.key()).await?, Some(account))?;
    finish(store, reserved, all(1)).await?;
    expect("what was spent after less", spent(store, charge.key()).await?, all(1))?;
    let reserved = reserve(store, slice::from_ref(&charge), at(1)).await?;
    finish(store, reserved, all(20)).await?;
    let sum = Amounts::from_fn(|resource| all(1).get(resource) + all(20).get(resource));
    expect("the account after more", store.account(charge.key()).await?, Some(Account::new(began, sum)))
}

/// The last amount that fits is accepted, and one more is not.
async fn limit<S: BudgetStore>(Stores { first: store, .. }: &Stores<S>) -> Check {
    let charge = |amount| Charge::new(ten(), "", tokens(amount));
    reserve(store, &[charge(9)], at(0)).await?;
    expect("what was spent", refused(store, &[charge(2)], at(0)).await?, 9)?;
    reserve(store, &[charge(1)], at(0)).await?;
    expect("what was spent", refused(store, &[charge(1)], at(0)).await?, 10)?;
    expect("what was spent", spent(store, charge(1).key()).await?, tokens(10))
}

/// A used up resource does not stop what needs none of it.
async fn unlimited_resources<S: BudgetStore>(Stores { first: store, .. }: &Stores<S>) -> Check {
    let budget = Arc::new(Budget::new("calls", BudgetScope::All).calls(1).tokens(10));
    let call = Amounts::from_fn(|resource| u64::from(resource == Resource::Calls));
    reserve(store, &[Charge::new(Arc::clone(&budget), "", call)], at(0)).await?;
    refused(store, &[Charge::new(Arc::clone(&budget), "", call)], at(0)).await?;
    reserve(store, &[Charge::new(Arc::clone(&budget), "", tokens(10))], at(0)).await?;
    Ok(())
}

/// Of several charges, all are reserved or none.
async fn all_or_nothing<S: BudgetStore>(Stores { first: store, .. }: &Stores<S>) -> Check {
    let charge = |id: &str, amount| Charge::new(ten(), id, tokens(amount));
    reserve(store, &[charge("b", 8)], at(0)).await?;
    for charges in [[charge("a", 5), charge("b", 5)], [charge("b", 5), charge("a", 5)]] {
        refused(store, &charges, at(0)).await?;
    }
    expect("what `a` spent", spent(store, charge("a", 0).key()).await?, tokens(0))?;
    expect("what `b` spent", spent(store, charge("b", 0).key()).await?, tokens(8))?;
    let reserved = reserve(store, &[charge("b", 2), charge("a", 2)], at(0)).await?;
    let in_order = reserved.iter().map(|reserved| reserved.key.id().to_owned()).collect::<Vec<_>>();
    expect("the order of the reservations", in_order, vec!["b".to_owned(), "a".to_owned()])?;
    finish(store, reserved, tokens(1)).await?;
    expect("what `a` spent", spent(store, charge("a", 0).key()).await?, tokens(1))?;
    expect("what `b` spent", spent(store, charge("b", 0).key()).await?, tokens(9))
}

/// Name, scope, id and window separate accounts, whatever they contain.
async fn keys<S: BudgetStore>(Stores { first: store, .. }: &Stores<S>) -> Check {
    let texts = ["", "a", "A", "ab", "a/b", "a b", "a\u{0}b", "'; --", "%", "ä", "a\u{308}", "\u{1f9c5}"];
    let budget = |name: &str, scope| Budget::new(name, scope).tokens(10);
    let mut charges = Vec::new();
    for text in texts {
        charges.push(Charge::new(budget(text, BudgetScope::User), "id", tokens(1)));
        charges.push(Charge::new(budget("name", BudgetScope::User), text, tokens(1)));
    }
    for scope in [BudgetScope::Run, BudgetScope::Session, BudgetScope::All] {
        charges.push(Charge::new(budget("a", scope), "id", tokens(1)));
    }
    for window in [1, 2] {
        let budget = budget("a", BudgetScope::User).per(Duration::from_hours(window));
        charges.push(Charge::new(budget, "id", tokens(1)));
    }
    for charge in &charges {
        reserve(store, slice::from_ref(charge), at(0)).await?;
    }
    for charge in &charges {
        expect(&format!("what {:?} spent", charge.key()), spent(store, charge.key()).await?, tokens(1))?;
    }
    Ok(())
}

/// A window begins with its first reservation and ends after its time.
async fn window<S: BudgetStore>(Stores { first: store, .. }: &Stores<S>) -> Check {
    let charge = |amount| Charge::new(ten().per(Duration::from_secs(HOUR)), "", tokens(amount));
    reserve(store, &[charge(4)], at(100)).await?;
    reserve(store, &[charge(6)], at(HOUR)).await?;
    refused(store, &[charge(1)], at(HOUR + 99)).await?;
    reserve(store, &[charge(7)], at(HOUR + 100)).await?;
    expect("what was spent in the second window", spent(store, charge(0).key()).await?, tokens(7))?;
    refused(store, &[charge(4)], at(2 * HOUR + 99)).await?;
    reserve(store, &[charge(4)], at(9 * HOUR)).await?;
    expect("what was spent in the third window", spent(store, charge(0).key()).await?, tokens(4))
}

/// What was reserved in a window that is over leaves the next window unchanged.
async fn late_correction<S: BudgetStore>(Stores { first: store, .. }: &Stores<S>) -> Check {
    let charge = |amount| Charge::new(ten().per(Duration::from_secs(HOUR)), "", tokens(amount));
    let reserved = reserve(store, &[charge(4)], at(0)).await?;
    reserve(store, &[charge(3)], at(HOUR)).await?;
    finish(store, reserved, tokens(9)).await?;
    expect("what was spent in the second window", spent(store, charge(0).key()).await?, tokens(3))
}

/// A clock that jumps back loses nothing, and holds the window open no longer than its time.
async fn clock_that_jumps_back<S: BudgetStore>(Stores { first: store, .. }: &Stores<S>) -> Check {
    let charge = |amount| Charge::new(ten().per(Duration::from_secs(HOUR)), "", tokens(amount));
    reserve(store, &[charge(4)], at(100 * HOUR)).await?;
    reserve(store, &[charge(4)], at(0)).await?;
    expect("what was spent", refused(store, &[charge(4)], at(1)).await?, 8)?;
    reserve(store, &[charge(10)], at(HOUR)).await?;
    Ok(())
}

/// A refusal after the jump holds a used up budget no longer than the window.
async fn refused_after_a_jump_back<S: BudgetStore>(Stores { first: store, .. }: &Stores<S>) -> Check {
    let charge = |amount| Charge::new(ten().per(Duration::from_secs(HOUR)), "", tokens(amount));
    reserve(store, &[charge(10)], at(100 * HOUR)).await?;
    refused(store, &[charge(1)], at(0)).await?;
    expect("what was spent", spent(store, charge(0).key()).await?, tokens(10))?;
    reserve(store, &[charge(1)], at(HOUR)).await?;
    Ok(())
}

/// Amounts up to `i64::MAX` are exact. More than that is not less.
async fn large_amounts<S: BudgetStore>(Stores { first: store, .. }: &Stores<S>) -> Check {
    let most = i64::MAX.unsigned_abs();
    let charge =
        |amount| Charge::new(Budget::new("large", BudgetScope::All).tokens(most), "", tokens(amount));
    let reserved = reserve(store, &[charge(most - 1)], at(0)).await?;
    expect("what was spent", spent(store, charge(0).key()).await?, tokens(most - 1))?;
    reserve(store, &[charge(1)], at(0)).await?;
    refused(store, &[charge(1)], at(0)).await?;
    finish(store, reserved, tokens(u64::MAX)).await?;
    let spent = spent(store, charge(0).key()).await?.tokens;
    expect("whether all of it is spent", spent >= most, true)?;
    refused(store, &[charge(1)], at(0)).await?;
    Ok(())
}

/// A correction of an account that is gone is no error, and makes no account.
async fn unknown_key<S: BudgetStore>(Stores { first: store, .. }: &Stores<S>) -> Check {
    let charge = Charge::new(ten(), "", tokens(4));
    let reserved = Account::new(0, tokens(4)).reserved(&charge);
    finish(store, vec![reserved], tokens(9)).await?;
    expect("the account", store.account(charge.key()).await?, None)
}

/// A dropped reservation has all charges or none.
async fn dropped<S: BudgetStore>(Stores { first: store, .. }: &Stores<S>) -> Check {
    let charge = |id: &str| Charge::new(ten(), id, tokens(1));
    for _ in 0..10 {
        let charges = [charge("a"), charge("b")];
        {
            let mut reserved = pin!(store.reserve(&charges, at(0)));
            let _ = reserved.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        }
        tokio::task::yield_now().await;
    }
    // A later reservation waits for what the store still does.
    reserve(store, &[charge("c")], at(0)).await?;
    let (a, b) = (spent(store, charge("a").key()).await?, spent(store, charge("b").key()).await?);
    expect("what `a` and `b` spent", a, b)
}

/// Handles of one store see each other's amounts.
async fn two_handles<S: BudgetStore>(Stores { first, second }: &Stores<S>) -> Check {
    let charge = |amount| Charge::new(ten(), "", tokens(amount));
    let reserved = reserve(first, &[charge(6)], at(0)).await?;
    expect("what was spent", refused(second, &[charge(5)], at(0)).await?, 6)?;
    finish(second, reserved, tokens(2)).await?;
    reserve(second, &[charge(8)], at(0)).await?;
    expect("what was spent", refused(first, &[charge(1)], at(0)).await?, 10)
}

/// Concurrent reservations never exceed the budget.
async fn concurrent<S: BudgetStore>(Stores { first, second }: &Stores<S>) -> Check {
    const TASKS: u64 = 64;
    const MAX: u64 = 500;
    let budget = || Budget::new("shared", BudgetScope::All).tokens(MAX);
    let mut tasks = tokio::task::JoinSet::new();
    for task in 0..TASKS {
        let store = Arc::clone(if task % 2 == 0 { first } else { second });
        let charges =
            [Charge::new(budget(), "", tokens(2)), Charge::new(budget(), task.to_string(), tokens(2))];
        tasks.spawn(async move {
            let mut accepted = 0;
            // A store without a limit accepts for ever.
            while accepted <= MAX {
                match store.reserve(&charges, at(0)).await {
                    Ok(mut reserved) => {
                        accepted += 1;
                        tokio::task::yield_now().await;
                        // One token less than reserved.
                        let spendings: Vec<_> =
                            reserved.drain(..).map(|reserved| Spending::new(reserved, tokens(1))).collect();
                        store.finish(&spendings).await?;
                    }
                    Err(BudgetError::Exceeded(_)) => return Ok::<u64, BudgetError>(accepted),
                    Err(error) => return Err(error),
                }
            }
            Ok(accepted)
        });
    }
    let mut accepted = 0;
    while let Some(done) = tasks.join_next().await {
        accepted += done.map_err(|error| Mistake(error.to_string()))??;
    }
    let total = spent(first, Charge::new(budget(), "", tokens(0)).key()).await?;
    expect("what the tasks spent", total, tokens(accepted))?;
    // A task ends when two tokens do not fit, also if others give one back later.
    expect("whether it is within the budget and near it", accepted <= MAX && accepted + TASKS >= MAX, true)
}
