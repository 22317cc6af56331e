//! The time that a child may take, without the time that a person takes.

use std::time::Duration;

use onionskin::approval::{Approval, ApprovalRequest};
use onionskin::question::{Answer, AskError, Question};
use onionskin::{AgentTool, ScriptedModel, ScriptedTurn, ToolContext, agent, tool};
use serde_json::json;
use tokio::time::sleep;

/// Pays.
#[tool(approval)]
async fn pay(hours: u64) -> String {
    sleep(Duration::from_secs(hours * 3600)).await;
    "paid".to_owned()
}

/// Asks.
#[tool(asks)]
async fn order(cx: &ToolContext) -> Result<String, AskError> {
    cx.ask("Which colour?").await
}

agent! {
    Head { instruction: "Have it done.", agents: [Middle], child_timeout_sec: 60 }
    Middle { instruction: "Have it done.", description: "Has it done.", agents: [Payer], child_timeout_sec: 30 }
    Payer { instruction: "Pay.", description: "Pays.", function_tools: [pay, order] }
}

fn script(calls: ScriptedTurn) -> ScriptedModel {
    let passes_on = |child: &str| {
        [ScriptedTurn::call(format!("agent__{child}"), json!({ "input": "go" })), ScriptedTurn::say("{last}")]
    };
    ScriptedModel::new()
        .agent("Head", passes_on("Middle"))
        .agent("Middle", passes_on("Payer"))
        .agent("Payer", [calls, ScriptedTurn::say("{last}")])
}

/// A person who takes an hour.
async fn slow(_: Question) -> Option<Answer> {
    sleep(Duration::from_hours(1)).await;
    Answer::value("blue").ok()
}

async fn approves(_: ApprovalRequest) -> Approval {
    sleep(Duration::from_hours(1)).await;
    Approval::Allow
}

#[tokio::test(start_paused = true)]
async fn a5_the_wait_for_a_person_does_not_count_towards_the_time_of_a_child() {
    let asks = script(ScriptedTurn::call("order", json!({})).and_call("order", json!({})));
    let output = Head::builder().model(asks).answerer(slow).run("go").await.unwrap();
    assert_eq!(output.text, "blue\nblue", "both questions at once");

    let pays = script(ScriptedTurn::call("pay", json!({ "hours": 0 })));
    assert_eq!(Head::builder().model(pays).approver(approves).run("go").await.unwrap().text, "paid");

    let payer = Payer::builder().model(script(ScriptedTurn::call("order", json!({})))).build().await.unwrap();
    agent! { Caller { instruction: "Ask." } }
    let model = ScriptedModel::turns([
        ScriptedTurn::call("agent__Payer", json!({ "input": "go" })),
        ScriptedTurn::say("{last}"),
    ]);
    let tool = AgentTool::new(&payer).timeout(Duration::from_secs(5));
    let output = Caller::builder().model(model).tool(tool).answerer(slow).run("go").await.unwrap();
    assert_eq!(output.text, "blue");
}

#[tokio::test(start_paused = true)]
async fn a5_after_the_wait_for_a_person_the_rest_of_the_time_is_left() {
    let pays = script(ScriptedTurn::call("pay", json!({ "hours": 1 })));
    let started = tokio::time::Instant::now();
    let output = Head::builder().model(pays).approver(approves).run("go").await.unwrap();
    assert!(output.text.contains("did not answer within 30s"), "{}", output.text);
    let took = started.elapsed().as_secs();
    assert!((3630..3640).contains(&took), "{took}");
}
