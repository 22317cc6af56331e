//! Stores that fail, runs that are dropped at any moment, and replays: what was spent is never counted too low.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use onionskin::budget::{
    Account, Amounts, Budget, BudgetError, BudgetKey, BudgetScope, BudgetStore, Charge, MemoryBudgets,
    Reserved, Spending,
};
use onionskin::journal::MemoryJournal;
use onionskin::model::{Model, ModelDelta, ModelError, ModelRequest, ModelResponse};
use onionskin::{AgentHandle, BoxFuture, RunError, State, agent, tool};
use tokio::sync::Notify;

use crate::cut::Cut;
use crate::support::{calls, says, spent, store};

/// The starts of the tool.
#[derive(Clone, Default)]
struct Starts(Arc<AtomicU64>);

/// Counts its starts.
#[tool(effect = pure)]
async fn count(starts: State<Starts>) -> u64 {
    tokio::task::yield_now().await;
    starts.0.fetch_add(1, Ordering::SeqCst) + 1
}

agent! {
    Child { name: "child", description: "Counts.", instruction: "Count.", function_tools: [count], state: Starts }
    Parent { name: "parent", instruction: "Ask.", agents: [Child], function_tools: [count], state: Starts }
}

/// The tokens of each answer.
const ANSWER: u64 = 1_000;

/// Two turns of the parent, with a child and a tool at once, and two turns of the child.
#[derive(Clone, Default)]
struct Requests(Arc<AtomicU64>);

impl Model for Requests {
    async fn respond(
        &self,
        request: &ModelRequest,
        _: &mut (dyn FnMut(ModelDelta) + Send),
    ) -> Result<ModelResponse, ModelError> {
        tokio::task::yield_now().await;
        self.0.fetch_add(1, Ordering::SeqCst);
        Ok(match (&*request.agent, request.messages.len()) {
            ("parent", 1) => calls(&[("agent__child", r#"{"input": "Count."}"#), ("count", "{}")], ANSWER, 0),
            ("child", 1) => calls(&[("count", "{}")], ANSWER, 0),
            _ => says("Done.", ANSWER, 0),
        })
    }
}

fn budget() -> Budget {
    Budget::new("all", BudgetScope::All).tokens(1_000_000).calls(1_000)
}

/// What a store does at one of its moments, which are counted: before and after each change.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Fault {
    Fails,
    Hangs,
}

struct Faulty {
    store: Arc<MemoryBudgets>,
    fault: Fault,
    moments: AtomicUsize,
    at: usize,
    reached: Arc<Notify>,
}

impl Faulty {
    async fn pass(&self) -> Result<(), BudgetError> {
        tokio::task::yield_now().await;
        let moment = self.moments.fetch_add(1, Ordering::SeqCst) + 1;
        match self.fault {
            // From then on.
            Fault::Fails if moment >= self.at => Err(BudgetError::storage("the disk is full")),
            Fault::Hangs if moment == self.at => {
                self.reached.notify_one();
                std::future::pending().await
            }
            Fault::Fails | Fault::Hangs => Ok(()),
        }
    }
}

impl BudgetStore for Faulty {
    fn reserve<'a>(
        &'a self,
        charges: &'a [Charge],
        now: SystemTime,
    ) -> BoxFuture<'a, Result<Vec<Reserved>, BudgetError>> {
        Box::pin(async move {
            self.pass().await?;
            let reserved = self.store.reserve(charges, now).await?;
            self.pass().await?;
            Ok(reserved)
        })
    }

    fn finish<'a>(&'a self, spendings: &'a [Spending]) -> BoxFuture<'a, Result<(), BudgetError>> {
        Box::pin(async move {
            self.pass().await?;
            self.store.finish(spendings).await?;
            self.pass().await
        })
    }

    fn account<'a>(&'a self, key: &'a BudgetKey) -> BoxFuture<'a, Result<Option<Account>, BudgetError>> {
        self.store.account(key)
    }
}

/// The moments of a whole run: each of four requests and two calls reserves and finishes.
const MOMENTS: usize = (4 + 2) * 4;

