//! What goes wrong, and that nothing goes wrong beyond it: every call id gets one result, the run goes on or
//! ends for a stated reason, and nothing is left running.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use onionskin::declaration::Limits;
use onionskin::event::{CallOutcome, EventKind};
use onionskin::model::{History, Message};
use onionskin::run::Limit;
use onionskin::{
    Args, CancellationToken, ErrorKind, Exit, Next, RunError, RunOutput, ScriptedModel, ScriptedTurn, State,
    ToolResult, agent, hooks, tool, tool_hook,
};
use serde_json::json;

use crate::support::Alive;

/// Panics.
#[tool]
fn panics() -> String {
    panic!("a tool's own words")
}

/// Panics after waiting.
#[tool]
async fn panics_later() -> String {
    tokio::task::yield_now().await;
    panic!("later")
}

/// Never ends.
#[tool]
async fn hangs(alive: State<Alive>) -> String {
    let _guard = alive.enter();
    std::future::pending().await
}

/// Never ends, but for its time.
#[tool(timeout = "50ms")]
async fn hangs_a_while(alive: State<Alive>) -> String {
    let _guard = alive.enter();
    std::future::pending().await
}

/// Works.
#[tool]
fn works(x: i64) -> i64 {
    x
}

/// Aborts the run.
#[tool]
async fn aborts() -> ToolResult<String> {
    Err(Exit::abort("the house is on fire"))
}

/// Stops the run.
#[tool]
fn stops() -> ToolResult<String> {
    Err(Exit::stop("that is all"))
}

/// Fails.
#[tool(effect = idempotent)]
fn fails(calls: State<Alive>) -> Result<String, String> {
    calls.0.fetch_add(1, Ordering::SeqCst);
    Err("no".to_owned())
}

agent! {
    Failing {
        name: "failing",
        instruction: "Fail.",
        state: Alive,
        function_tools: [panics, panics_later, hangs, hangs_a_while, works, aborts, stops, fails],
    }
}

fn turns(calls: &[(&str, serde_json::Value)]) -> ScriptedModel {
    let turn =
        calls.iter().fold(ScriptedTurn::default(), |turn, (tool, args)| turn.and_call(*tool, args.clone()));
    ScriptedModel::turns([turn, ScriptedTurn::say("done")])
}

async fn play(calls: &[(&str, serde_json::Value)]) -> (RunOutput, Alive) {
    let alive = Alive::default();
    let output = Failing::builder().state(alive.clone()).model(turns(calls)).run("go").await.unwrap();
    (output, alive)
}

/// One result for each call, in call order, as the model gets them.
fn one_result_for_each_call(messages: &History) {
    let mut open: Vec<Arc<str>> = Vec::new();
    for message in messages {
        match message {
            Message::Assistant { tool_calls, .. } => {
                assert!(open.is_empty(), "calls without results: {open:?}");
                open = tool_calls.iter().map(|call| Arc::clone(&call.id)).collect();
            }
            Message::Tool { results, .. } => {
                let answered: Vec<_> = results.iter().map(|result| Arc::clone(&result.call_id)).collect();
                assert_eq!(answered, open);
                open.clear();
            }
            Message::User { .. } => {}
        }
    }
    assert!(open.is_empty(), "calls without results: {open:?}");
}

#[tokio::test]
async fn t11_a_panicking_tool_is_an_error_result() {
    let (output, _) =
        play(&[("panics", json!({})), ("panics_later", json!({})), ("works", json!({"x": 1}))]).await;
    for (call, words) in output.tool_calls.iter().zip(["a tool's own words", "later"]) {
        assert_eq!(call.outcome, Some(CallOutcome::Error(ErrorKind::Panic)));
        assert!(call.to_text().contains(words), "{}", call.to_text());
    }
    assert_eq!(output.tool_calls[2].to_text(), "1");
    assert_eq!(output.text, "done");
}

#[tool_hook]
async fn panicking(args: &mut Args, next: impl Next) -> ToolResult {
    let _ = next.run(args).await;
    panic!("a hook's own words")
}

