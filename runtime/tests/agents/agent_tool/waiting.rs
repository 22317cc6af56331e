//! Calls that wait for the turn of their thread.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use onionskin::{
    AgentTool, CancellationToken, ErrorKind, Exit, RunError, ScriptedModel, ScriptedTurn, State, ToolSpec,
    agent, call, tool,
};
use serde_json::json;

use crate::agent_tool::support::{Boss, Log, asks, probe};

#[tokio::test(start_paused = true)]
async fn l2_the_wait_for_a_thread_counts_as_time() {
    let agent = probe(&Log::default()).await;
    let thread = agent.session();
    let tool = AgentTool::new(&agent).thread(&thread);
    let (patient, hasty) = (tool.clone().spec(), tool.clone().timeout(Duration::from_secs(1)));
    let calm = hasty.clone().on_error(|_, error| match error {
        RunError::Busy { agent, session, limit, .. } => {
            Ok(format!("{agent} in {session} after {limit:?}").into())
        }
        other => Err(other.into()),
    });
    let (hasty, calm) = (hasty.spec(), calm.spec());
    let (first, second, third) =
        tokio::join!(call!(patient, input = "wait"), call!(hasty, input = "x"), call!(calm, input = "x"));
    let Err(Exit::Tool(error)) = second else { panic!("{second:?}") };
    assert_eq!(
        (error.kind(), &*error.to_text()),
        (
            ErrorKind::Timeout,
            "the agent `probe` could not begin within 1s: another run used its session; a session runs one run at a time"
        )
    );
    assert_eq!(third.unwrap(), format!("probe in {} after 1s", thread.id()));
    assert_eq!(first.unwrap(), "re: wait after 0");
    assert_eq!(
        call!(hasty, input = "x").await.unwrap(),
        "again: x after 2",
        "a call that gave up left nothing"
    );
}

#[tokio::test(start_paused = true)]
async fn l2_a_caller_that_is_over_waits_for_no_thread() {
    let agent = probe(&Log::default()).await;
    let tool = AgentTool::new(&agent).name("ask").thread(&agent.session());
    let spec = tool.clone().spec();
    let boss = Boss::builder().model(asks("ask", ["x"])).tool(tool).build().await.unwrap();
    let token = CancellationToken::new();
    let cancelled = async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        token.cancel();
    };
    let began = tokio::time::Instant::now();
    let run = async {
        let output = boss.request("go").cancellation(token.clone()).run().await;
        (output, began.elapsed())
    };
    let (first, (output, waited), ()) = tokio::join!(call!(spec, input = "wait"), run, cancelled);
    assert!(matches!(output, Err(RunError::Cancelled { .. })), "{output:?}");
    assert_eq!(waited, Duration::from_secs(1));
    assert_eq!(first.unwrap(), "re: wait after 0");
    assert_eq!(call!(spec, input = "x").await.unwrap(), "again: x after 2");
}

/// The tool that leads back into the conversation.
type Back = Arc<OnceLock<ToolSpec>>;

/// Calls back.
#[tool]
async fn back(tool: State<Back>) -> String {
    call!(tool.get().unwrap(), input = "x").await.unwrap_err().to_string()
}

/// Calls back and blocks meanwhile.
#[tool]
fn back_sync(tool: State<Back>) -> String {
    tool.get().unwrap().call_blocking(json!({ "input": "x" })).unwrap_err().to_string()
}

/// Calls back from a thread of its own.
#[tool(blocking)]
fn back_blocking(tool: State<Back>) -> String {
    tool.get().unwrap().call_blocking(json!({ "input": "x" })).unwrap_err().to_string()
}

agent! {
    Circular { name: "circular", instruction: "Go on.", state: Back, function_tools: [back, back_sync, back_blocking] }
    Between { name: "between", instruction: "Pass on.", state: Back, function_tools: [back] }
}

const REFUSED: &str =
    "the agent `circular` cannot continue a session that waits for this call: run it in another session";

#[tokio::test]
async fn l2_a_direct_call_within_a_thread_does_not_wait_for_itself() {
    for name in ["back", "back_sync", "back_blocking"] {
        let back = Back::default();
        let model = ScriptedModel::turns([ScriptedTurn::call(name, json!({})), ScriptedTurn::say("{last}")]);
        let agent = Circular::builder().model(model).state(Arc::clone(&back)).build().await.unwrap();
        // It ends by itself where it is not refused: nothing can end a thread that blocks.
        let tool = AgentTool::new(&agent).thread(&agent.session()).timeout(Duration::from_secs(5));
        let spec = back.get_or_init(|| tool.spec());
        assert_eq!(call!(spec, input = "go").await.unwrap(), REFUSED, "{name}");
    }
}

#[tokio::test]
async fn l2_a_direct_call_two_agents_further_in_does_not_wait_for_the_thread_either() {
    let (outer, inner) = (Back::default(), Back::default());
    let model = || ScriptedModel::turns([ScriptedTurn::call("back", json!({})), ScriptedTurn::say("{last}")]);
    let agent = Circular::builder().model(model()).state(Arc::clone(&inner)).build().await.unwrap();
    let spec = outer.get_or_init(|| AgentTool::new(&agent).thread(&agent.session()).spec());
    let between = Between::builder().model(model()).state(Arc::clone(&outer)).build().await.unwrap();
    // Only an error is taken as an answer of `back`, so the agent between makes one.
    let between = AgentTool::new(&between).output(|output| Err(Exit::tool(output.text)));
    inner.get_or_init(|| between.spec());
    let said = tokio::time::timeout(Duration::from_secs(30), call!(spec, input = "go")).await;
    assert_eq!(said.expect("it ends").unwrap(), REFUSED);
}

#[tokio::test]
async fn l2_two_calls_of_one_task_take_turns() {
    let agent = probe(&Log::default()).await;
    let spec = AgentTool::new(&agent).thread(&agent.session()).spec();
    let (first, second) = tokio::join!(call!(spec, input = "one"), call!(spec, input = "two"));
    assert_eq!((first.unwrap(), second.unwrap()), ("re: one after 0".into(), "again: two after 2".into()));
}
