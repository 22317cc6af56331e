//! A12: what a run did before it was dropped stays in its session's history.

use std::time::Duration;

use onionskin::declaration::{AgentDeclaration, HistoryMergeTarget};
use onionskin::run::AgentRun;
use onionskin::{
    Agent, AgentHandle, AgentTool, RunError, ScriptedModel, ScriptedTurn, Session, State, agent, call, tool,
};
use serde_json::json;
use tokio::time::timeout;

use crate::support::{Count, is_whole, texts};

/// Pays.
#[tool(effect = once)]
fn pay(paid: State<Count>) -> String {
    format!("paid, receipt {}", paid.up())
}

/// Never ends.
#[tool]
async fn hangs() -> String {
    std::future::pending().await
}

agent! {
    Payer { name: "payer", description: "Pays.", instruction: "Pay.", state: Count, function_tools: [pay, hangs] }
    Asker {
        name: "asker",
        instruction: "Ask.",
        agents: [Payer],
        function_tools: [hangs],
        history_source: child,
        history_merge_target: child,
    }
    Sharer { name: "sharer", instruction: "Ask.", agents: [Payer], history_merge_target: orchestrator }
}

fn pays_and_hangs() -> ScriptedModel {
    ScriptedModel::turns([
        ScriptedTurn::call("pay", json!({})),
        ScriptedTurn::call("pay", json!({})).and_call("hangs", json!({})),
        ScriptedTurn::say("go on: {last}"),
    ])
}

/// Cancels a run after a second.
async fn cancelled(handle: &AgentHandle, input: &str, session: &Session) {
    let token = onionskin::CancellationToken::new();
    let run = handle.request(input).session(session).cancellation(token.clone()).run();
    let cancel = async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        token.cancel();
    };
    assert!(matches!(tokio::join!(run, cancel).0, Err(RunError::Cancelled { .. })));
}

async fn payer(model: ScriptedModel) -> AgentHandle {
    Payer::builder().state(Count::default()).model(model).build().await.unwrap()
}

#[tokio::test(start_paused = true)]
async fn a12_a_dropped_run_leaves_what_it_did_in_the_history() {
    let handle = payer(pays_and_hangs()).await;
    let session = handle.session();
    let run = handle.request("pay twice").session(&session).run();
    assert!(timeout(Duration::from_secs(1), run).await.is_err());
    let history = session.history();
    assert_eq!(
        texts(&history),
        [
            "pay twice",
            "",
            "paid, receipt 1",
            "",
            "paid, receipt 2\ncancelled before it finished; whether it took effect is not known"
        ]
    );
    is_whole(&session);
    let output = handle.request("and now?").session(&session).run().await.unwrap();
    assert_eq!(output.text, "go on: and now?");
}

#[tokio::test(start_paused = true)]
async fn a12_a_stream_that_is_dropped_leaves_what_it_did_in_the_history() {
    let handle = payer(pays_and_hangs()).await;
    let session = handle.session();
    let mut stream = handle.request("pay twice").session(&session).stream();
    while timeout(Duration::from_secs(1), stream.next()).await.is_ok() {}
    assert_eq!(session.history(), [], "it goes on as long as it is there");
    drop(stream);
    assert_eq!(session.history().len(), 5);
    is_whole(&session);
}

#[tokio::test(start_paused = true)]
async fn a12_a_dropped_call_of_an_agent_tool_leaves_what_it_did_in_its_thread() {
    let handle = payer(pays_and_hangs()).await;
    let thread = handle.session();
    let tool = AgentTool::new(&handle).thread(&thread).spec();
    assert!(timeout(Duration::from_secs(1), call!(tool, input = "pay twice")).await.is_err());
    assert_eq!(texts(&thread.history())[..3], ["pay twice", "", "paid, receipt 1"]);
    is_whole(&thread);
}

