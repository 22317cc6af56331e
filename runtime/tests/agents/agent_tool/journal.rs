//! What is recorded of an agent that is a tool.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use onionskin::journal::MemoryJournal;
use onionskin::{AgentHandle, AgentTool, RunOutput, ScriptedModel, ScriptedTurn, State, agent, tool};
use serde_json::json;
use tokio::sync::Semaphore;

use crate::agent_tool::support::{Boss, Helper, asks};

/// A boss with this journal asks the agent once.
async fn ask_as_boss(agent: &AgentHandle, journal: Option<&Arc<MemoryJournal>>, id: &str) -> RunOutput {
    let boss = Boss::builder().model(asks("ask", ["x"])).tool(AgentTool::new(agent).name("ask"));
    let boss = match journal {
        Some(journal) => boss.journal(Arc::clone(journal)),
        None => boss,
    };
    boss.build().await.unwrap().request("go").run_id(id).run().await.unwrap()
}

#[tokio::test]
async fn o5_a_recorded_run_asks_nobody_again() {
    let journal = Arc::new(MemoryJournal::default());
    let model = Arc::new(ScriptedModel::turns([ScriptedTurn::say("re: {input}")]));
    let run = || async {
        let helper = Helper::builder().model(Arc::clone(&model)).build().await.unwrap();
        let boss = Boss::builder().model(asks("agent__helper", ["one", "two"])).tool(AgentTool::new(&helper));
        let boss = boss.journal(Arc::clone(&journal)).build().await.unwrap();
        boss.request("go").run_id("c-1").run().await.unwrap()
    };
    assert_eq!(run().await.text, run().await.text);
    assert_eq!(model.requests().len(), 2, "{:?}", journal.steps("c-1"));
}

#[tokio::test]
async fn o5_an_agent_with_a_journal_of_its_own_records_there_whoever_calls() {
    let own = Arc::new(MemoryJournal::default());
    let model = Arc::new(ScriptedModel::turns([ScriptedTurn::say("re: {input}")]));
    let helper = Helper::builder().model(Arc::clone(&model)).journal(Arc::clone(&own));
    let helper = helper.build().await.unwrap();

    let answer = ask_as_boss(&helper, None, "c-1").await;
    assert_eq!(own.steps("c-1"), ["turn 1/call 1/tool ask/turn 1/model"], "and nothing of the caller's");
    assert_eq!(ask_as_boss(&helper, None, "c-1").await.text, answer.text);
    assert_eq!(model.requests().len(), 1, "the same run again is answered from the record");

    let callers = Arc::new(MemoryJournal::default());
    for _ in 0..2 {
        assert_eq!(ask_as_boss(&helper, Some(&callers), "c-2").await.text, answer.text);
    }
    assert_eq!(own.steps("c-2"), own.steps("c-1"));
    assert_eq!(callers.steps("c-2"), ["turn 1/model", "turn 2/model"]);
    assert_eq!(model.requests().len(), 2);
}

#[tokio::test]
async fn o5_a_journal_of_an_agent_holds_the_only_record_of_its_steps() {
    let callers = Arc::new(MemoryJournal::default());
    let model = Arc::new(ScriptedModel::turns([ScriptedTurn::say("re: {input}")]));
    for _ in 0..2 {
        let helper = Helper::builder().model(Arc::clone(&model)).journal(MemoryJournal::default());
        ask_as_boss(&helper.build().await.unwrap(), Some(&callers), "c-1").await;
    }
    assert_eq!(
        model.requests().len(),
        2,
        "the second run has lost the agent's record: {:?}",
        callers.steps("c-1")
    );
}

#[derive(Clone)]
struct Till {
    paid: Arc<AtomicU32>,
    resting: Arc<Semaphore>,
    may_go_on: Arc<Semaphore>,
}

/// Pays.
#[tool]
fn pay(till: State<Till>) -> u32 {
    till.paid.fetch_add(1, Ordering::SeqCst) + 1
}

/// Rests for as long as it must.
#[tool]
async fn rest(till: State<Till>) {
    till.resting.add_permits(1);
    let _permit = till.may_go_on.acquire().await;
}

agent! { Payer { name: "payer", instruction: "Pay.", state: Till, function_tools: [pay, rest] } }

#[tokio::test]
async fn o5_a_call_that_was_cut_goes_on_from_the_agents_own_journal() {
    let till = Till {
        paid: Arc::default(),
        resting: Arc::new(Semaphore::new(0)),
        may_go_on: Arc::new(Semaphore::new(0)),
    };
    let (own, callers) = (Arc::new(MemoryJournal::default()), Arc::new(MemoryJournal::default()));
    let run = async || {
        let turns = [
            ScriptedTurn::call("pay", json!({})),
            ScriptedTurn::call("rest", json!({})),
            ScriptedTurn::say("done"),
        ];
        let payer =
            Payer::builder().model(ScriptedModel::turns(turns)).state(till.clone()).journal(Arc::clone(&own));
        ask_as_boss(&payer.build().await.unwrap(), Some(&callers), "c-1").await
    };
    tokio::select! {
        output = run() => panic!("it rests: {output:?}"),
        resting = till.resting.acquire() => resting.unwrap().forget(),
    }
    assert_eq!(till.paid.load(Ordering::SeqCst), 1);
    till.may_go_on.add_permits(1);
    assert_eq!(run().await.text, "done [seen]");
    assert_eq!(till.paid.load(Ordering::SeqCst), 1, "{:?}", own.steps("c-1"));
}
