//! The hook `timeout`.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use onionskin::hooks::{retry, timeout};
use onionskin::{
    BuildError, ErrorKind, RunError, ScriptedModel, ScriptedTurn, ToolContext, ToolOutput, agent, tool,
};
use serde_json::json;
use tokio::time::Instant;

use crate::inner::{Tool, done, error_of, failed};

const SECOND: Duration = Duration::from_secs(1);

/// Sleeps for ten seconds.
#[tool(effect = once)]
async fn pay() {
    tokio::time::sleep(10 * SECOND).await;
}

static LOOKS: AtomicU32 = AtomicU32::new(0);

/// Fails.
#[tool(effect = pure)]
fn look() -> Result<String, String> {
    LOOKS.fetch_add(1, Ordering::Relaxed);
    Err("busy".to_owned())
}

agent! {
    Clerk {
        instruction: "Pay.",
        function_tools: [pay, look],
        tool_hooks: [timeout(Duration::from_secs(2)) for [pay], timeout(Duration::from_millis(120)), retry(100) for [look]],
    }
}

agent! {
    NeverCalls { instruction: "Pay.", function_tools: [pay], tool_hooks: [timeout(Duration::ZERO)] }
}

async fn run(tool: &str) -> Result<onionskin::RunOutput, RunError> {
    let model = ScriptedModel::turns([ScriptedTurn::call(tool, json!({})), ScriptedTurn::say("{last}")]);
    Clerk::builder().model(model).run("Go.").await
}

#[tokio::test(start_paused = true)]
async fn h9_a_slow_call_ends_in_time_and_says_whether_it_may_have_taken_effect() {
    let start = Instant::now();
    let output = run("pay").await.unwrap();
    assert_eq!(
        output.text,
        "`pay` took longer than 120ms; it was cancelled; whether it took effect is not known"
    );
    assert!(start.elapsed() < SECOND);
}

#[tokio::test(start_paused = true)]
async fn h9_a_timeout_outside_of_a_retry_limits_all_attempts_and_their_pauses() {
    let output = run("look").await.unwrap();
    assert_eq!(output.text, "`look` took longer than 120ms; it was cancelled");
    assert!((1..=2).contains(&LOOKS.load(Ordering::Relaxed)));
}

#[tokio::test(start_paused = true)]
async fn h9_results_and_errors_that_come_in_time_pass_a_timeout_unchanged() {
    let (hook, cx) = (timeout::new(SECOND), ToolContext::detached("look"));
    let (quick, broken) = (Tool::new(SECOND / 2, done), Tool::new(SECOND / 2, failed));
    assert_eq!(quick.call(&hook, &cx).await.unwrap().to_text(), "done");
    assert_eq!(error_of(broken.call(&hook, &cx).await), (ErrorKind::Failed, "broken".to_owned()));
    let slow = Tool::new(2 * SECOND, || Ok(ToolOutput::empty()));
    let late = (ErrorKind::Timeout, "`look` took longer than 1s; it was cancelled".to_owned());
    assert_eq!(error_of(slow.call(&hook, &cx).await), late);
    assert_eq!(slow.counts(), (1, 0));
}

#[tokio::test(start_paused = true)]
async fn h9_a_timeout_of_zero_does_not_build() {
    let error = NeverCalls::builder().model(ScriptedModel::turns([])).build().await.unwrap_err();
    let BuildError::Panicked { reason, .. } = &error else { panic!("{error}") };
    assert!(reason.contains("a `timeout` of zero fails every call"), "{reason}");
}
