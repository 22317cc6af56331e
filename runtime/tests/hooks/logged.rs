//! H9: the ready hooks that only look.

use onionskin::hooks::Elapsed;
use onionskin::run::ToolCaller;
use onionskin::{Args, agent, hooks, tool};

use crate::lines::Lines;

/// Adds one.
#[tool]
async fn add_one(x: i64) -> i64 {
    x + 1
}

/// Fails.
#[tool]
async fn fail() -> Result<i64, String> {
    Err("the sky is grey".to_owned())
}

agent! {
    Watched { name: "watched", instruction: "Add.", function_tools: [add_one, fail], tool_hooks: [hooks::log, hooks::timing] }
}

#[test]
fn h9_log_and_timing_write_how_calls_ended_and_not_what_was_in_them() {
    let lines = Lines::default();
    tracing::subscriber::with_default(lines.clone(), || {
        tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
            let tools = ToolCaller::<Watched>::new();
            let cx = tools.context("add_one").unwrap();
            let output = tools.call(&cx, &mut Args::from(r#"{"x": 4100000041}"#)).await.unwrap();
            assert!(output.meta::<Elapsed>().is_some(), "the time is with the result");
            assert_eq!(output.to_text(), "4100000042", "the model does not see it");
            let cx = tools.context("fail").unwrap();
            tools.call(&cx, &mut Args::default()).await.unwrap_err();
        });
    });
    let text = lines.0.lock().unwrap().join("\n");
    let line = |words: &[&str]| text.lines().any(|line| words.iter().all(|word| line.contains(word)));
    assert!(line(&["DEBUG", "tool call succeeded", "tool=\"add_one\"", "attempts=1"]), "{text}");
    assert!(line(&["WARN", "tool call failed", "tool=\"fail\"", "kind=Failed"]), "{text}");
    assert!(line(&["DEBUG", "tool call timed", "tool=\"add_one\"", "elapsed="]), "{text}");
    assert!(line(&["DEBUG", "tool call timed", "tool=\"fail\""]), "{text}");
    // A time that a call took cannot have so many digits.
    assert!(!text.contains("41000000") && !text.contains("sky"), "{text}");
}
