//! Guardrails, approval and cache of tools.

use onionskin::approval::{Approval, ApprovalRequest};
use onionskin::event::CallOutcome;
use onionskin::{
    Args, ErrorKind, Exit, Next, RunError, ScriptedModel, ScriptedTurn, State, ToolOutput, ToolResult, agent,
    guardrail, tool, tool_hook,
};
use serde_json::{Value, json};

use crate::scene::Log;

#[guardrail(input)]
fn no_thirteen(args: &Args) -> Result<(), &'static str> {
    if args["x"] == 13 { Err("nope") } else { Ok(()) }
}

#[guardrail(output)]
fn redact(output: &ToolOutput) -> Result<(), &'static str> {
    if output.to_text() == "42" { Err("redacted") } else { Ok(()) }
}

/// Adds one, within bounds.
#[tool(name = "add_one", type_name = Guarded, input_guardrails = [no_thirteen], output_guardrails = [redact])]
fn guarded_add_one(x: i64, log: State<Log>) -> i64 {
    log.push("tool");
    x + 1
}

#[guardrail(input)]
fn trips(_args: &Args) -> ToolResult<()> {
    Err(Exit::abort("the wire was touched"))
}

#[guardrail(input)]
fn fails(_args: &Args) {
    panic!("nobody expected that");
}

/// Has an effect that cannot be taken back.
#[tool(input_guardrails = [trips])]
fn wired(x: i64, log: State<Log>) -> i64 {
    log.push("tool");
    x
}

/// Is guarded by what fails.
#[tool(input_guardrails = [fails])]
fn unguarded(x: i64, log: State<Log>) -> i64 {
    log.push("tool");
    x
}

#[tool_hook]
fn background_log(_output: &ToolOutput, log: State<Log>) {
    log.push("queued");
}

/// Keeps what it gave; what it gave is noted in the background.
#[tool(cache, input_guardrails = [no_thirteen], hooks = [background_log])]
fn noted(x: i64, log: State<Log>) -> i64 {
    log.push("tool");
    x
}

/// Adds one, once for all.
#[tool(cache)]
fn cached(x: i64, log: State<Log>) -> i64 {
    log.push("tool");
    x + 1
}

/// Is dangerous.
#[tool(approval)]
fn danger(x: i64, log: State<Log>) -> i64 {
    log.push("tool");
    x
}

#[tool_hook]
async fn next_twice(args: &mut Args, next: impl Next) -> ToolResult {
    next.run(args).await?;
    next.run(args).await
}

#[tool_hook]
#[expect(clippy::unnecessary_wraps, reason = "one of the forms of a before hook")]
fn instead(_args: &Args) -> Option<ToolOutput> {
    Some(ToolOutput::text("instead"))
}

agent! {
    Plain {
        instruction: "Work.",
        state: Log,
        function_tools: [Guarded, cached, danger, wired, unguarded, noted],
    }
    Twice {
        instruction: "Work.",
        state: Log,
        function_tools: [cached],
        tool_hooks: [next_twice],
    }
    Instead {
        instruction: "Work.",
        state: Log,
        function_tools: [cached],
        tool_hooks: [instead],
    }
}

fn script(calls: &[(&str, Value)]) -> ScriptedModel {
    let calls = calls.iter().map(|(tool, args)| ScriptedTurn::call(*tool, args.clone()));
    ScriptedModel::turns(calls.chain([ScriptedTurn::say("done")]))
}

/// `tool_ran`, `model_sees` and `run_continues` of one call.
async fn one_call(tool: &str, args: Value, approval: Option<Approval>, expect: &Value) {
    let log = Log::default();
    let mut agent = Plain::builder().model(script(&[(tool, args)])).state(log.clone());
    if let Some(approval) = approval {
        agent = agent.approver(move |_: ApprovalRequest| std::future::ready(approval.clone()));
    }
    let output = agent.run("go").await.expect("the run goes on");
    for (key, wanted) in expect.as_object().unwrap() {
        let runs = log.lines().len();
        let found = match key.as_str() {
            "tool_ran" => json!(runs > 0),
            "tool_runs" => json!(runs),
            "model_sees" => json!(output.tool_calls[0].to_text()),
            "run_continues" => json!(output.text == "done"),
            "final" => json!(output.text),
            other => panic!("`{other}` is not compared"),
        };
        assert_eq!(found, *wanted, "{key}");
    }
}

pub async fn guardrail_rejects_input(case: Value) {
    assert_eq!(case["given"]["guard"], "reject 'nope' if 13");
    one_call("add_one", case["given"]["args"].clone(), None, &case["expect"]).await;
}

pub async fn guardrail_rejects_output(case: Value) {
    assert_eq!(case["given"]["guard_out"], "42 -> redacted");
    one_call("add_one", case["given"]["args"].clone(), None, &case["expect"]).await;
}

/// At a tool: the guardrail ends the run with a typed error, and the tool has not started.
pub async fn guardrail_ends_the_run(case: Value) {
    assert_eq!(case["given"]["input_guardrail"], "trips");
    assert_eq!(case["expect"]["run_error"], "typed");
    let log = Log::default();
    let agent = Plain::builder().model(script(&[("wired", json!({ "x": 1 }))])).state(log.clone());
    match agent.run("go").await {
        Err(RunError::Aborted(abort)) => assert_eq!(abort.reason(), "the wire was touched"),
        other => panic!("{other:?}"),
    }
    assert_eq!(log.lines(), [""; 0]);
}