agent! {
    BadHook { instruction: "Fail.", function_tools: [works], tool_hooks: [panicking] }
}

#[tokio::test]
async fn h6_a_panicking_hook_aborts_the_run() {
    let error = BadHook::builder().model(turns(&[("works", json!({"x": 1}))])).run("go").await.unwrap_err();
    assert!(
        matches!(&error, RunError::Aborted(abort) if abort.reason().contains("a hook's own words")),
        "{error}"
    );
}

#[tokio::test]
async fn t11_wrong_arguments_are_reported_all_at_once() {
    let (output, _) = play(&[("works", json!({"y": 1, "x": "one"}))]).await;
    let text = output.tool_calls[0].to_text().into_owned();
    assert!(text.contains("`y`: unknown argument") && text.contains("`x`: expected an integer"), "{text}");
    assert_eq!(output.tool_calls[0].outcome, Some(CallOutcome::Error(ErrorKind::Arguments)));
}

#[tokio::test]
async fn t11_broken_json_is_repaired_from_the_list_or_refused() {
    for (raw, fine) in [
        ("```json\n{\"x\": 2}\n```", true),
        ("{\"x\": 2,}", true),
        ("\"{\\\"x\\\": 2}\"", true),
        ("{\"x\": 2", false),
        ("x = 2", false),
        ("[2]", false),
        ("{\"x\": 1, \"x\": 2}", false),
    ] {
        let (output, _) = play(&[("works", json!(raw))]).await;
        let call = &output.tool_calls[0];
        assert_eq!(call.outcome == Some(CallOutcome::Ok), fine, "{raw}: {}", call.to_text());
    }
}

#[tokio::test]
async fn a7_an_unknown_tool_is_an_error_with_near_names() {
    let model =
        ScriptedModel::turns([ScriptedTurn::call_unknown("work", json!({})), ScriptedTurn::say("done")]);
    let output = Failing::builder().state(Alive::default()).model(model).run("go").await.unwrap();
    let text = output.tool_calls[0].to_text().into_owned();
    assert!(text.contains("Unknown tool name: 'work'") && text.contains("Did you mean 'works'?"), "{text}");
}

#[tokio::test]
async fn t4_a_hanging_tool_with_a_timeout_is_cancelled() {
    let (output, alive) = play(&[("hangs_a_while", json!({})), ("works", json!({"x": 1}))]).await;
    assert_eq!(output.tool_calls[0].outcome, Some(CallOutcome::Error(ErrorKind::Timeout)));
    assert_eq!(alive.count(), 0, "nothing is left running");
}

#[tokio::test]
async fn a7_a_time_limit_ends_a_hanging_run_and_every_call_has_a_result() {
    let alive = Alive::default();
    let mut limits = Limits::default();
    limits.time = Some(Duration::from_millis(50));
    let model = turns(&[("hangs", json!({})), ("works", json!({"x": 1}))]);
    let handle = Failing::builder().state(alive.clone()).limits(limits).model(model).build().await.unwrap();
    let session = handle.session();
    let error = handle.request("go").session(&session).run().await.unwrap_err();
    assert!(matches!(error, RunError::Limit { limit: Limit::Time(_), .. }), "{error}");
    assert_eq!(alive.count(), 0, "nothing is left running");
    one_result_for_each_call(&session.history());
}

#[tokio::test]
async fn a7_a_dropped_run_cancels_everything_below_it() {
    let alive = Alive::default();
    let handle =
        Failing::builder().state(alive.clone()).model(turns(&[("hangs", json!({}))])).build().await.unwrap();
    let mut stream = handle.stream("go");
    while let Some(event) = stream.next().await {
        if matches!(event.kind, EventKind::ToolStarted { .. }) {
            break;
        }
    }
    // The event comes before the tool's first poll; give the run that poll.
    let _ = tokio::time::timeout(Duration::from_millis(20), stream.next()).await;
    assert_eq!(alive.count(), 1, "the tool runs");
    drop(stream);
    assert_eq!(alive.count(), 0, "nothing is left running");
}

