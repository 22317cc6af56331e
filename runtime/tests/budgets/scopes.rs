//! Who shares a budget, and for how long.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use onionskin::budget::{
    Account, Budget, BudgetError, BudgetKey, BudgetScope, BudgetStore, Charge, MemoryBudgets, Reserved,
    Spending,
};
use onionskin::question::Answer;
use onionskin::sessions::MemorySessions;
use onionskin::{AgentHandle, AgentTool, App, BoxFuture, RunError, agent, tool};

use crate::answers::answers;
use crate::support::{Boss, Clerk, calls, exceeded, looks, says, spent, spent_by, store, tokens};

fn scoped(name: &str, scope: BudgetScope) -> Budget {
    Budget::new(name, scope).tokens(1_000)
}

#[tokio::test]
async fn a13_runs_sessions_users_and_all_have_their_own_accounts() {
    use BudgetScope::{All, Run, Session, User};
    let (store, clerk) = (store(), Clerk::builder().model(looks(0)));
    let clerk =
        [Run, Session, User, All].into_iter().fold(clerk, |clerk, scope| clerk.budget(scoped("b", scope)));
    let clerk = clerk.budget_store(Arc::clone(&store)).build().await.unwrap();
    let (first, second) = (clerk.session(), clerk.session());
    for (session, user) in [(&first, "ada"), (&first, "bob"), (&second, "ada")] {
        clerk.request("Hello?").session(session).user(user).run().await.unwrap();
    }
    let by = async |scope, id: &str| spent_by(&store, &scoped("b", scope), id).await.tokens;
    assert_eq!((by(Session, first.id()).await, by(Session, second.id()).await), (220, 110));
    assert_eq!((by(User, "ada").await, by(User, "bob").await), (220, 110));
    assert_eq!(by(All, "").await, 330);
}

#[tokio::test]
async fn a13_the_budget_that_is_used_up_ends_the_run() {
    for (scope, name) in
        [(BudgetScope::Session, "session"), (BudgetScope::User, "user"), (BudgetScope::All, "all")]
    {
        let budget = Budget::new(name, scope).tokens(200);
        let other = Budget::new("other", BudgetScope::Run).tokens(10_000);
        let clerk = Clerk::builder().model(looks(0)).budget(other).budget(budget).build().await.unwrap();
        let session = clerk.session();
        let run = async |session, user| clerk.request("Hello?").session(session).user(user).run().await;
        run(&session, "ada").await.unwrap();
        assert_eq!(exceeded(run(&session, "ada").await).budget(), name);
        let other = run(&clerk.session(), "bob").await;
        assert_eq!(other.is_ok(), scope != BudgetScope::All, "{other:?}");
    }
}

#[tokio::test]
async fn a13_several_budgets_reserve_all_or_nothing() {
    let (shared, own) = (store(), store());
    let big = Budget::new("big", BudgetScope::All).tokens(10_000);
    let clerk = Clerk::builder()
        .model(looks(0))
        .budget(big.clone())
        .budget(tokens(50))
        .budget_store(Arc::clone(&shared));
    exceeded(clerk.run("Hello?").await);
    assert_eq!(spent(&shared, &big).await.tokens, 0);

    // Also over two stores: the tool's own, and that of its caller.
    let clerk = Clerk::builder().model(looks(0)).budget(tokens(50)).budget_store(Arc::clone(&own));
    let tool = AgentTool::new(&clerk.build().await.unwrap()).name("ask").spec();
    let boss =
        Boss::builder().model(asks_once()).tool(tool).budget(big.clone()).budget_store(Arc::clone(&shared));
    let output = boss.run("Hello?").await.unwrap();
    assert!(output.text.contains("reached its limit of 50 tokens of the budget `tokens`"), "{}", output.text);
    assert_eq!(spent(&shared, &big).await.tokens, 220, "two turns of the boss");
    assert_eq!(spent(&own, &tokens(50)).await.tokens, 0);
}

