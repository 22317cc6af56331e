//! H3, A7: how often a tool itself was started, and the words for a call that never came so far.

use std::time::Duration;

use onionskin::approval::{Approval, ApprovalRequest, Approver};
use onionskin::{
    Args, Exit, Next, RunError, RunOutput, ScriptedModel, ScriptedTurn, ToolContext, ToolOutput, ToolResult,
    agent, guardrail, hooks::retry, spec::Transform, tool, tool_hook,
};
use serde_json::json;

/// Has to be approved.
#[tool(approval)]
fn approved(x: i64) -> i64 {
    x
}

#[guardrail(input)]
fn small(args: &Args) -> Result<(), &'static str> {
    if args["x"] == 13 { Err("not 13") } else { Ok(()) }
}

/// Is guarded.
#[tool(input_guardrails = [small])]
fn guarded(x: i64) -> i64 {
    x
}

/// Is kept.
#[tool(cache)]
fn cached(x: i64) -> i64 {
    x
}

#[tool_hook]
fn answers(args: &Args) -> Option<ToolOutput> {
    (args["x"] != "nothing").then(|| "answered".into())
}

/// Has a hook that answers.
#[tool(hooks = [answers])]
fn owned(x: i64) -> i64 {
    x
}

/// Is plain.
#[tool]
fn plain(x: i64) -> i64 {
    x
}

/// Fails.
#[tool(effect = idempotent, hooks = [retry(2)])]
fn fails(x: i64) -> Result<i64, String> {
    Err(format!("no {x}"))
}

agent! { Tries { name: "tries", instruction: "Try.", function_tools: [approved, guarded, cached, owned, plain, fails] } }

fn attempts(output: &RunOutput) -> Vec<(&str, u32)> {
    output.tool_calls.iter().map(|call| (&*call.tool, call.attempts)).collect()
}

#[tokio::test(start_paused = true)]
async fn h3_what_answers_in_place_of_a_tool_starts_no_attempt() {
    let model = ScriptedModel::turns([
        ScriptedTurn::call("approved", json!({ "x": 1 }))
            .and_call("guarded", json!({ "x": 13 }))
            .and_call("guarded", json!({ "x": 1 }))
            .and_call("guarded", json!({ "x": "no" }))
            .and_call("owned", json!({ "x": 1 }))
            .and_call("plain", json!({ "x": "no" }))
            .and_call("plain", json!({ "x": 1 }))
            .and_call("value", json!({ "x": 13 }))
            .and_call("value", json!({ "x": 1 }))
            .and_call("value", json!({ "x": "no" }))
            .and_call("fails", json!({ "x": 1 })),
        ScriptedTurn::call("cached", json!({ "x": 1 })),
        ScriptedTurn::call("cached", json!({ "x": 1 })),
        ScriptedTurn::say("done"),
    ]);
    let mut value = plain::spec();
    value.transform(Transform::new().name("value")).unwrap();
    value.add_input_guardrails(small::new());
    let nobody = |_: ApprovalRequest| async { Approval::Deny(None) };
    let output = Tries::builder().tool(value).model(model).approver(nobody).run("go").await.unwrap();
    assert_eq!(
        attempts(&output),
        [
            ("approved", 0),
            ("guarded", 0),
            ("guarded", 1),
            ("guarded", 0),
            ("owned", 0),
            ("plain", 0),
            ("plain", 1),
            ("value", 0),
            ("value", 1),
            ("value", 0),
            ("fails", 2),
            ("cached", 1),
            ("cached", 0)
        ]
    );
}

/// Never says anything.
struct Silent;

impl Approver for Silent {
    async fn approve(&self, _: ApprovalRequest) -> Approval {
        std::future::pending().await
    }
}

#[tool_hook]
async fn waits(args: &mut Args, next: impl Next) -> ToolResult {
    tokio::time::sleep(Duration::from_secs(100)).await;
    next.run(args).await
}

/// Waits in a hook of its own.
#[tool(hooks = [waits])]
fn held() {}

/// Is at work.
#[tool]
async fn begun() {
    std::future::pending::<()>().await;
}

/// Aborts.
#[tool]
async fn aborts(cx: &ToolContext) -> ToolResult<()> {
    cx.sleep(Duration::from_secs(1)).await;
    Err(Exit::abort("out"))
}

agent! { Ends { name: "ends", instruction: "End.", function_tools: [approved, held, begun, aborts] } }

#[tokio::test(start_paused = true)]
async fn a7_a_cancelled_call_that_never_began_is_reported_as_one() {
    let turn = ScriptedTurn::call("approved", json!({ "x": 1 }))
        .and_call("held", json!({}))
        .and_call("begun", json!({}))
        .and_call("aborts", json!({}));
    let handle = Ends::builder().approver(Silent).model(ScriptedModel::turns([turn])).build().await.unwrap();
    let session = handle.session();
    let mut stream = handle.request("go").session(&session).stream();
    let mut output = RunOutput::default();
    while let Some(event) = stream.next().await {
        output.add(&event);
    }
    assert!(matches!(stream.output().await, Err(RunError::Aborted(_))));
    assert_eq!(attempts(&output), [("approved", 0), ("held", 0), ("begun", 1), ("aborts", 1)]);
    let told = session.history()[2].to_text().into_owned();
    let told: Vec<_> = told.lines().map(|line| line.split(';').next().unwrap()).collect();
    assert_eq!(
        told,
        [
            "cancelled before it began: it did not run",
            "cancelled before it began: it did not run",
            "cancelled before it finished",
            "the run was aborted: out",
        ]
    );
}