/// What follows on a call does not begin before the guardrails have let it pass.
pub async fn guardrail_before_side_effects(case: Value) {
    assert_eq!(case["given"]["hooks"], json!(["background_log", "guard_rejects"]));
    let lines = async |x: i64| {
        let log = Log::default();
        let model = script(&[("noted", json!({ "x": x }))]);
        Plain::builder().model(model).state(log.clone()).run("go").await.unwrap();
        log.lines()
    };
    assert_eq!(lines(12).await, ["tool", "queued"]);
    let refused = lines(13).await;
    assert_eq!(json!(refused.contains(&"queued".to_owned())), case["expect"]["background_log_queued"]);
    assert_eq!(refused, [""; 0]);
}

/// An error that no guardrail meant to give is none that is ignored.
pub async fn guardrail_that_fails_refuses(case: Value) {
    assert_eq!(case["given"]["pre_hook"], "raises a non-check error");
    assert_eq!(case["expect"]["note"], "make it a Result; ignoring must be explicit");
    let log = Log::default();
    let agent = Plain::builder().model(script(&[("unguarded", json!({ "x": 1 }))])).state(log.clone());
    let output = agent.run("go").await.unwrap();
    assert_eq!(output.tool_calls[0].outcome, Some(CallOutcome::Error(ErrorKind::Panic)));
    assert!(output.tool_calls[0].to_text().contains("nobody expected that"));
    assert_eq!((log.lines().len(), &*output.text), (0, "done"));
}

pub async fn approval_pauses(case: Value) {
    assert_eq!(case["given"], json!({ "tool": "danger", "needs_approval": true }));
    let log = Log::default();
    let agent = Plain::builder().model(script(&[("danger", json!({ "x": 1 }))])).state(log.clone());
    let Err(RunError::Paused(paused)) = agent.run("go").await else { panic!("it pauses") };
    let open = paused.questions().iter();
    let open: Value =
        open.map(|question| json!({ "tool": question.tool_name(), "args": question.arguments() })).collect();
    let found = json!({ "tool_ran": !log.lines().is_empty(), "run": "paused", "pending": open });
    assert_eq!(found, case["expect"]);
}

/// The macro's own tests hold this text to what rustc shows.
pub async fn hitl_flags_exclusive(case: Value) {
    assert_eq!(case["given"], json!({ "requires_confirmation": true, "external_execution": true }));
    assert_eq!(case["expect"], json!({ "error_at": "definition" }));
    let page = include_str!("../../../macros/tests/errors/tool/approval_and_external.md");
    let (_, words) = page.split_once("## approval_and_external.rs").unwrap();
    let (words, _) = words.split_once("## ").unwrap();
    assert!(words.contains("\nerror: ") && words.contains("#[tool(approval, external)]"), "{words}");
}

pub async fn approval_granted(case: Value) {
    assert_eq!(case["given"]["approve"], "pending0");
    one_call("danger", json!({ "x": 1 }), Some(Approval::Allow), &case["expect"]).await;
}

pub async fn approval_rejected(case: Value) {
    assert_eq!(case["given"]["reject"], "pending0");
    one_call("danger", json!({ "x": 1 }), Some(Approval::Deny(None)), &case["expect"]).await;
}

pub async fn cache_has_identity(case: Value) {
    let log = Log::default();
    let calls = case["given"]["calls"].as_array().unwrap();
    let first = script(&[("cached", json!({ "x": calls[0]["x"] }))]);
    let agent = Plain::builder().model(first).state(log.clone()).build().await.unwrap();
    let session = agent.session();
    let ask = async |user: &str| {
        session.set_history(Vec::new()).unwrap();
        agent.request("go").session(&session).user(user).run().await.unwrap();
    };
    for call in calls {
        assert_eq!(call["x"], calls[0]["x"]);
        ask(call["user"].as_str().unwrap()).await;
    }
    assert_eq!(json!(log.lines().len()), case["expect"]["tool_runs"]);
    // The same user again is answered from the cache.
    ask(calls[0]["user"].as_str().unwrap()).await;
    assert_eq!(json!(log.lines().len()), case["expect"]["tool_runs"]);
}

pub async fn cache_not_of_hooks(case: Value) {
    assert_eq!(case["given"]["hooks"], json!(["instead or next twice"]));
    assert_eq!(case["expect"]["stored"], false);
    let calls = [("cached", json!({ "x": 1 })), ("cached", json!({ "x": 1 }))];
    let log = Log::default();
    Twice::builder().model(script(&calls)).state(log.clone()).run("go").await.unwrap();
    assert_eq!(log.lines().len(), 4, "the second call runs the tool twice as well");
    let log = Log::default();
    let output = Instead::builder().model(script(&calls)).state(log.clone()).run("go").await.unwrap();
    assert_eq!((output.tool_calls[1].to_text().as_ref(), log.lines().len()), ("instead", 0));
}
