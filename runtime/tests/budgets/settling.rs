//! What is counted at the end of requests and calls that fail, are dropped, or cannot be counted at once.

use std::future::pending;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use futures_util::future::join_all;
use onionskin::approval::{Approval, ApprovalRequest, Approver, Resolution};
use onionskin::budget::{
    Account, Budget, BudgetError, BudgetKey, BudgetScope, BudgetStore, Charge, MemoryBudgets, Reserved,
    Spending,
};
use onionskin::declaration::Limits;
use onionskin::journal::MemoryJournal;
use onionskin::model::{
    Message, Model, ModelDelta, ModelError, ModelRequest, ModelResponse, Price, Prices, Usage,
};
use onionskin::sessions::MemorySessions;
use onionskin::turn_hooks::TurnRequest;
use onionskin::{AgentTool, BoxFuture, CancellationToken, RunError, State, agent, tool, turn_hook};
use tokio::sync::Notify;
use tokio::time::timeout;

use crate::answers::answers;
use crate::support::{Boss, Clerk, calls, exceeded, looks, says, spent, store, tokens};
use crate::unanswered::Reports;

#[tokio::test]
async fn a13_a_request_whose_estimate_costs_nothing_is_counted_and_ends() {
    // Input is free, and no maximum of the output is set.
    let prices = Prices::new().with("onionskin", Price::new(0, 1_000_000));
    let (budget, store) = (Budget::new("money", BudgetScope::All).money(15, prices), store());
    let clerk = Clerk::builder().model(looks(0)).budget(budget.clone()).budget_store(Arc::clone(&store));
    let clerk = clerk.build().await.unwrap();
    clerk.run("Hello?").await.unwrap();
    assert_eq!(spent(&store, &budget).await.money, 10);
    clerk.run("Hello?").await.unwrap();
    assert_eq!(exceeded(clerk.run("Hello?").await).spent(), 20);
}

#[tokio::test(start_paused = true)]
async fn a13_a_request_that_is_dropped_has_spent_what_it_reported() {
    let store = store();
    let clerk = Clerk::builder().model(Reports).budget(tokens(9_000)).budget_store(Arc::clone(&store));
    let clerk = clerk.build().await.unwrap();
    let token = CancellationToken::new();
    let run = clerk.request("Hello?").cancellation(token.clone()).run();
    let cancel = async {
        tokio::time::sleep(Duration::from_secs(5)).await;
        token.cancel();
    };
    assert!(matches!(tokio::join!(run, cancel).0, Err(RunError::Cancelled { .. })));
    assert_eq!(spent(&store, &tokens(9_000)).await.tokens, 1_000);
    // Also if the whole run is dropped.
    timeout(Duration::from_secs(5), clerk.run("Hello?")).await.unwrap_err();
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(spent(&store, &tokens(9_000)).await.tokens, 2_000);
}

/// What a run spends that asks a model once.
async fn spent_once(model: impl Model) -> u64 {
    let (store, mut limits) = (store(), Limits::default());
    limits.model_retries = 0;
    limits.model_timeout = Duration::from_secs(2);
    let clerk = Clerk::builder().model(model).limits(limits).budget(tokens(9_000));
    clerk.budget_store(Arc::clone(&store)).run("Hello?").await.unwrap_err();
    spent(&store, &tokens(9_000)).await.tokens
}

#[tokio::test(start_paused = true)]
async fn a13_an_answer_that_is_lost_or_refused_has_spent_its_tokens_or_the_estimate() {
    let empty = answers(|_, _| {
        let mut empty = ModelResponse::text("");
        empty.usage = Usage::new(1_000, 20);
        Ok(empty)
    });
    assert_eq!(spent_once(empty).await, 1_020, "the answer is empty");
    assert_eq!(spent_once(Reports).await, 1_000, "the model timeout");
    for lost in [ModelError::transport("cut off"), ModelError::malformed("no JSON")] {
        let lost = spent_once(answers(move |_, _| Err(lost.clone()))).await;
        assert!((10..1_000).contains(&lost), "the estimate: {lost}");
    }
    assert_eq!(spent_once(answers(|_, _| Err(ModelError::status(400, "no", None)))).await, 0, "refused");
}

/// Does something when it finishes: each time with another number.
struct AtFinish<F> {
    store: Arc<MemoryBudgets>,
    finishes: AtomicU32,
    does: F,
}

impl<F> AtFinish<F>
where
    F: Fn(u32) -> BoxFuture<'static, Result<(), BudgetError>> + Send + Sync + 'static,
{
    fn new(store: &Arc<MemoryBudgets>, does: F) -> Arc<Self> {
        Arc::new(Self { store: Arc::clone(store), finishes: AtomicU32::new(0), does })
    }
}

