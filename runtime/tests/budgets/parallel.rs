//! Whatever 64 children do at the same time, they spend no more than the budget and one request or call each.

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use onionskin::budget::{Amounts, Budget, BudgetScope};
use onionskin::declaration::Limits;
use onionskin::model::{Model, ModelDelta, ModelError, ModelRequest, ModelResponse, Price, Prices, Usage};
use onionskin::{RunError, State, agent, hooks, tool};
use proptest::prelude::*;

use crate::support::{calls, says, spent, store};

const CHILDREN: u64 = 64;

/// What a request does.
#[derive(Debug, Clone)]
struct Plan {
    input: u64,
    output: u64,
    millis: u64,
    end: End,
    /// The number of calls in its answer.
    calls: usize,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum End {
    Answers,
    /// A transient error, with what it reported.
    Fails,
    /// An error for good.
    Breaks,
    /// Until the child is cancelled.
    Hangs,
}

/// The most tokens of a request.
const MOST: u64 = 500;

fn plans() -> impl Strategy<Value = Vec<Plan>> {
    let end = prop_oneof![8 => Just(End::Answers), 2 => Just(End::Fails), 1 => Just(End::Breaks), 1 => Just(End::Hangs)];
    let plan = (1..MOST - 100, 0..100_u64, 0..50_u64, end, 0..3_usize);
    let plan =
        plan.prop_map(|(input, output, millis, end, calls)| Plan { input, output, millis, end, calls });
    prop::collection::vec(plan, 1..40)
}

/// What the world has seen.
#[derive(Clone, Default)]
struct Ledger(Arc<Totals>);

#[derive(Default)]
struct Totals {
    /// Tokens that were reported, also by failed requests.
    tokens: AtomicU64,
    /// Tokens of the requests in progress.
    sent: AtomicU64,
    calls: AtomicU64,
    /// Requests and calls that were dropped.
    dropped: AtomicU64,
}

/// Counts work that does not come to its end.
struct InProgress<'t>(&'t AtomicU64, bool);

impl Drop for InProgress<'_> {
    fn drop(&mut self) {
        self.0.fetch_add(u64::from(!self.1), Ordering::SeqCst);
    }
}

struct Planned {
    plans: Vec<Plan>,
    next: AtomicUsize,
    ledger: Ledger,
}

impl Model for Planned {
    async fn respond(
        &self,
        request: &ModelRequest,
        deltas: &mut (dyn FnMut(ModelDelta) + Send),
    ) -> Result<ModelResponse, ModelError> {
        let totals = &self.ledger.0;
        totals.sent.fetch_add(1, Ordering::SeqCst);
        if &*request.agent == "crowd" {
            totals.tokens.fetch_add(2, Ordering::SeqCst);
            let call = ("agent__one", r#"{"input": "Go."}"#);
            let is_first = request.messages.len() == 1;
            let all = vec![call; usize::try_from(CHILDREN).unwrap()];
            return Ok(if is_first { calls(&all, 1, 1) } else { says("Done.", 1, 1) });
        }
        let plan = &self.plans[self.next.fetch_add(1, Ordering::SeqCst) % self.plans.len()];
        let mut progress = InProgress(&totals.dropped, false);
        tokio::time::sleep(Duration::from_millis(plan.millis)).await;
        if plan.end == End::Hangs {
            std::future::pending::<()>().await;
        }
        progress.1 = true;
        totals.tokens.fetch_add(plan.input + plan.output, Ordering::SeqCst);
        deltas(ModelDelta::Usage(Usage::new(plan.input, plan.output)));
        match plan.end {
            End::Fails => Err(ModelError::status(503, "overloaded", None)),
            End::Breaks => Err(ModelError::setup("broken")),
            End::Answers | End::Hangs if plan.calls > 0 && request.messages.len() < 12 => {
                Ok(calls(&vec![("work", r#"{"millis": 3}"#); plan.calls], plan.input, plan.output))
            }
            End::Answers | End::Hangs => Ok(says("Done.", plan.input, plan.output)),
        }
    }
}

/// Works for a while.
#[tool(effect = pure)]
async fn work(millis: u64, ledger: State<Ledger>) -> u64 {
    ledger.0.calls.fetch_add(1, Ordering::SeqCst);
    let mut progress = InProgress(&ledger.0.dropped, false);
    tokio::time::sleep(Duration::from_millis(millis)).await;
    progress.1 = true;
    millis
}

agent! {
    One { name: "one", description: "Works.", instruction: "Work.", function_tools: [work], state: Ledger }
    Crowd {
        name: "crowd",
        instruction: "Ask all.",
        agents: [One],
        state: Ledger,
        tool_hooks: [hooks::timeout(Duration::from_secs(20)) for [One]],
    }
}

/// Runs a crowd. Returns what it spent by its own reckoning, and by the store's.
async fn crowd(
    plans: Vec<Plan>,
    budget: &Budget,
    time: Option<u64>,
) -> (Ledger, Amounts, Result<String, RunError>) {
    let (ledger, store) = (Ledger::default(), store());
    let mut limits = Limits::default();
    limits.time = time.map(Duration::from_millis);
    let model = Planned { plans, next: AtomicUsize::new(0), ledger: ledger.clone() };
    let crowd = Crowd::builder().model(model).state(ledger.clone()).limits(limits);
    let crowd = crowd.budget(budget.clone()).budget_store(Arc::clone(&store)).run("Go.").await;
    (ledger, spent(&store, budget).await, crowd.map(|output| output.text))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a13_no_interleaving_of_64_children_spends_more_than_the_budget_and_one_request_each(
        plans in plans(),
        tokens in 1..40_000_u64,
        calls in 1..100_u64,
        time in prop_oneof![3 => Just(None), 1 => (1..200_u64).prop_map(Some)],
    ) {
        // A micro-unit for each token.
        let prices = Prices::new().with("onionskin", Price::new(1_000_000, 1_000_000));
        let budget = Budget::new("all", BudgetScope::All).tokens(tokens).calls(calls).money(tokens, prices);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        let (ledger, stored, end) = runtime.block_on(crowd(plans, &budget, time));
        let count = |count: &AtomicU64| count.load(Ordering::SeqCst);
        let Totals { tokens: used, calls: started, sent, dropped } = &*ledger.0;
        let (used, started, sent, dropped) = (count(used), count(started), count(sent), count(dropped));
        let mut context = String::new();
        let _ = write!(context, "used {used}, started {started}, sent {sent}, dropped {dropped}, {stored:?}, {end:?}");
        // Calls are known before they start, so they are never exceeded.
        prop_assert!(started <= calls, "{context}");
        // Each run in progress, the parent too, can have one request whose tokens are not known before.
        prop_assert!(used <= tokens + (CHILDREN + 1) * MOST, "{context}");
        // What the store has is what was reported; what was dropped has its estimate.
        prop_assert!(stored.calls >= started && stored.tokens >= used && stored.money == stored.tokens, "{context}");
        if dropped == 0 {
            prop_assert_eq!((stored.tokens, stored.calls), (used, started), "{}", context);
        } else {
            prop_assert!(stored.tokens <= used + dropped * 2_000, "{context}");
        }
        // A run that ends early ends by its budget or its time.
        if let Err(error) = end {
            prop_assert!(matches!(error, RunError::Limit { .. }), "{error}");
        }
    }
}
