//! A hook that reads an argument which the tool does not have lets nothing through.

use onionskin::approval::{Approval, ApprovalRequest};
use onionskin::model::ToolResultMessage;
use onionskin::turn_hooks::{BoxError, TurnToolCall};
use onionskin::{
    Agent, Args, Next, RunError, ScriptedModel, ScriptedTurn, ToolOutput, ToolResult, agent, guardrail, tool,
    tool_hook, turn_hook,
};
use serde_json::json;

/// Pays.
#[tool(effect = once)]
fn pay(amount: u64, note: Option<String>) -> String {
    format!("paid {amount} {note:?}")
}

#[tool_hook]
async fn at_most_ten(args: &mut Args, next: impl Next) -> ToolResult {
    if args["cents"].as_u64().is_some_and(|cents| cents > 10) {
        return Err("too much".into());
    }
    next.run(args).await
}

#[guardrail(input)]
fn no_more_than_ten(args: &Args) -> Result<(), &'static str> {
    if args["cents"].as_u64().is_some_and(|cents| cents > 10) { Err("too much") } else { Ok(()) }
}

fn is_much(args: &Args) -> bool {
    args["cents"].as_u64().is_some_and(|cents| cents > 10)
}

/// Pays.
#[tool(name = "pay", effect = once, input_guardrails = [no_more_than_ten])]
fn pay_guarded(amount: u64) -> String {
    format!("paid {amount}")
}

/// Pays.
#[tool(name = "pay", effect = once, approval = is_much)]
fn pay_approved(amount: u64) -> String {
    format!("paid {amount}")
}

/// What the model leaves out reads as `null`, and so does what only some tools have.
#[tool_hook]
async fn reads(args: &mut Args, next: impl Next) -> ToolResult {
    assert!(args["note"].is_null() && args.get("cents").is_none());
    next.run(args).await
}

agent! {
    Hooked { instruction: "Pay.", function_tools: [pay], tool_hooks: [at_most_ten] }
    Guarded { instruction: "Pay.", function_tools: [pay_guarded] }
    Approved { instruction: "Pay.", function_tools: [pay_approved] }
    Reading { instruction: "Pay.", function_tools: [pay], tool_hooks: [reads] }
}

/// Pays.
#[tool(name = "pay", effect = once, approval)]
fn pay_asked(amount: u64) -> String {
    format!("paid {amount}")
}

#[turn_hook(before_tool_call)]
fn before(call: &mut TurnToolCall) -> Result<Option<ToolOutput>, BoxError> {
    let is_much = call.args()["cents"].as_u64().is_some_and(|cents| cents > 10);
    Ok(is_much.then(|| ToolOutput::text("too much")))
}

#[turn_hook(after_tool_call)]
fn after(result: &mut ToolResultMessage, call: &TurnToolCall) {
    if call.args()["cents"].as_u64().is_some_and(|cents| cents > 10) {
        result.is_error = true;
    }
}

/// They read what the tool gets.
#[turn_hook(before_tool_call)]
fn reads_in_turn(call: &mut TurnToolCall) -> Result<Option<ToolOutput>, BoxError> {
    let args = call.args();
    assert!(args["amount"] == 5000 && args["note"].is_null() && args.get("cents").is_none());
    call.set_name("unknown");
    assert!(call.args()["cents"].is_null(), "the tool is not known");
    call.set_name("pay");
    Ok(None)
}

agent! {
    Before { instruction: "Pay.", function_tools: [pay], turn_hooks: [before] }
    After { instruction: "Pay.", function_tools: [pay], turn_hooks: [after] }
    ReadingInTurn { instruction: "Pay.", function_tools: [pay], turn_hooks: [reads_in_turn] }
}

#[tokio::test]
async fn h1_a_turn_hook_that_reads_another_argument_ends_the_run() {
    for end in [pays::<Before>().await, pays::<After>().await] {
        let said = end.unwrap_err().to_string();
        assert!(said.contains("the tool has no argument `cents`; it has `amount`"), "{said}");
    }
    let turns = [ScriptedTurn::call("pay", json!({ "amount": "5000" })), ScriptedTurn::say("{last}")];
    let read = ReadingInTurn::builder().model(ScriptedModel::turns(turns)).run("Pay.").await.unwrap();
    assert_eq!(read.text, "paid 5000 None");
}

agent! { Asked { instruction: "Pay.", function_tools: [pay_asked] } }

/// A misspelt limit of the program's own approver allows nothing.
#[tokio::test]
async fn h1_an_approver_that_reads_another_argument_allows_nothing() {
    let turns = [ScriptedTurn::call("pay", json!({ "amount": 5000 })), ScriptedTurn::say("{last}")];
    let asked =
        Asked::builder().model(ScriptedModel::turns(turns)).approver(|request: ApprovalRequest| async move {
            if request.args()["cents"].as_u64() <= Some(100) {
                Approval::Allow
            } else {
                Approval::deny("too much")
            }
        });
    let output = asked.run("Pay.").await.unwrap();
    assert_eq!(output.text, "Tool execution was not approved.");
}

async fn pays<A>() -> Result<String, RunError>
where
    A: Agent<State = ()>,
{
    let turns = [ScriptedTurn::call("pay", json!({ "amount": 5000 })), ScriptedTurn::say("{last}")];
    Ok(A::builder().model(ScriptedModel::turns(turns)).run("Pay.").await?.text)
}

#[tokio::test]
async fn h1_a_check_of_an_argument_that_does_not_exist_lets_nothing_through() {
    // A panic of a hook ends the run, and one of a guardrail refuses the call.
    for end in [pays::<Hooked>().await, pays::<Guarded>().await, pays::<Approved>().await] {
        let said = end.unwrap_or_else(|error| error.to_string());
        assert!(said.contains("the tool has no argument `cents`; it has `amount`"), "{said}");
        assert!(said.contains("`args.get(\"cents\")`") && !said.contains("paid"), "{said}");
    }
}

#[tokio::test]
async fn h1_an_argument_that_was_left_out_is_null() {
    assert_eq!(pays::<Reading>().await.unwrap(), "paid 5000 None");
}