impl<F> BudgetStore for AtFinish<F>
where
    F: Fn(u32) -> BoxFuture<'static, Result<(), BudgetError>> + Send + Sync + 'static,
{
    fn reserve<'a>(
        &'a self,
        charges: &'a [Charge],
        now: SystemTime,
    ) -> BoxFuture<'a, Result<Vec<Reserved>, BudgetError>> {
        self.store.reserve(charges, now)
    }

    fn finish<'a>(&'a self, spendings: &'a [Spending]) -> BoxFuture<'a, Result<(), BudgetError>> {
        Box::pin(async move {
            (self.does)(self.finishes.fetch_add(1, Ordering::SeqCst) + 1).await?;
            self.store.finish(spendings).await
        })
    }

    fn account<'a>(&'a self, key: &'a BudgetKey) -> BoxFuture<'a, Result<Option<Account>, BudgetError>> {
        self.store.account(key)
    }
}

#[tokio::test(start_paused = true)]
async fn a13_a_count_that_is_interrupted_goes_on() {
    let (store, go_on) = (store(), Arc::<Notify>::default());
    let waits = Arc::clone(&go_on);
    let slow = AtFinish::new(&store, move |_| {
        let waits = Arc::clone(&waits);
        Box::pin(async move {
            waits.notified().await;
            Ok(())
        })
    });
    let clerk = Clerk::builder().model(answers(|_, _| Ok(says("Yes.", 1_000, 0)))).budget(tokens(9_000));
    let clerk = clerk.budget_store(slow).build().await.unwrap();
    timeout(Duration::from_secs(5), clerk.run("Hello?")).await.unwrap_err();
    assert!(spent(&store, &tokens(9_000)).await.tokens < 1_000);
    go_on.notify_one();
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(spent(&store, &tokens(9_000)).await.tokens, 1_000);
}

