//! O5: what a replay is compared with beside its requests, and what a journal has to do with a batch of calls.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use futures_util::future::BoxFuture;
use onionskin::journal::StepWork;
use onionskin::journal::{Journal, JournalError, JournalErrorKind, MemoryJournal, Step, StepExec, StepId};
use onionskin::{RunError, ScriptedModel, ScriptedTurn, agent, tool};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::cut::StepResult;
use crate::support::diverged_at;

/// What an account holds.
#[derive(Clone, Serialize, Deserialize)]
struct Account {
    balance: i64,
    limits: HashMap<String, u32>,
}

impl Account {
    fn new(balance: i64) -> Self {
        Self { balance, limits: ('a'..='p').map(|name| (name.to_string(), 1)).collect() }
    }
}

static READ: AtomicU32 = AtomicU32::new(0);

/// Tells the balance.
#[tool(state = Account)]
fn balance(#[bind(balance)] balance: i64) -> i64 {
    READ.fetch_add(1, Ordering::SeqCst);
    balance
}

/// Counts the till.
#[tool]
fn count() -> i64 {
    1
}

agent! {
    Teller { name: "teller", instruction: "Tell.", state: Account, function_tools: [balance] }
    Till { name: "till", instruction: "Count.", function_tools: [count] }
}

fn script(tool: &str, calls: usize) -> ScriptedModel {
    let asks = (0..calls).fold(ScriptedTurn::default(), |turn, _| turn.and_call(tool, json!({})));
    ScriptedModel::turns([asks, ScriptedTurn::say("{last}")])
}

#[tokio::test]
async fn o5_another_state_under_the_id_of_a_run_is_refused() {
    let journal = Arc::new(MemoryJournal::default());
    let run = async |balance: i64, user: &str| {
        let teller = Teller::builder()
            .state(Account::new(balance))
            .model(script("balance", 1))
            .journal(Arc::clone(&journal));
        teller.build().await.unwrap().request("go").user(user).run_id("r").run().await
    };
    assert_eq!(run(100, "ada").await.unwrap().text, "100");
    // The maps of the two states have their keys in another order.
    assert_eq!(run(100, "bob").await.unwrap().text, "100");
    assert_eq!(READ.load(Ordering::SeqCst), 1);
    assert_eq!(diverged_at(run(50, "ada").await), "turn 1/model");
}

#[tokio::test]
async fn o5_other_values_of_the_session_are_refused() {
    let journal = Arc::new(MemoryJournal::default());
    let run = async |city: &str| {
        let till = Till::builder()
            .model(ScriptedModel::turns([ScriptedTurn::say("hi")]))
            .journal(Arc::clone(&journal));
        let till = till.build().await.unwrap();
        let session = till.session();
        session.state().set("city", city);
        till.request("go").session(&session).run_id("r").run().await
    };
    run("Paris").await.unwrap();
    run("Paris").await.unwrap();
    assert_eq!(diverged_at(run("Rome").await), "turn 1/model");
}

/// Never records the end of a tool, as if the process had died before.
struct DiesInTools(Arc<MemoryJournal>);

impl Journal for DiesInTools {
    fn step<'a>(&'a self, step: &'a Step, work: StepWork<'a>) -> StepResult<'a> {
        if step.id().to_string().contains("/tool ") {
            return Box::pin(async move {
                drop(work().await?);
                Err(JournalError::storage(step, "the disk is full"))
            });
        }
        self.0.step(step, work)
    }
}

static PAID: AtomicU32 = AtomicU32::new(0);

/// Pays.
#[tool(name = "balance", effect = once)]
fn pays_once() -> &'static str {
    PAID.fetch_add(1, Ordering::SeqCst);
    "paid"
}

/// Pays.
#[tool(name = "balance", effect = pure)]
fn pays_again() -> &'static str {
    PAID.fetch_add(1, Ordering::SeqCst);
    "paid"
}

agent! {
    Careful { name: "payer", instruction: "Pay.", function_tools: [pays_once] }
    Careless { name: "payer", instruction: "Pay.", function_tools: [pays_again] }
}

#[tokio::test]
async fn o5_a_tool_that_was_once_and_is_pure_now_is_refused_and_does_not_run_again() {
    let records = Arc::new(MemoryJournal::default());
    let careful = Careful::builder().model(script("balance", 1)).journal(DiesInTools(Arc::clone(&records)));
    careful.build().await.unwrap().request("go").run_id("r").run().await.unwrap_err();
    assert_eq!(PAID.load(Ordering::SeqCst), 1);
    let careless = Careless::builder().model(script("balance", 1)).journal(records).build().await.unwrap();
    assert_eq!(diverged_at(careless.request("go").run_id("r").run().await), "turn 1/model");
    assert_eq!(PAID.load(Ordering::SeqCst), 1);
}

/// Runs these indices in place of the calls of a batch.
struct Runs(MemoryJournal, Vec<usize>);

impl Journal for Runs {
    fn step<'a>(&'a self, step: &'a Step, work: StepWork<'a>) -> StepResult<'a> {
        self.0.step(step, work)
    }

    fn batch<'a>(
        &'a self,
        _: &'a [StepId],
        _: usize,
        exec: &'a dyn StepExec,
    ) -> BoxFuture<'a, Result<(), JournalError>> {
        Box::pin(async move {
            for index in &self.1 {
                exec.call(*index).await;
            }
            Ok(())
        })
    }
}

#[tokio::test]
async fn o5_a_journal_that_does_not_run_each_call_of_a_batch_once_ends_the_run() {
    let run = async |indices: &[usize]| {
        let journal = Runs(MemoryJournal::default(), indices.to_vec());
        let till = Till::builder().model(script("count", 2)).journal(journal);
        till.build().await.unwrap().request("go").run().await
    };
    assert_eq!(run(&[1, 0]).await.unwrap().text, "1\n1");
    for (indices, problem) in [
        (vec![0, 0, 1], "at step `turn 1/call 1/tool count` of the run"),
        (vec![1], "`Journal::batch` ended without this call"),
        (vec![], "`Journal::batch` ended without this call"),
        (vec![0, 1, 2], "`Journal::batch` ran a call beyond the last one"),
    ] {
        let error = run(&indices).await.unwrap_err();
        let RunError::Journal { source, .. } = &error else { panic!("{error}") };
        assert_eq!(source.kind(), JournalErrorKind::Storage);
        assert!(error.to_string().contains(problem), "{indices:?}: {error}");
    }
}