#[tokio::test(start_paused = true)]
async fn a12_a_child_that_answered_before_the_run_was_dropped_keeps_its_conversation() {
    let asks = ScriptedTurn::call("agent__payer", json!({ "input": "pay" })).and_call("hangs", json!({}));
    let model = ScriptedModel::new().agent("asker", [asks]).agent("payer", [ScriptedTurn::say("no money")]);
    let handle = Asker::builder().state(Count::default()).model(model).build().await.unwrap();
    let session = handle.session();
    let run = handle.request("go").session(&session).run();
    assert!(timeout(Duration::from_secs(1), run).await.is_err());
    assert_eq!(texts(&session.child_history("payer")), ["pay", "no money"]);
    is_whole(&session);
}

#[tokio::test(start_paused = true)]
async fn a12_a_child_that_is_dropped_half_way_keeps_its_conversation() {
    let model = || {
        let asks = [ScriptedTurn::call("agent__payer", json!({ "input": "pay" }))];
        ScriptedModel::new()
            .agent("asker", asks.clone())
            .agent("sharer", asks)
            .agent("payer", [ScriptedTurn::call("pay", json!({})), ScriptedTurn::call("hangs", json!({}))])
    };
    let kept = [
        "pay",
        "",
        "paid, receipt 1",
        "",
        "cancelled before it finished; whether it took effect is not known",
    ];

    let handle = Asker::builder().state(Count::default()).model(model()).build().await.unwrap();
    let session = handle.session();
    let run = handle.request("go").session(&session).run();
    assert!(timeout(Duration::from_secs(1), run).await.is_err());
    assert_eq!(texts(&session.child_history("payer")), kept);
    is_whole(&session);

    let session = handle.session();
    cancelled(&handle, "go", &session).await;
    assert_eq!(texts(&session.child_history("payer")).len(), kept.len());

    let handle = Sharer::builder().state(Count::default()).model(model()).build().await.unwrap();
    let session = handle.session();
    let run = handle.request("go").session(&session).run();
    assert!(timeout(Duration::from_secs(1), run).await.is_err());
    let history = texts(&session.history());
    assert_eq!(history[..3], ["go", "", "cancelled before it finished; whether it took effect is not known"]);
    assert_eq!(history[3..], kept);
    is_whole(&session);
}

/// Asks its child by hand.
struct ByHand;

impl Agent for ByHand {
    const NAME: &'static str = "by_hand";
    type State = Count;

    fn declare() -> AgentDeclaration {
        AgentDeclaration::new().child::<Payer>().history_merge_target(HistoryMergeTarget::Child)
    }

    async fn run(run: &AgentRun, _: String) -> Result<String, RunError> {
        let call = run.call_tool("agent__payer", r#"{"input":"pay"}"#);
        let answered = timeout(Duration::from_secs(1), call).await.is_ok();
        Ok(format!("{answered}"))
    }
}

#[tokio::test(start_paused = true)]
async fn a12_a_call_by_hand_that_is_dropped_keeps_its_childs_conversation() {
    let turns = [ScriptedTurn::call("pay", json!({})), ScriptedTurn::call("hangs", json!({}))];
    let model = ScriptedModel::new().agent("payer", turns);
    let builder = ByHand::builder().state(Count::default()).model(model);
    let handle = builder.build().await.unwrap();
    let session = handle.session();
    assert_eq!(handle.request("go").session(&session).run().await.unwrap().text, "false");
    assert_eq!(texts(&session.child_history("payer"))[..3], ["pay", "", "paid, receipt 1"]);
}

#[tokio::test(start_paused = true)]
async fn a12_a_cancelled_run_and_a_failed_one_leave_what_they_did_too() {
    let handle = payer(pays_and_hangs()).await;
    let session = handle.session();
    cancelled(&handle, "pay twice", &session).await;
    assert_eq!(session.history().len(), 5);
    is_whole(&session);

    let handle = payer(ScriptedModel::turns([ScriptedTurn::call("pay", json!({}))])).await;
    let session = handle.session();
    assert!(matches!(handle.request("go").session(&session).run().await, Err(RunError::Model { .. })));
    assert_eq!(texts(&session.history()), ["go", "", "paid, receipt 1"]);
}