#[tokio::test]
async fn a13_a_store_that_fails_does_not_stop_the_count_in_the_others() {
    let (shared, own) = (store(), store());
    // The second request is that of the tool.
    let fails = AtFinish::new(&shared, |finish| {
        let failed = Err(BudgetError::storage("busy"));
        Box::pin(async move { if finish == 2 { failed } else { Ok(()) } })
    });
    let clerk = Clerk::builder().model(looks(0)).budget(tokens(5_000)).budget_store(Arc::clone(&own));
    let tool = AgentTool::new(&clerk.build().await.unwrap()).name("ask").spec();
    let asks = answers(|_, _| Ok(calls(&[("ask", r#"{"input": "Hello?"}"#)], 100, 10)));
    let boss = Boss::builder().model(asks).tool(tool).budget(tokens(9_000)).budget_store(fails);
    assert!(matches!(boss.run("Hello?").await, Err(RunError::Budget { .. })));
    assert_eq!(spent(&own, &tokens(5_000)).await.tokens, 110);
}

#[tokio::test(start_paused = true)]
async fn a13_failed_attempts_are_in_the_usage_of_the_session_if_the_next_one_is_refused() {
    let is_up = Arc::new(AtomicBool::new(false));
    let answers_now = Arc::clone(&is_up);
    let model = answers(move |_, deltas| {
        if answers_now.load(Ordering::SeqCst) {
            return Ok(says("Yes.", 100, 10));
        }
        deltas(ModelDelta::Usage(Usage::new(1_000, 0)));
        Err(ModelError::status(503, "overloaded", None))
    });
    let clerk = Clerk::builder().model(model).session_store(Arc::new(MemorySessions::default()));
    let clerk = clerk.build().await.unwrap();
    let session = clerk.open_session("ticket-7").await.unwrap();
    let run = Budget::new("run", BudgetScope::Run).tokens(1_000);
    exceeded(clerk.request("Hello?").session(&session).budget(run).run().await);
    is_up.store(true, Ordering::SeqCst);
    clerk.request("Hello?").session(&session).run().await.unwrap();
    assert_eq!(session.usage().total(), Usage::new(1_100, 10));
}

/// Whether the bank answers.
#[derive(Clone, Default)]
struct Bank(Arc<AtomicBool>);

/// Pays.
#[tool(effect = once, approval)]
async fn pay(bank: State<Bank>) -> &'static str {
    if !bank.0.load(Ordering::SeqCst) {
        pending::<()>().await;
    }
    "paid"
}

agent! { Payer { name: "payer", instruction: "Pay.", state: Bank, function_tools: [pay] } }

/// Thinks for a minute about a call in doubt.
struct Thinks;

impl Approver for Thinks {
    async fn approve(&self, _: ApprovalRequest) -> Approval {
        Approval::Allow
    }

    async fn resolve(&self, _: ApprovalRequest) -> Resolution {
        tokio::time::sleep(Duration::from_mins(1)).await;
        Resolution::RunAgain
    }
}

#[tokio::test(start_paused = true)]
async fn a13_the_wait_for_a_person_about_a_call_in_doubt_is_no_time_of_the_tool() {
    let model = answers(|request, _| {
        Ok(if request.messages.len() == 1 { calls(&[("pay", "{}")], 1, 1) } else { says("Done.", 1, 1) })
    });
    let (bank, store) = (Bank::default(), store());
    let budget = Budget::new("time", BudgetScope::All).time(Duration::from_hours(1));
    let payer = Payer::builder().model(model).state(bank.clone()).approver(Thinks).budget(budget.clone());
    let payer = payer.budget_store(Arc::clone(&store)).journal(Arc::new(MemoryJournal::default()));
    let payer = payer.build().await.unwrap();
    let run = || payer.request("Pay.").run_id("one").run();
    timeout(Duration::from_secs(1), run()).await.unwrap_err();
    bank.0.store(true, Ordering::SeqCst);
    assert_eq!(run().await.unwrap().text, "Done.");
    assert_eq!(spent(&store, &budget).await.time, 1_000_000, "the second in which the bank did not answer");
}

/// Asks 50 questions at once.
#[turn_hook(before_llm_call)]
async fn asks_much(request: &mut TurnRequest) -> Result<(), ModelError> {
    let request = &*request;
    let question = async |_| request.ask_model(ModelRequest::new([Message::user("Why?")])).await.map(drop);
    join_all((0..50).map(question)).await.into_iter().collect()
}

agent! { Curious { name: "curious", instruction: "Answer.", turn_hooks: [asks_much] } }

#[tokio::test]
async fn a13_questions_at_once_reserve_one_estimate_at_a_time() {
    struct Brief;
    impl Model for Brief {
        async fn respond(
            &self,
            _: &ModelRequest,
            _: &mut (dyn FnMut(ModelDelta) + Send),
        ) -> Result<ModelResponse, ModelError> {
            tokio::task::yield_now().await;
            Ok(says("So.", 1, 1))
        }
    }
    let store = store();
    let curious = Curious::builder().model(Brief).budget(tokens(300)).budget_store(Arc::clone(&store));
    curious.run("Hello?").await.unwrap();
    assert_eq!(spent(&store, &tokens(300)).await.tokens, 102);
}

/// A journal that writes for a while.
struct Writes(MemoryJournal);

impl onionskin::journal::Journal for Writes {
    fn step<'a>(
        &'a self,
        step: &'a onionskin::journal::Step,
        work: onionskin::journal::StepWork<'a>,
    ) -> crate::cut::StepResult<'a> {
        let work: onionskin::journal::StepWork<'a> = Box::new(move || {
            Box::pin(async move {
                let record = work().await?;
                tokio::task::yield_now().await;
                Ok(record)
            })
        });
        self.0.step(step, work)
    }
}

/// Counts its starts.
#[tool]
fn count(starts: State<Starts>) -> &'static str {
    starts.0.fetch_add(1, Ordering::SeqCst);
    "counted"
}

#[derive(Clone, Default)]
struct Starts(Arc<AtomicU32>);

agent! { Counter { name: "counter", instruction: "Count.", state: Starts, function_tools: [count] } }

#[tokio::test]
async fn a13_what_could_not_be_counted_is_recorded_in_a_journal_that_takes_its_time() {
    // The answer, and the result of the tool.
    for fails_at in [1, 2] {
        let (store, asked, starts) = (store(), Arc::new(Mutex::new(0)), Starts::default());
        let fails = AtFinish::new(&store, move |finish| {
            let failed = Err(BudgetError::storage("busy"));
            Box::pin(async move { if finish == fails_at { failed } else { Ok(()) } })
        });
        let counted = Arc::clone(&asked);
        let model = answers(move |request, _| {
            *counted.lock().unwrap() += 1;
            let is_first = request.messages.len() == 1;
            Ok(if is_first { calls(&[("count", "{}")], 1, 1) } else { says("Done.", 1, 1) })
        });
        let budget = tokens(9_000).calls(10);
        let counter = Counter::builder().model(model).state(starts.clone()).budget(budget);
        let counter = counter.budget_store(fails).journal(Writes(MemoryJournal::default()));
        let counter = counter.build().await.unwrap();
        let run = || counter.request("Count.").run_id("one").run();
        assert!(matches!(run().await, Err(RunError::Budget { .. })));
        assert_eq!(run().await.unwrap().text, "Done.");
        assert_eq!((*asked.lock().unwrap(), starts.0.load(Ordering::SeqCst)), (2, 1), "{fails_at}");
    }
}
