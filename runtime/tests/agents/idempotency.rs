//! Idempotency keys: one for each call, the same for what is done again for that call.

use std::collections::HashSet;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use onionskin::declaration::AgentDeclaration;
use onionskin::journal::MemoryJournal;
use onionskin::run::{AgentRun, IdempotencyKey, ToolCaller};
use onionskin::{
    Agent, AgentHandle, AgentTool, Args, Inject as _, RunError, ScriptedModel, ScriptedTurn, State,
    ToolContext, ToolError, ToolResult, agent, call, hooks, tool,
};
use serde_json::json;

/// The keys of all payments.
#[derive(Clone, Default)]
struct Till {
    keys: Arc<Mutex<Vec<String>>>,
    failures: Arc<AtomicU32>,
}

impl Till {
    /// The keys of so many payments, each another one.
    fn distinct(&self, payments: usize) -> bool {
        let keys = self.keys.lock().unwrap();
        assert_eq!(keys.len(), payments, "{keys:?}");
        keys.iter().collect::<HashSet<_>>().len() == payments
    }
}

/// Pays.
#[tool(effect = idempotent)]
fn pay(till: State<Till>, key: IdempotencyKey, cents: u32) -> Result<String, ToolError> {
    till.keys.lock().unwrap().push(key.as_str().to_owned());
    let fails = till.failures.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
    if fails.is_ok() { Err(ToolError::new("the line is dead")) } else { Ok(format!("paid {cents}")) }
}

agent! {
    Payer { name: "payer", state: Till, instruction: "Pay.", function_tools: [pay] }
    Patient {
        name: "patient", state: Till, instruction: "Pay.", function_tools: [pay], tool_hooks: [hooks::retry(3)],
    }
}

fn pays() -> ScriptedModel {
    let turn = ScriptedTurn::call("pay", json!({ "cents": 5 })).and_call("pay", json!({ "cents": 500 }));
    ScriptedModel::turns([
        turn,
        ScriptedTurn::call("pay", json!({ "cents": 5 })),
        ScriptedTurn::say("{last}"),
    ])
}

#[tokio::test]
async fn t7_direct_calls_have_keys_of_their_own() {
    let till = Till::default();
    let spec = pay::spec().with_state(till.clone());
    call!(spec, cents = 5).await.unwrap();
    call!(spec, cents = 500).await.unwrap();
    call!(spec.clone(), cents = 5).await.unwrap();
    assert!(till.distinct(3), "{:?}", till.keys);
    let key = || IdempotencyKey::inject(&ToolContext::detached("pay")).unwrap();
    assert_ne!(key(), key());
}