/// Calls the tool `ask`, then answers with its result.
fn asks_once() -> impl onionskin::Model {
    answers(|request, _| {
        Ok(match request.messages.len() {
            1 => calls(&[("ask", r#"{"input": "Hello?"}"#)], 100, 10),
            _ => says(&request.messages.last().unwrap().to_text(), 100, 10),
        })
    })
}

#[tokio::test]
async fn a13_a_child_spends_the_budgets_of_its_callers_and_its_own() {
    let (shared, own) = (store(), store());
    let clerk = Clerk::builder().model(looks(1)).budget(tokens(1_000)).budget_store(Arc::clone(&own));
    let tool = AgentTool::new(&clerk.build().await.unwrap()).name("ask").spec();
    let run = scoped("run", BudgetScope::User);
    let boss = Boss::builder().model(asks_once()).tool(tool).budget(run.clone()).budget(tokens(2_000));
    let boss = boss.budget_store(Arc::clone(&shared)).build().await.unwrap();
    boss.request("Hello?").user("ada").run().await.unwrap();
    assert_eq!(spent(&own, &tokens(1_000)).await.tokens, 220, "two turns of the clerk");
    assert_eq!(spent(&shared, &tokens(2_000)).await.tokens, 440, "and two turns of the boss");
    assert_eq!(spent_by(&shared, &run, "ada").await.tokens, 440);
}

#[tokio::test]
async fn a13_a_budget_that_caller_and_tool_share_counts_once() {
    let shared = store();
    let clerk = Clerk::builder().model(looks(0)).budget(tokens(1_000)).budget_store(Arc::clone(&shared));
    let clerk = clerk.build().await.unwrap();
    let boss = |budget| {
        let tool = AgentTool::new(&clerk).name("ask").spec();
        Boss::builder().model(asks_once()).tool(tool).budget(budget)
    };
    boss(tokens(1_000)).budget_store(Arc::clone(&shared)).run("Hello?").await.unwrap();
    assert_eq!(spent(&shared, &tokens(1_000)).await.tokens, 330);
    // Also if each has a handle of its own.
    let handle = || Arc::new(Arc::clone(&shared));
    let clerk2 = Clerk::builder().model(looks(0)).budget(tokens(1_000)).budget_store(handle());
    let tool = AgentTool::new(&clerk2.build().await.unwrap()).name("ask").spec();
    let two = Boss::builder().model(asks_once()).tool(tool).budget(tokens(1_000)).budget_store(handle());
    two.run("Hello?").await.unwrap();
    assert_eq!(spent(&shared, &tokens(1_000)).await.tokens, 660);
    // Other amounts under the same name would count as one budget.
    let error = boss(tokens(2_000)).budget_store(Arc::clone(&shared)).run("Hello?").await.unwrap_err();
    assert!(matches!(error, RunError::Budget { source: BudgetError::Conflict { .. }, .. }), "{error:?}");
}

#[tokio::test]
async fn a13_agents_of_an_app_share_its_budgets() {
    let app =
        App::builder().agent::<Clerk>().agent::<Boss>().entry("clerk").model(looks(0)).budget(tokens(300));
    let app = app.build().await.unwrap();
    app.run("Hello?").await.unwrap();
    app.agent("boss").unwrap().run("Hello?").await.unwrap();
    exceeded(app.run("Hello?").await);
    exceeded(app.agent("boss").unwrap().run("Hello?").await);
}

#[tokio::test]
async fn a13_a_run_budget_begins_anew_with_each_run_and_leaves_nothing_behind() {
    let store = store();
    let budget = Budget::new("run", BudgetScope::Run).tokens(300);
    let clerk = Clerk::builder().model(looks(1)).budget(budget).budget(scoped("s", BudgetScope::Session));
    let clerk = clerk.budget_store(Arc::clone(&store)).build().await.unwrap();
    for _ in 0..3 {
        clerk.run("Look.").await.unwrap();
    }
    assert!(format!("{store:?}").contains("by_key: {}"), "{store:?}");
}

#[tokio::test]
async fn a13_a_stored_session_continues_its_budget_in_another_process() {
    let (sessions, store) = (Arc::new(MemorySessions::default()), store());
    let budget = Budget::new("session", BudgetScope::Session).tokens(250);
    for process in 0..3 {
        let clerk = Clerk::builder().model(looks(0)).budget(budget.clone()).budget_store(Arc::clone(&store));
        let clerk = clerk.session_store(Arc::clone(&sessions)).build().await.unwrap();
        let session = clerk.open_session("ticket-7").await.unwrap();
        let end = clerk.request("Hello?").session(&session).run().await;
        if process < 2 {
            end.unwrap();
        } else {
            assert_eq!(exceeded(end).spent(), 220);
        }
    }
    assert_eq!(spent_by(&store, &budget, "ticket-7").await.tokens, 220);
}

/// Pays.
#[tool(approval, effect = once)]
fn pay() -> &'static str {
    "paid"
}

agent! { Payer { name: "payer", instruction: "Pay.", function_tools: [pay] } }

#[tokio::test]
async fn a13_a_resumed_run_has_what_is_left_of_its_budget() {
    let model = || {
        answers(|request, _| {
            Ok(match request.messages.len() {
                1 => calls(&[("pay", "{}")], 100, 10),
                _ => says("Done.", 100, 10),
            })
        })
    };
    let store = store();
    let payer = async |max| {
        let payer = Payer::builder().model(model()).budget(Budget::new("run", BudgetScope::Run).tokens(max));
        payer.budget_store(Arc::clone(&store)).build().await.unwrap()
    };
    for (max, fits) in [(190, false), (10_000, true)] {
        let Err(RunError::Paused(paused)) = payer(max).await.run("Pay.").await else { panic!("it pauses") };
        let key = paused.questions()[0].key().to_owned();
        // Another process, with the same store.
        let resumed = payer(max).await.resume(&paused).answer(key, Answer::allow()).run().await;
        if fits {
            assert_eq!(resumed.unwrap().text, "Done.");
        } else {
            assert_eq!(exceeded(resumed).spent(), 110);
        }
    }
}

/// A store whose clock is ahead.
struct Ahead {
    store: Arc<MemoryBudgets>,
    by: Arc<std::sync::Mutex<Duration>>,
}

impl BudgetStore for Ahead {
    fn reserve<'a>(
        &'a self,
        charges: &'a [Charge],
        now: SystemTime,
    ) -> BoxFuture<'a, Result<Vec<Reserved>, BudgetError>> {
        let ahead = *self.by.lock().unwrap();
        self.store.reserve(charges, now + ahead)
    }

    fn finish<'a>(&'a self, spendings: &'a [Spending]) -> BoxFuture<'a, Result<(), BudgetError>> {
        self.store.finish(spendings)
    }

    fn account<'a>(&'a self, key: &'a BudgetKey) -> BoxFuture<'a, Result<Option<Account>, BudgetError>> {
        self.store.account(key)
    }
}