#[tokio::test]
async fn a7_a_cancelled_run_says_so() {
    let token = CancellationToken::new();
    let handle = Failing::builder()
        .state(Alive::default())
        .model(turns(&[("hangs", json!({}))]))
        .build()
        .await
        .unwrap();
    let run = handle.request("go").cancellation(token.clone()).run();
    let cancel = async {
        tokio::time::sleep(Duration::from_millis(20)).await;
        token.cancel();
    };
    let (result, ()) = tokio::join!(run, cancel);
    assert!(matches!(result, Err(RunError::Cancelled { .. })), "{result:?}");
}

#[tool_hook]
async fn swallows(args: &mut Args, next: impl Next) -> ToolResult {
    match next.run(args).await {
        Ok(output) => Ok(output),
        Err(_) => Ok("all is well".into()),
    }
}

agent! {
    Swallowing {
        instruction: "Fail.",
        state: Alive,
        function_tools: [aborts, hangs, fails],
        tool_hooks: [swallows, hooks::retry(3)],
    }
}

#[tokio::test]
async fn h6_an_abort_under_retry_and_fallback_hooks_stays_an_abort() {
    let alive = Alive::default();
    let model = turns(&[("hangs", json!({})), ("aborts", json!({}))]);
    let handle = Swallowing::builder().state(alive.clone()).model(model).build().await.unwrap();
    let session = handle.session();
    let error = handle.request("go").session(&session).run().await.unwrap_err();
    assert!(
        matches!(&error, RunError::Aborted(abort) if abort.reason() == "the house is on fire"),
        "{error}"
    );
    assert_eq!(alive.count(), 0, "the sibling call is cancelled");
    one_result_for_each_call(&session.history());
}

#[tokio::test(start_paused = true)]
async fn h9_retry_calls_again_and_gives_up() {
    let alive = Alive::default();
    let output = Swallowing::builder()
        .state(alive.clone())
        .model(turns(&[("fails", json!({}))]))
        .run("go")
        .await
        .unwrap();
    assert_eq!(alive.count(), 3, "three attempts");
    assert_eq!(output.tool_calls[0].attempts, 3);
    assert_eq!(output.tool_calls[0].to_text(), "all is well");
}

/// Must not happen twice.
#[tool(effect = once)]
fn pays(calls: State<Alive>) -> Result<String, String> {
    calls.0.fetch_add(1, Ordering::SeqCst);
    Err("the bank is closed".to_owned())
}

agent! {
    Paying { instruction: "Pay.", state: Alive, function_tools: [pays], tool_hooks: [hooks::retry(3)] }
}

#[tokio::test]
async fn h9_retry_never_repeats_once() {
    let calls = Alive::default();
    Paying::builder().state(calls.clone()).model(turns(&[("pays", json!({}))])).run("go").await.unwrap();
    assert_eq!(calls.count(), 1);
}

#[tokio::test]
async fn h6_a_stop_ends_the_run_with_its_result() {
    let (output, _) = play(&[("stops", json!({})), ("works", json!({"x": 1}))]).await;
    assert_eq!(output.text, "that is all");
    assert_eq!(output.turns, 1);
    assert_eq!(output.tool_calls[1].outcome, Some(CallOutcome::Ok), "siblings finish");
}

#[tokio::test]
async fn a7_turn_and_call_limits_hold() {
    let mut limits = Limits::default();
    limits.turns = 1;
    let run = |limits| async {
        let model = turns(&[("works", json!({"x": 1})), ("works", json!({"x": 2}))]);
        Failing::builder().state(Alive::default()).limits(limits).model(model).run("go").await
    };
    assert!(matches!(run(limits).await, Err(RunError::Limit { limit: Limit::Turns(1), .. })));
    let mut limits = Limits::default();
    limits.tool_calls = Some(1);
    let output = run(limits).await.unwrap();
    assert_eq!(output.tool_calls[0].outcome, Some(CallOutcome::Ok));
    assert_eq!(output.tool_calls[1].outcome, Some(CallOutcome::Error(ErrorKind::Limit)));
}