#[tokio::test]
async fn t7_calls_of_a_caller_have_keys_of_their_own() {
    let till = Till::default();
    let tools = ToolCaller::<Payer>::with_state(till.clone());
    let other = ToolCaller::<Payer>::with_state(till.clone());
    for tools in [&tools, &tools, &other] {
        let cx = tools.context("pay").unwrap();
        tools.call(&cx, &mut Args::from(r#"{"cents": 5}"#)).await.unwrap();
    }
    assert!(till.distinct(3), "{:?}", till.keys);
}

#[tokio::test]
async fn t7_runs_of_one_correlation_id_have_keys_of_their_own() {
    let till = Till::default();
    let handle = Payer::builder().model(pays()).state(till.clone()).build().await.unwrap();
    let run = || handle.request("go").correlation_id("order-7").run();
    let (one, other) = tokio::join!(run(), run());
    assert_eq!((one.unwrap().text, other.unwrap().text), ("paid 5".to_owned(), "paid 5".to_owned()));
    run().await.unwrap();
    assert!(till.distinct(9), "{:?}", till.keys);
}

/// An agent that pays, with its till and its journal.
async fn payer() -> (AgentHandle, Till, Arc<MemoryJournal>) {
    let (till, journal) = (Till::default(), Arc::new(MemoryJournal::default()));
    let handle = Payer::builder().model(pays()).state(till.clone()).journal(Arc::clone(&journal));
    (handle.build().await.unwrap(), till, journal)
}

#[tokio::test]
async fn o5_a_run_of_an_earlier_runs_correlation_id_is_no_replay_of_it() {
    let (handle, till, journal) = payer().await;
    for _ in 0..2 {
        handle.request("go").correlation_id("order-7").run().await.unwrap();
    }
    assert!(till.distinct(6), "{:?}", till.keys);
    assert!(journal.steps("order-7").is_empty());
}

#[tokio::test]
async fn o5_a_run_of_an_earlier_runs_id_is_a_replay_with_the_same_keys() {
    let (handle, till, _) = payer().await;
    for _ in 0..2 {
        handle.request("go").run_id("order-7").run().await.unwrap();
    }
    assert!(till.distinct(3), "answered from the record: {:?}", till.keys);

    // Without its record it does all of it again, under the same keys.
    let handle = Payer::builder().model(pays()).state(till.clone()).build().await.unwrap();
    handle.request("go").run_id("order-7").run().await.unwrap();
    let keys = till.keys.lock().unwrap();
    assert_eq!(keys[..3], keys[3..]);
    assert!(keys[0].starts_with("order-7/"), "{keys:?}");
}

#[tokio::test(start_paused = true)]
async fn t7_a_retry_keeps_the_key_of_its_call() {
    let till = Till { failures: Arc::new(AtomicU32::new(2)), ..Till::default() };
    let model =
        ScriptedModel::turns([ScriptedTurn::call("pay", json!({ "cents": 5 })), ScriptedTurn::say("{last}")]);
    let output = Patient::builder().model(model).state(till.clone()).run("go").await.unwrap();
    assert_eq!(output.text, "paid 5");
    let keys = till.keys.lock().unwrap();
    assert_eq!(keys.len(), 3);
    assert!(keys.iter().all(|key| *key == keys[0]), "{keys:?}");
}

/// Each try of a failed agent is a run of its own, also where the tool's own hook tries again.
#[tokio::test(start_paused = true)]
async fn t7_an_agent_that_is_tried_again_has_other_keys() {
    agent! { Boss { name: "boss", instruction: "Ask.", } }
    let till = Till::default();
    let failing =
        ScriptedModel::turns([ScriptedTurn::call("pay", json!({ "cents": 5 })), ScriptedTurn::fail(401)]);
    let payer = Payer::builder().model(failing).state(till.clone()).build().await.unwrap();
    let ask = AgentTool::new(&payer).name("ask").spec().hook(hooks::retry::new(2));
    let mut ask = ask;
    ask.options(|options| options.effect = onionskin::Effect::Idempotent);
    let model = ScriptedModel::turns([
        ScriptedTurn::call("ask", json!({ "input": "pay" })),
        ScriptedTurn::say("done"),
    ]);
    Boss::builder().model(model).tool(ask).run("go").await.unwrap();
    assert!(till.distinct(2), "{:?}", till.keys);
}

/// Calls a tool while its model's turn calls it too.
struct Busy;

impl Agent for Busy {
    const NAME: &'static str = "busy";
    type State = Till;

    fn declare() -> AgentDeclaration {
        AgentDeclaration::new().instruction("Pay.").tool(pay::default())
    }

    async fn run(run: &AgentRun, input: String) -> Result<String, RunError> {
        let by_hand = async || {
            let results: [ToolResult; 2] = [
                run.call_tool("pay", r#"{"cents": 7}"#).await,
                run.call_tool("pay", r#"{"cents": 8}"#).await,
            ];
            results.map(Result::unwrap)
        };
        let (answer, ..) = tokio::join!(run.converse(input), by_hand());
        by_hand().await;
        answer
    }
}

#[tokio::test]
async fn t7_calls_by_hand_have_other_keys_than_those_of_the_loop() {
    let till = Till::default();
    Busy::builder().model(pays()).state(till.clone()).run("go").await.unwrap();
    assert!(till.distinct(7), "{:?}", till.keys);
}

/// Pays; the first one waits for ever.
#[tool]
async fn pay_late(till: State<Till>) -> &'static str {
    let waits = till.failures.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
    if waits.is_ok() {
        std::future::pending::<()>().await;
    }
    "paid"
}

agent! {
    Late { name: "late", state: Till, instruction: "Pay.", function_tools: [pay_late], default: true }
    Later { name: "later", state: Till, instruction: "Pay.", function_tools: [pay_late] }
}

#[tokio::test]
async fn t7_a_run_with_the_id_of_one_that_goes_on_is_refused() {
    let till = Till { failures: Arc::new(1.into()), ..Till::default() };
    let script =
        ScriptedModel::turns([ScriptedTurn::call("pay_late", json!({})), ScriptedTurn::say("{last}")]);
    let app = onionskin::App::builder().agent::<Late>().agent::<Later>();
    let app = app.model(script).state(till.clone()).build().await.unwrap();
    let late = app.agent("late").unwrap();
    let mut going_on = late.request("Pay.").run_id("order 7").stream();
    while till.failures.load(Ordering::SeqCst) > 0 {
        going_on.next().await.unwrap();
    }
    // The agents of an app share the ids: their calls would have each other's keys.
    for agent in ["late", "later"] {
        let again = app.agent(agent).unwrap().request("Pay.").run_id("order 7").run().await.unwrap_err();
        assert!(matches!(&again, RunError::RunIdInUse { run_id, .. } if **run_id == *"order 7"), "{again}");
    }
    // Others are not concerned, and neither is a replay after its end.
    late.request("Pay.").run_id("order 8").run().await.unwrap();
    late.request("Pay.").run().await.unwrap();
    drop(going_on);
    late.request("Pay.").run_id("order 7").run().await.unwrap();
    late.request("Pay.").run_id("order 7").run().await.unwrap();
}
