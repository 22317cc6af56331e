//! Blocking tools when no thread is free: a start that never begins does not count.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use onionskin::event::EventKind;
use onionskin::{
    AgentHandle, Args, Exit, Next, ScriptedModel, ScriptedTurn, State, ToolContext, ToolResult, agent, tool,
    tool_hook,
};
use serde_json::{Value, json};
use tokio::sync::Notify;
use tokio::time::timeout;

/// What began, and the signal that no more starts follow.
#[derive(Clone, Default)]
struct Till {
    paid: Arc<AtomicU32>,
    is_over: Arc<Notify>,
}

/// Pays.
#[tool(blocking, max_calls = 1)]
fn pay(how: &str, till: State<Till>) -> String {
    till.paid.fetch_add(1, Ordering::SeqCst);
    how.to_owned()
}

/// Aborts the run after the starts.
#[tool]
async fn abort(till: State<Till>) -> ToolResult<String> {
    till.is_over.notified().await;
    Err(Exit::abort("fire"))
}

/// Waits 10 ms for each start. Then it fails, or starts again with the same or with invalid arguments and waits for the end of the run.
#[tool_hook]
async fn impatient(cx: &ToolContext, args: &mut Args, till: State<Till>, next: impl Next) -> ToolResult {
    let how = args["how"].as_str().unwrap_or_default().to_owned();
    timeout(Duration::from_millis(10), next.run(args)).await.expect_err("no thread is free");
    match &*how {
        "fail" => return Err("gave up".into()),
        "invalid" => args["how"] = json!(7),
        _ => {}
    }
    let again = timeout(Duration::from_millis(10), next.run(args)).await;
    assert_eq!(again.is_ok(), how == "invalid");
    assert_eq!(cx.attempt(), 0);
    till.is_over.notify_one();
    std::future::pending().await
}

/// Runs the call, occupies the only thread, runs it once or twice more for 10 ms, and fails or waits for the end of the run.
#[tool_hook]
async fn repeat(cx: &ToolContext, args: &mut Args, till: State<Till>, next: impl Next) -> ToolResult {
    next.run(args).await?;
    let (free, until_free) = std::sync::mpsc::channel::<()>();
    tokio::task::spawn_blocking(move || until_free.recv());
    for _ in 0..if args["how"] == "thrice" { 2 } else { 1 } {
        timeout(Duration::from_millis(10), next.run(args)).await.expect_err("no thread is free");
    }
    assert_eq!(cx.attempt(), 1);
    drop(free);
    if args["how"] == "fail" {
        return Err("gave up".into());
    }
    till.is_over.notify_one();
    std::future::pending().await
}

agent! {
    Repeater { state: Till, instruction: "Pay.", function_tools: [pay, abort], tool_hooks: [repeat for [pay]] }
}
agent! {
    Payer {
        description: "Pays.", state: Till, instruction: "Pay.", function_tools: [pay, abort],
        tool_hooks: [impatient for [pay]],
    }
}
agent! {
    Head { state: Till, instruction: "Have it paid.", agents: [Payer], child_timeout_sec: 0.1 }
}

/// Runs this while the only thread for blocking tools is busy. Nothing is paid, then or when the thread is free.
fn no_thread_is_free(work: impl AsyncFnOnce(Till)) {
    let runtime = tokio::runtime::Builder::new_current_thread().max_blocking_threads(1).enable_all().build();
    runtime.unwrap().block_on(async {
        let (free, until_free) = std::sync::mpsc::channel::<()>();
        let busy = tokio::task::spawn_blocking(move || until_free.recv());
        let till = Till::default();
        work(till.clone()).await;
        drop(free);
        let _ = busy.await.unwrap();
        tokio::task::spawn_blocking(|| ()).await.unwrap();
        assert_eq!(till.paid.load(Ordering::SeqCst), 0);
    });
}

fn pays(how: &str) -> ScriptedTurn {
    ScriptedTurn::call("pay", json!({ "how": how }))
}

async fn payer(turns: impl IntoIterator<Item = ScriptedTurn>, till: Till) -> AgentHandle {
    Payer::builder().model(ScriptedModel::turns(turns)).state(till).build().await.unwrap()
}

#[test]
fn h3_starts_that_never_began_are_no_attempts_of_an_aborted_call() {
    for how in ["again", "invalid"] {
        no_thread_is_free(async |till| {
            let payer = payer([pays(how).and_call("abort", json!({}))], till).await;
            let session = payer.session();
            let mut events = payer.request("go").session(&session).stream();
            let mut counts = Vec::new();
            while let Some(event) = events.next().await {
                if let EventKind::ToolFinished { tool, attempts, .. } = &event.kind
                    && &**tool == "pay"
                {
                    counts.push(*attempts);
                }
            }
            assert_eq!(counts, [0], "{how}");
            let history = serde_json::to_value(session.history()).unwrap();
            let read = &history[2]["results"][0]["content"][0]["text"];
            let expected = "cancelled before it began: it did not run; the run was aborted: fire";
            assert_eq!(*read, Value::from(expected), "{how}");
        });
    }
}

/// Runs with one thread for blocking tools. The tool has paid once.
fn one_thread(work: impl AsyncFnOnce(Till)) {
    let runtime = tokio::runtime::Builder::new_current_thread().max_blocking_threads(1).enable_all().build();
    runtime.unwrap().block_on(async {
        let till = Till::default();
        work(till.clone()).await;
        assert_eq!(till.paid.load(Ordering::SeqCst), 1);
    });
}

#[test]
fn h3_starts_that_never_began_do_not_hide_that_the_tool_ran_before() {
    for how in ["twice", "thrice"] {
        one_thread(async |till| {
            let model = ScriptedModel::turns([pays(how).and_call("abort", json!({}))]);
            let repeater = Repeater::builder().model(model).state(till).build().await.unwrap();
            let session = repeater.session();
            repeater.request("go").session(&session).run().await.unwrap_err();
            let history = serde_json::to_value(session.history()).unwrap();
            let expected = "cancelled when its tool had run; its result is lost; the run was aborted: fire";
            assert_eq!(history[2]["results"][0]["content"][0]["text"], expected, "{how}");
        });
    }
}

#[test]
fn h3_an_error_after_a_start_that_never_began_says_that_the_tool_ran_before() {
    one_thread(async |till| {
        let model = ScriptedModel::turns([pays("fail"), ScriptedTurn::say("{last}")]);
        let repeater = Repeater::builder().model(model).state(till).build().await.unwrap();
        let expected = "`pay` has run; its result is withheld: gave up";
        assert_eq!(repeater.run("go").await.unwrap().text, expected);
    });
}

#[test]
fn t4_a_call_whose_starts_never_began_does_not_count_for_max_calls() {
    no_thread_is_free(async |till| {
        let payer = payer([pays("fail"), pays("fail"), ScriptedTurn::say("{last}")], till).await;
        assert_eq!(payer.run("go").await.unwrap().text, "gave up");
    });
}

#[test]
fn a5_a_parent_reads_of_no_call_whose_starts_never_began() {
    no_thread_is_free(async |till| {
        let model = ScriptedModel::new()
            .agent(
                "Head",
                [ScriptedTurn::call("agent__Payer", json!({ "input": "x" })), ScriptedTurn::say("{last}")],
            )
            .agent("Payer", [pays("again")]);
        let output = Head::builder().model(model).state(till).run("go").await.unwrap();
        assert!(output.text.contains("did not answer within 100ms"), "{}", output.text);
        assert!(!output.text.contains("pay"), "{}", output.text);
    });
}
