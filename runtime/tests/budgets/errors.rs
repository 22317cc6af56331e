//! Budgets that cannot work are errors before anything runs.

use std::sync::Arc;
use std::time::Duration;

use onionskin::budget::{Budget, BudgetError, BudgetScope, MemoryBudgets};
use onionskin::model::{Price, Prices};
use onionskin::sessions::MemorySessions;
use onionskin::{AgentTool, BuildError, RunError};

use crate::answers::answers;
use crate::support::{Boss, Clerk, calls, looks, tokens};

fn new() -> Budget {
    Budget::new("b", BudgetScope::All)
}

#[tokio::test]
async fn a13_a_budget_without_effect_does_not_build() {
    let prices = || Prices::new().with("m", Price::new(1, 1));
    for (budget, mistake) in [
        (new(), "it limits nothing: call `tokens`, `money`, `calls` or `time`"),
        (new().tokens(0), "one of its amounts is 0"),
        (new().tokens(5).calls(0), "one of its amounts is 0"),
        (new().time(Duration::ZERO), "one of its amounts is 0"),
        (new().money(0, prices()), "one of its amounts is 0"),
        (new().money(5, Prices::new()), "its `Prices` are empty"),
        (new().tokens(5).per(Duration::ZERO), "its window is shorter than a millisecond"),
    ] {
        let error = Clerk::builder().model(looks(0)).budget(budget.clone()).build().await.unwrap_err();
        assert!(matches!(error, BuildError::Budget(BudgetError::NoEffect { .. })), "{error}");
        assert!(
            error.to_string().starts_with(&format!("the budget `b` is not usable: {mistake}")),
            "{error}"
        );
        // The same of a request.
        let clerk = Clerk::builder().model(looks(0)).build().await.unwrap();
        let run = clerk.request("Hello?").budget(budget).run().await.unwrap_err();
        assert!(matches!(run, RunError::Budget { source: BudgetError::NoEffect { .. }, .. }), "{run}");
    }
}

#[tokio::test]
async fn a13_budgets_that_would_count_as_one_are_an_error() {
    let clerk = Clerk::builder().model(looks(0)).budget(new().tokens(5)).budget(new().calls(5));
    let error = clerk.build().await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "`.budget(..)` with the name `b` and one scope is called twice, and the second call would replace the first: remove \
         one of them"
    );
    let others = [new().tokens(5).per(Duration::from_secs(1)), Budget::new("b", BudgetScope::User).tokens(5)];
    for other in others {
        let clerk = Clerk::builder().model(looks(0)).budget(new().tokens(5)).budget(other);
        clerk.build().await.unwrap();
    }

    let clerk = Clerk::builder().model(looks(0)).budget(new().tokens(500)).build().await.unwrap();
    clerk.request("Hello?").budget(new().tokens(500)).run().await.unwrap();
    let error = clerk.request("Hello?").budget(new().tokens(5_000)).run().await.unwrap_err();
    assert!(matches!(error, RunError::Budget { source: BudgetError::Conflict { .. }, .. }));
    assert_eq!(
        error.to_string(),
        "the run of `clerk` was ended: two budgets of the run are called `b` and differ, but would count as one: give one of \
         them another name"
    );
}

#[tokio::test]
async fn a13_two_stores_are_an_error() {
    let clerk = Clerk::builder().model(looks(0)).budget_store(Arc::<MemoryBudgets>::default());
    let error = clerk.budget_store(Arc::<MemoryBudgets>::default()).build().await.unwrap_err();
    assert!(error.to_string().starts_with("`.budget_store(..)` is called twice"), "{error}");
}

#[tokio::test]
async fn a13_stored_sessions_need_a_store_of_budgets() {
    let built = async |scope, store: Option<Arc<MemoryBudgets>>| {
        let clerk = Clerk::builder().model(looks(0)).budget(Budget::new("b", scope).tokens(5));
        let clerk = clerk.session_store(Arc::new(MemorySessions::default()));
        let clerk = if let Some(store) = store { clerk.budget_store(store) } else { clerk };
        clerk.build().await.map(drop)
    };
    for scope in [BudgetScope::Session, BudgetScope::User, BudgetScope::All] {
        let error = built(scope, None).await.unwrap_err();
        assert!(matches!(error, BuildError::NoBudgetStore { .. }), "{error}");
        assert!(
            error.to_string().starts_with(
                "sessions are stored, and what the budget `b` spends is not: call `.budget_store(..)`"
            ),
            "{error}"
        );
        built(scope, Some(Arc::default())).await.unwrap();
    }
    built(BudgetScope::Run, None).await.unwrap();
}

#[tokio::test]
async fn a13_a_budget_of_a_user_needs_a_user() {
    let budget = Budget::new("daily", BudgetScope::User).tokens(1_000);
    let model = answers(|_, _| panic!("it is asked"));
    let clerk = Clerk::builder().model(model).budget(budget.clone()).build().await.unwrap();
    let error = clerk.run("Hello?").await.unwrap_err();
    assert!(matches!(error, RunError::Budget { source: BudgetError::NoUser { .. }, .. }));
    assert_eq!(
        error.to_string(),
        "the run of `clerk` was ended: the budget `daily` belongs to a user, and the run has none: call `RunRequest::user`"
    );

    // A tool with such a budget ends the run of its caller: no model can do something about it.
    let asks = answers(|request, _| {
        assert_eq!(request.messages.len(), 1);
        Ok(calls(&[("ask", r#"{"input": "Hello?"}"#)], 1, 1))
    });
    let boss = Boss::builder().model(asks).tool(AgentTool::new(&clerk).name("ask"));
    let error = boss.run("Hello?").await.unwrap_err();
    assert!(matches!(error, RunError::Budget { source: BudgetError::NoUser { .. }, .. }), "{error:?}");
    // With the user of the caller it runs.
    let boss = Boss::builder().model(looks(0)).budget(budget).budget(tokens(1_000)).build().await.unwrap();
    boss.request("Hello?").user("ada").run().await.unwrap();
}