const HOUR: Duration = Duration::from_hours(1);

async fn hourly() -> (AgentHandle, Arc<std::sync::Mutex<Duration>>) {
    let by = Arc::default();
    let ahead = Ahead { store: store(), by: Arc::clone(&by) };
    let clerk = Clerk::builder().model(looks(0)).budget(tokens(200).per(HOUR)).budget_store(ahead);
    (clerk.build().await.unwrap(), by)
}

#[tokio::test]
async fn a13_a_window_makes_the_budget_whole_again() {
    let (clerk, ahead) = hourly().await;
    clerk.run("Hello?").await.unwrap();
    let retry_after = exceeded(clerk.run("Hello?").await).retry_after().unwrap();
    assert!(retry_after <= HOUR && retry_after > HOUR / 2, "{retry_after:?}");
    *ahead.lock().unwrap() = Duration::from_mins(59);
    let end = exceeded(clerk.run("Hello?").await);
    assert!(end.retry_after().unwrap() <= Duration::from_mins(1));
    assert!(end.to_string().contains(", whole again in "), "{end}");
    *ahead.lock().unwrap() = HOUR;
    clerk.run("Hello?").await.unwrap();
    exceeded(clerk.run("Hello?").await);
}

#[tokio::test]
async fn a13_a_request_that_is_larger_than_the_whole_budget_never_fits() {
    let builder = Clerk::builder().model(looks(0)).budget(tokens(2).per(HOUR)).budget_store(store());
    let end = exceeded(builder.build().await.unwrap().run("Hello?").await);
    assert_eq!((end.spent(), end.retry_after()), (0, None));
    assert!(end.to_string().ends_with("needed, which is more than the whole budget)"), "{end}");
}

#[tokio::test]
async fn a13_accounts_of_ended_windows_leave_the_memory() {
    let (store, budget) = (MemoryBudgets::default(), Arc::new(tokens(10).per(HOUR)));
    let one = onionskin::budget::Amounts::from_fn(|_| 1);
    for user in 0..10_000_u64 {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(user * 60);
        let charge = Charge::new(Arc::clone(&budget), user.to_string(), one);
        store.reserve(&[charge], now).await.unwrap();
    }
    let mut accounts = 0;
    for user in 0..10_000_u64 {
        let key = BudgetKey::new(&budget, user.to_string());
        accounts += u32::from(store.account(&key).await.unwrap().is_some());
    }
    assert!((60..2_000).contains(&accounts), "{accounts}");
}