#[tokio::test]
async fn a13_a_store_that_fails_at_any_moment_ends_the_run_by_type() {
    for at in 1..=MOMENTS + 1 {
        let (store, asked, starts) = (store(), Requests::default(), Starts::default());
        let (moments, reached) = (AtomicUsize::new(0), Arc::default());
        let faulty = Faulty { store: Arc::clone(&store), fault: Fault::Fails, moments, at, reached };
        let parent = Parent::builder().model(asked.clone()).state(starts.clone()).budget(budget());
        let end = parent.budget_store(faulty).run("Count.").await;
        if at > MOMENTS {
            end.unwrap();
        } else {
            let error = end.unwrap_err();
            let is_storage = matches!(error, RunError::Budget { source: BudgetError::Storage { .. }, .. });
            assert!(is_storage, "at {at}: {error:?}");
            assert_eq!(
                error.to_string(),
                "the run of `parent` was ended: the store of budgets failed: the disk is full"
            );
        }
        counts_at_least(&store, &asked, &starts, &format!("at {at}")).await;
    }
}

/// A request has spent its estimate at least, and the reported tokens if it could be written.
async fn counts_at_least(
    store: &Arc<MemoryBudgets>,
    asked: &Requests,
    starts: &Starts,
    context: &str,
) -> Amounts {
    let spent = spent(store, &budget()).await;
    let (asked, started) = (asked.0.load(Ordering::SeqCst), starts.0.load(Ordering::SeqCst));
    assert!(spent.calls >= started, "{context}: {spent:?}, {started} calls");
    let least = asked.saturating_sub(2) * ANSWER + asked.min(2);
    assert!(spent.tokens >= least, "{context}: {spent:?}, {asked} requests");
    spent
}

#[tokio::test]
async fn a13_a_run_that_is_dropped_at_any_moment_has_spent_what_it_reserved() {
    for at in 1..=MOMENTS {
        let (store, asked, starts) = (store(), Requests::default(), Starts::default());
        let reached: Arc<Notify> = Arc::default();
        let (moments, hangs) = (AtomicUsize::new(0), Arc::clone(&reached));
        let faulty = Faulty { store: Arc::clone(&store), fault: Fault::Hangs, moments, at, reached: hangs };
        let parent = Parent::builder().model(asked.clone()).state(starts.clone()).budget(budget());
        let run = parent.budget_store(faulty).run("Count.");
        tokio::select! {
            end = run => panic!("at {at}: {end:?}"),
            () = reached.notified() => {}
        }
        counts_at_least(&store, &asked, &starts, &format!("at {at}")).await;
    }
}

async fn parent(
    store: &Arc<MemoryBudgets>,
    journal: impl onionskin::journal::Journal,
    asked: &Requests,
    starts: &Starts,
) -> AgentHandle {
    let parent = Parent::builder().model(asked.clone()).state(starts.clone()).budget(budget());
    parent.budget_store(Arc::clone(store)).journal(journal).build().await.unwrap()
}

#[tokio::test]
async fn a13_a_replay_spends_nothing() {
    let (store, asked, starts) = (store(), Requests::default(), Starts::default());
    let journal = Arc::new(MemoryJournal::default());
    let handle = parent(&store, Arc::clone(&journal), &asked, &starts).await;
    let first = handle.request("Count.").run_id("one").run().await.unwrap();
    let after_first = spent(&store, &budget()).await;
    assert_eq!((after_first.tokens, after_first.calls), (4 * ANSWER, 2));
    // In another process, also if nothing is left.
    let full = Budget::new("all", BudgetScope::All).tokens(1).calls(1);
    let again = Parent::builder().model(asked.clone()).state(starts.clone()).budget(full);
    let again = again.budget_store(Arc::clone(&store)).journal(Arc::clone(&journal)).build().await.unwrap();
    let replayed = again.request("Count.").run_id("one").run().await.unwrap();
    assert_eq!((replayed.text, replayed.usage), (first.text, first.usage));
    assert_eq!(spent(&store, &budget()).await, after_first);
}

