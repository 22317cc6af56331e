//! Calls that wait for another party: for an approver, or for an equal call.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use onionskin::approval::{Approval, ApprovalRequest};
use onionskin::run::ToolCaller;
use onionskin::{
    Args, Exit, ScriptedModel, ScriptedTurn, State, ToolContext, ToolResult, agent, guardrail, tool,
};
use serde_json::json;
use tokio::sync::Semaphore;
use tokio::time::timeout;

use crate::support::Log;

/// Pays, if a person says so.
#[tool(approval)]
async fn pay(log: State<Log>) -> &'static str {
    log.push("paid");
    "paid"
}

#[guardrail(input)]
fn changes(args: &mut Args) {
    args["cents"] = 1.into();
}

/// Is approved twice: its guardrail changes what was approved.
#[tool(approval, cache, input_guardrails = [changes])]
fn pay_less(cents: u32, log: State<Log>) -> u32 {
    log.push("paid less");
    cents
}

/// Needs no approval.
#[tool]
fn note(log: State<Log>) -> &'static str {
    log.push("noted");
    "noted"
}

agent! {
    Narrow {
        state: Log, instruction: "Go.", function_tools: [pay, pay_less, note], max_parallel: 1,
    }
}

#[tokio::test]
async fn u2_a_call_beside_one_that_waits_for_a_person_goes_on() {
    let log = Log::default();
    let (asked, seen) = (Arc::new(Semaphore::new(0)), log.clone());
    let approver = move |_: ApprovalRequest| {
        let (seen, asked) = (seen.clone(), Arc::clone(&asked));
        async move {
            // The person looks at the note first.
            let noted = async {
                loop {
                    let lines = seen.take();
                    if lines.iter().any(|line| line == "noted") {
                        break;
                    }
                    tokio::task::yield_now().await;
                }
            };
            asked.add_permits(1);
            noted.await;
            Approval::Allow
        }
    };
    let model = ScriptedModel::turns([
        ScriptedTurn::call("pay", json!({})).and_call("note", json!({})),
        ScriptedTurn::say("{last}"),
    ]);
    let run = Narrow::builder().model(model).state(log.clone()).approver(approver).run("go");
    let output = timeout(Duration::from_secs(10), run).await.expect("nobody waits for the person").unwrap();
    assert_eq!(output.text, "paid\nnoted");
    assert_eq!(log.take(), ["paid"]);
}

/// One is asked again while the other waits for it: neither may hold the only place.
#[tokio::test]
async fn u2_equal_calls_that_are_approved_and_cached_do_not_wait_for_each_other() {
    let log = Log::default();
    let approver = |_: ApprovalRequest| async {
        tokio::task::yield_now().await;
        Approval::Allow
    };
    let turn = (0..3).fold(ScriptedTurn::say(""), |turn, _| turn.and_call("pay_less", json!({ "cents": 5 })));
    let model = ScriptedModel::turns([turn, ScriptedTurn::say("{last}")]);
    let run = Narrow::builder().model(model).state(log.clone()).approver(approver).run("go");
    let output = timeout(Duration::from_secs(10), run).await.expect("they go on").unwrap();
    assert_eq!((output.text.as_str(), log.take().len()), ("1\n1\n1", 1));
}

#[derive(Clone, Default)]
struct Bench {
    runs: Arc<AtomicU32>,
    failures: u32,
}

/// Is looked up, slowly.
#[tool(cache)]
async fn look_up(x: i64, bench: State<Bench>) -> Result<i64, String> {
    let run = bench.runs.fetch_add(1, Ordering::SeqCst);
    tokio::time::sleep(Duration::from_millis(10)).await;
    if run < bench.failures { Err("not found".to_owned()) } else { Ok(x) }
}

/// Aborts the run.
#[tool]
async fn abort() -> ToolResult<String> {
    Err(Exit::abort("the house is on fire"))
}

agent! {
    Reader { state: Bench, instruction: "Look it up.", function_tools: [look_up, abort] }
}

async fn look_up_three_times(bench: &Bench) -> Vec<String> {
    let call = |x: i64| ("look_up", json!({ "x": x }));
    let turn = [call(1), call(1), call(2), call(1)]
        .into_iter()
        .fold(ScriptedTurn::say(""), |turn, (name, args)| turn.and_call(name, args));
    let model = ScriptedModel::turns([turn, ScriptedTurn::say("done")]);
    let output = Reader::builder().model(model).state(bench.clone()).run("go").await.unwrap();
    output.tool_calls.iter().map(|call| call.to_text().into_owned()).collect()
}

#[tokio::test(start_paused = true)]
async fn t4_equal_calls_of_a_cached_tool_in_one_turn_run_it_once() {
    let bench = Bench::default();
    assert_eq!(look_up_three_times(&bench).await, ["1", "1", "2", "1"]);
    assert_eq!(bench.runs.load(Ordering::SeqCst), 2);
}

#[tokio::test(start_paused = true)]
async fn t4_if_the_first_of_equal_calls_fails_the_next_one_runs() {
    let bench = Bench { failures: 1, ..Bench::default() };
    let told = look_up_three_times(&bench).await;
    assert_eq!(told, ["not found", "1", "2", "1"]);
    assert_eq!(bench.runs.load(Ordering::SeqCst), 3);
}

#[tokio::test(start_paused = true)]
async fn t4_if_the_first_of_equal_calls_is_cancelled_the_next_one_runs() {
    let bench = Bench::default();
    let tools = ToolCaller::<Reader>::with_state(bench.clone());
    let [one, two]: [ToolContext; 2] = std::array::from_fn(|_| tools.context("look_up").unwrap());
    let (mut first, mut second) = (Args::from(r#"{"x": 1}"#), Args::from(r#"{"x": 1}"#));
    let first = timeout(Duration::from_millis(5), tools.call(&one, &mut first));
    let (first, second) = tokio::join!(first, tools.call(&two, &mut second));
    assert!(first.is_err());
    assert_eq!(second.unwrap().to_text(), "1");
    assert_eq!(bench.runs.load(Ordering::SeqCst), 2);
}