#[tokio::test(start_paused = true)]
async fn o3_transient_model_errors_are_asked_again_and_others_not() {
    struct Flaky(AtomicU32, u16);
    impl onionskin::model::Model for Flaky {
        async fn respond(
            &self,
            _: &onionskin::model::ModelRequest,
            _: &mut (dyn FnMut(onionskin::model::ModelDelta) + Send),
        ) -> Result<onionskin::model::ModelResponse, onionskin::model::ModelError> {
            if self.0.fetch_add(1, Ordering::SeqCst) < 2 {
                return Err(onionskin::model::ModelError::status(self.1, "busy", None));
            }
            Ok(onionskin::model::ModelResponse::text("at last"))
        }
    }
    let run =
        |status| Failing::builder().state(Alive::default()).model(Flaky(AtomicU32::new(0), status)).run("go");
    assert_eq!(run(429).await.unwrap().text, "at last");
    assert!(matches!(run(401).await, Err(RunError::Model { .. })));
}

#[tokio::test]
async fn a5_an_abort_in_a_child_aborts_its_parent() {
    agent! {
        Child { name: "child", description: "Aborts.", instruction: "Abort.", function_tools: [aborts] }
        Parent { name: "parent", instruction: "Ask.", agents: [Child] }
    }
    let model = ScriptedModel::new()
        .agent(
            "parent",
            [ScriptedTurn::call("agent__child", json!({"input": "go"})), ScriptedTurn::say("fine")],
        )
        .agent("child", [ScriptedTurn::call("aborts", json!({})), ScriptedTurn::say("fine")]);
    let error = Parent::builder().model(model).run("go").await.unwrap_err();
    assert!(matches!(error, RunError::Aborted(_)), "{error}");
}

#[tokio::test]
async fn a5_a_child_that_takes_too_long_is_cancelled_and_reported() {
    agent! {
        Slow { name: "slow", description: "Hangs.", instruction: "Hang.", state: Alive, function_tools: [hangs] }
        Impatient { name: "impatient", instruction: "Ask.", state: Alive, agents: [Slow], child_timeout_sec: 0.05 }
    }
    let alive = Alive::default();
    let model = ScriptedModel::new()
        .agent(
            "impatient",
            [ScriptedTurn::call("agent__slow", json!({"input": "go"})), ScriptedTurn::say("fine")],
        )
        .agent("slow", [ScriptedTurn::call("hangs", json!({}))]);
    let output = Impatient::builder().state(alive.clone()).model(model).run("go").await.unwrap();
    assert_eq!(output.tool_calls[0].outcome, Some(CallOutcome::Error(ErrorKind::Timeout)));
    assert_eq!(alive.count(), 0, "nothing is left running");
}

#[tokio::test]
async fn t7_a_calls_token_is_cancelled_when_the_call_is_over() {
    static KEPT: std::sync::OnceLock<CancellationToken> = std::sync::OnceLock::new();

    /// Keeps its token.
    #[tool]
    fn keeps(token: CancellationToken) -> bool {
        KEPT.set(token).is_ok()
    }

    agent! { Keeping { instruction: "Keep.", function_tools: [keeps] } }

    Keeping::builder().model(turns(&[("keeps", json!({}))])).run("go").await.unwrap();
    assert!(KEPT.get().unwrap().is_cancelled());
}

#[tokio::test]
async fn a7_a_hand_written_agent_that_panics_fails_its_run() {
    async fn panics(_: &onionskin::run::AgentRun, _: String) -> Result<String, RunError> {
        panic!("an agent's own words")
    }
    agent! { Panics { instruction: "Panic.", run: panics } }
    let error = Panics::builder().model(ScriptedModel::new()).run("go").await.unwrap_err();
    assert!(error.to_string().contains("an agent's own words"), "{error}");
}