#[tokio::test]
async fn a13_a_run_that_crashes_at_any_step_and_continues_counts_each_request_once() {
    let mut at = 0;
    loop {
        at += 1;
        let (store, asked, starts) = (store(), Requests::default(), Starts::default());
        let (journal, moments, reached) = (Arc::default(), Arc::default(), Arc::<Notify>::default());
        let cut = Cut {
            journal: Arc::clone(&journal),
            moments: Arc::clone(&moments),
            at,
            reached: Arc::clone(&reached),
        };
        let crashing = parent(&store, cut, &asked, &starts).await;
        let ended = {
            let run = crashing.request("Count.").run_id("one").run();
            tokio::select! {
                end = run => { end.unwrap(); true }
                () = reached.notified() => false,
            }
        };
        let next = parent(&store, Arc::clone(&journal), &asked, &starts).await;
        next.request("Count.").run_id("one").run().await.unwrap();
        let spent = counts_at_least(&store, &asked, &starts, &format!("at {at}")).await;
        // What was in flight at the crash counts its estimate, and again when it runs again.
        let (asked, started) = (asked.0.load(Ordering::SeqCst), starts.0.load(Ordering::SeqCst));
        assert!(spent.calls <= started + 1 && spent.tokens <= (asked + 2) * ANSWER, "at {at}: {spent:?}");
        if ended {
            assert_eq!((spent.tokens, spent.calls), (4 * ANSWER, 2));
            assert!(at > 12, "{at}");
            break;
        }
    }
}

/// Fails when it finishes, once.
struct FailsToFinish {
    store: Arc<MemoryBudgets>,
    failed: Mutex<bool>,
}

impl BudgetStore for FailsToFinish {
    fn reserve<'a>(
        &'a self,
        charges: &'a [Charge],
        now: SystemTime,
    ) -> BoxFuture<'a, Result<Vec<Reserved>, BudgetError>> {
        self.store.reserve(charges, now)
    }

    fn finish<'a>(&'a self, spendings: &'a [Spending]) -> BoxFuture<'a, Result<(), BudgetError>> {
        Box::pin(async move {
            let had_failed = std::mem::replace(&mut *self.failed.lock().unwrap(), true);
            if had_failed { self.store.finish(spendings).await } else { Err(BudgetError::storage("busy")) }
        })
    }

    fn account<'a>(&'a self, key: &'a BudgetKey) -> BoxFuture<'a, Result<Option<Account>, BudgetError>> {
        self.store.account(key)
    }
}

#[tokio::test]
async fn a13_an_answer_that_could_not_be_counted_is_recorded_and_not_asked_for_again() {
    let (asked, starts, journal) =
        (Requests::default(), Starts::default(), Arc::new(MemoryJournal::default()));
    let fails = Arc::new(FailsToFinish { store: store(), failed: Mutex::default() });
    let parent = Parent::builder().model(asked.clone()).state(starts.clone()).budget(budget());
    let parent = parent.budget_store(Arc::clone(&fails)).journal(Arc::clone(&journal)).build().await.unwrap();
    let run = || parent.request("Count.").run_id("one").run();
    assert!(matches!(run().await, Err(RunError::Budget { .. })));
    run().await.unwrap();
    assert_eq!(asked.0.load(Ordering::SeqCst), 4, "each turn once");
}

#[tokio::test(start_paused = true)]
async fn a13_a_cancelled_run_has_spent_the_estimate_of_its_request() {
    struct Hangs;
    impl Model for Hangs {
        async fn respond(
            &self,
            _: &ModelRequest,
            _: &mut (dyn FnMut(ModelDelta) + Send),
        ) -> Result<ModelResponse, ModelError> {
            std::future::pending().await
        }
    }
    agent! { Waiter { name: "waiter", instruction: "Wait.", request_params: { max_tokens: 500 } } }
    let store = store();
    let budget = budget().time(Duration::from_hours(1));
    let waiter = Waiter::builder().model(Hangs).budget(budget.clone()).budget_store(Arc::clone(&store));
    let waiter = waiter.build().await.unwrap();
    let token = onionskin::CancellationToken::new();
    let run = waiter.request("Wait.").cancellation(token.clone()).run();
    let cancel = async {
        tokio::time::sleep(Duration::from_secs(5)).await;
        token.cancel();
    };
    assert!(matches!(tokio::join!(run, cancel).0, Err(RunError::Cancelled { .. })));
    let spent = spent(&store, &budget).await;
    assert!(spent.tokens > 500, "{spent:?}");
    assert_eq!(spent.time, 5_000_000);
}
