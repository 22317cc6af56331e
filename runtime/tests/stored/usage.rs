//! The tokens of stored sessions.

use std::sync::Arc;
use std::time::Duration;

use onionskin::budget::{Account, Budget, BudgetKey, BudgetScope, BudgetStore, MemoryBudgets};
use onionskin::model::{ModelDelta, ModelError, Usage};
use onionskin::sessions::{MemorySessions, Sessions};
use onionskin::{CancellationToken, RunError, ScriptedModel, ScriptedTurn, agent};
use serde::Deserialize;
use tokio::time::{sleep, timeout};

use crate::answers::answers;
use crate::unanswered::Reports;

#[derive(Debug, Deserialize, schemars::JsonSchema)]
struct Town {
    name: String,
}

agent! { Guide { instruction: "Answer about towns.", output: Town } }

agent! { Clerk { instruction: "Serve." } }

async fn stored(store: &Arc<MemorySessions>) -> Usage {
    Sessions::new(Arc::clone(store)).read("a").await.unwrap().usage.total()
}

#[tokio::test]
async fn o3_tokens_of_a_parser_are_stored() {
    let store = Arc::new(MemorySessions::default());
    let model = ScriptedModel::turns([ScriptedTurn::say("Rome, of course.").usage(Usage::new(100, 10))]);
    let parser = ScriptedModel::turns([ScriptedTurn::say(r#"{ "name": "Rome" }"#).usage(Usage::new(30, 3))]);
    let guide = Guide::builder().model(model).parser_model(parser).session_store(Arc::clone(&store));
    let guide = guide.build_typed().await.unwrap();
    let session = guide.open_session("a").await.unwrap();
    let output = guide.request("Which town?").session(&session).run().await.unwrap();
    assert_eq!(output.answer.name, "Rome");
    assert_eq!(stored(&store).await, Usage::new(130, 13));
}

#[tokio::test(start_paused = true)]
async fn o3_tokens_of_failed_attempts_are_stored_at_once() {
    let fails = |status| {
        answers(move |_, deltas| {
            deltas(ModelDelta::Usage(Usage::new(1_000, 0)));
            Err(ModelError::status(status, "no", None))
        })
    };
    // The last attempt fails, or the budget refuses the next one.
    for (status, budget) in [(400, 9_000), (503, 1_000)] {
        let store = Arc::new(MemorySessions::default());
        let clerk = Clerk::builder().model(fails(status)).session_store(Arc::clone(&store));
        let clerk = clerk.build().await.unwrap();
        let session = clerk.open_session("a").await.unwrap();
        let budget = Budget::new("run", BudgetScope::Run).tokens(budget);
        clerk.request("Hello?").session(&session).budget(budget).run().await.unwrap_err();
        assert_eq!(stored(&store).await, Usage::new(1_000, 0), "{status}");
    }
}

#[tokio::test(start_paused = true)]
async fn o3_tokens_of_a_request_that_is_cancelled_or_dropped_are_stored() {
    let (store, spent) = (Arc::new(MemorySessions::default()), Arc::new(MemoryBudgets::default()));
    let budget = Budget::new("tokens", BudgetScope::All).tokens(9_000);
    let clerk = Clerk::builder().model(Reports).session_store(Arc::clone(&store));
    let clerk = clerk.budget(budget.clone()).budget_store(Arc::clone(&spent)).build().await.unwrap();
    let session = clerk.open_session("a").await.unwrap();
    let token = CancellationToken::new();
    let run = clerk.request("Hello?").session(&session).cancellation(token.clone()).run();
    let cancel = async {
        sleep(Duration::from_secs(5)).await;
        token.cancel();
    };
    assert!(matches!(tokio::join!(run, cancel).0, Err(RunError::Cancelled { .. })));
    assert_eq!(stored(&store).await, Usage::new(1_000, 0));
    timeout(Duration::from_secs(5), clerk.request("Hello?").session(&session).run()).await.unwrap_err();
    // The task of the dropped run.
    sleep(Duration::from_secs(1)).await;
    assert_eq!(stored(&store).await, Usage::new(2_000, 0));
    let account: Option<Account> = spent.account(&BudgetKey::new(&budget, "")).await.unwrap();
    assert_eq!(account.unwrap().spent.tokens, 2_000);
}
