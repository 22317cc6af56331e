//! Calls: what goes to the server and what comes back.

use std::sync::Arc;
use std::time::{Duration, Instant};

use onionskin::definition::ToolSource;
use onionskin::event::EventKind;
use onionskin::{
    Args, ErrorKind, Next, ScriptedModel, ScriptedTurn, ToolContext, ToolResult, agent, hooks, tool_hook,
};
use serde_json::json;

use super::fixture::{Log, server};
use super::support::{All, Getter, build, call, started};

#[tokio::test]
async fn a4_a_call_gives_text_structure_and_meta() {
    let agent = build::<All>(server("plain", &Log::new("call"))).await.unwrap();
    let outcome = call(&agent, "fix__get_echo", json!({"text": "ho", "times": 3})).await;
    assert_eq!(outcome.text, "ho ho ho", "{outcome:?}");
    assert_eq!(outcome.all["structured"], json!({"echoed": "ho ho ho"}));
    assert_eq!(outcome.all["meta"], json!({"cost": 1}));
    let blocks = call(&agent, "fix__blocks", json!({})).await;
    assert_eq!(blocks.all["content"][1], json!({"type": "image", "data": "aGk=", "mimeType": "image/png"}));
    agent.shutdown().await;
}

#[tokio::test]
async fn a4_an_error_of_the_tool_is_a_remote_tool_error() {
    let agent = build::<All>(server("plain", &Log::new("fail"))).await.unwrap();
    let outcome = call(&agent, "fix__fail", json!({})).await;
    assert_eq!((outcome.kind, &*outcome.text), (Some(ErrorKind::Remote), "no such city"));
    let outcome = call(&agent, "fix__refuse", json!({})).await;
    assert_eq!(outcome.kind, Some(ErrorKind::Remote));
    assert_eq!(outcome.text, "the MCP server `fix` refused the call: not today ({\"until\":\"noon\"})");
    agent.shutdown().await;
}

#[tokio::test]
async fn t11_every_wrong_argument_is_reported_at_once_and_the_server_is_not_asked() {
    let agent = build::<All>(server("plain", &Log::new("arguments"))).await.unwrap();
    let outcome = call(&agent, "fix__get_echo", json!({"txt": "a", "times": 0})).await;
    assert_eq!(outcome.kind, Some(ErrorKind::Arguments), "{outcome:?}");
    for part in ["did not run", "`text`: missing", "`txt`: unknown", "did you mean `text`", "at least 1"] {
        assert!(outcome.text.contains(part), "{part}: {}", outcome.text);
    }
    let repaired = call(&agent, "fix__get_echo", json!({"text": "a", "times": "2"})).await;
    assert_eq!(repaired.text, "a a");
    // A longer number would be rounded on its way.
    let output = agent.run(r#"fix__get_echo {"text": "a", "times": 12345678901234567890123}"#).await.unwrap();
    let outcome = super::support::Outcome::read(&output.text);
    assert_eq!(outcome.kind, Some(ErrorKind::Arguments), "{outcome:?}");
    assert!(outcome.text.contains("12345678901234567890123 has more digits"), "{outcome:?}");
    let output = agent.run("fix__get_echo [1, 2]").await.unwrap();
    let outcome = super::support::Outcome::read(&output.text);
    assert_eq!(outcome.kind, Some(ErrorKind::Arguments), "{outcome:?}");
    agent.shutdown().await;
}

#[tokio::test]
async fn a4_a_call_without_an_answer_ends_at_its_time_limit_and_is_cancelled() {
    let log = Log::new("hang");
    let agent = build::<All>(server("plain", &log).timeout(Duration::from_millis(500))).await.unwrap();
    let begun = Instant::now();
    let outcome = call(&agent, "fix__hang", json!({})).await;
    assert!(begun.elapsed() < Duration::from_secs(5));
    assert_eq!(outcome.kind, Some(ErrorKind::Timeout));
    assert!(outcome.text.contains("server `fix` did not answer within 500ms"), "{}", outcome.text);
    log.wait_for("cancelled").await;
    assert_eq!(call(&agent, "fix__get_echo", json!({"text": "still here"})).await.text, "still here");
    agent.shutdown().await;
}

agent! {
    Stubborn {
        instruction: "Try again.",
        servers: [fix],
        tool_hooks: [hooks::retry(2)],
    }
}

#[tokio::test]
async fn h9_a_call_is_repeated_only_where_the_server_says_that_it_may_be() {
    for (tool, times) in [
        ("hang", 1),
        ("hang_destructive", 1),
        ("hang_written", 1),
        ("hang_idempotent", 2),
        ("hang_read_only", 2),
    ] {
        let log = Log::new(&format!("effect-{tool}"));
        let config = server("hints", &log).timeout(Duration::from_millis(200));
        let call = ScriptedTurn::call(format!("fix__{tool}"), json!({}));
        let script = ScriptedModel::turns([call, ScriptedTurn::say("{last}")]);
        let agent = Stubborn::builder().model(script).server("fix", config).build().await.unwrap();
        let text = agent.run("Go.").await.unwrap().text;
        assert!(text.contains("did not answer within 200ms"), "{tool}: {text}");
        assert_eq!(log.lines().iter().filter(|line| *line == tool).count(), times, "{tool}");
        agent.shutdown().await;
    }
}

#[tokio::test]
async fn a4_a_call_that_is_dropped_is_cancelled_on_the_server() {
    let (agent, log) = started("plain", "dropped").await;
    let run = tokio::spawn({
        let agent = agent.clone();
        async move { agent.run("fix__hang {}").await.map(|output| output.text) }
    });
    log.wait_for("hang").await;
    assert_eq!(log.count("cancelled"), 0);
    run.abort();
    log.wait_for("cancelled").await;
    agent.shutdown().await;
}

#[tokio::test]
async fn a4_progress_is_an_event_and_starts_the_time_limit_anew() {
    // The call takes a second; the limit is less than that, and more than the time between two reports.
    let log = Log::new("progress");
    let agent = build::<All>(server("plain", &log).timeout(Duration::from_millis(700))).await.unwrap();
    let mut stream = agent.stream("fix__slow {}");
    let mut reports = Vec::new();
    while let Some(event) = stream.next().await {
        if let EventKind::Progress { done, total, message, .. } = event.kind {
            reports.push((done, total, message));
        }
    }
    let outcome = super::support::Outcome::read(&stream.output().await.unwrap().text);
    assert_eq!(outcome.text, "done", "{outcome:?}");
    assert_eq!(reports.len(), 4, "{reports:?}");
    assert_eq!(reports[3], (4.0, Some(4.0), Some("step 4".to_owned())));
    agent.shutdown().await;
}

/// Writes into the result what a hook sees of a call.
#[tool_hook]
async fn audit(cx: &ToolContext, args: &mut Args, next: impl Next) -> ToolResult {
    let seen = format!(" [{}, {:?}, {}]", cx.tool_name(), cx.server_name(), cx.source());
    let mut output = next.run(args).await?;
    output.push_text(seen);
    Ok(output)
}

agent! {
    Talker {
        instruction: "Talk.",
        servers: [fix],
        tools: { fix: ["get_*"] },
        tool_hooks: [audit],
    }
}

#[tokio::test]
async fn h4_hooks_and_the_model_see_the_tools_of_a_server() {
    let script = Arc::new(ScriptedModel::turns([
        ScriptedTurn::call("fix__get_echo", json!({"text": "hello"})),
        ScriptedTurn::say("It said: {last}"),
    ]));
    let agent = Talker::builder()
        .model(Arc::clone(&script))
        .server("fix", server("plain", &Log::new("hooks")))
        .build()
        .await
        .unwrap();
    let output = agent.run("Say hello.").await.unwrap();
    assert_eq!(output.text, "It said: hello [fix__get_echo, Some(\"fix\"), mcp]");
    assert_eq!(output.tool_calls[0].source, Some(ToolSource::Mcp));
    let tools = &script.requests()[0].tools;
    assert_eq!(&*tools[0].name, "fix__get_echo");
    assert_eq!(&*tools[0].description, "Says it again.");
    assert_eq!(tools[0].input_schema["required"], json!(["text"]));
    agent.shutdown().await;
}

#[tokio::test]
async fn a4_calls_of_one_server_run_side_by_side() {
    let agent = build::<All>(server("plain", &Log::new("parallel"))).await.unwrap();
    let begun = Instant::now();
    let calls = (0..5).map(|_| call(&agent, "fix__slow", json!({})));
    let outcomes = futures_util::future::join_all(calls).await;
    assert!(outcomes.iter().all(|outcome| outcome.text == "done"), "{outcomes:?}");
    assert!(begun.elapsed() < Duration::from_secs(3), "{:?}", begun.elapsed());
    agent.shutdown().await;
}

#[tokio::test]
async fn a4_tools_outside_the_filter_cannot_be_called() {
    let agent = build::<Getter>(server("plain", &Log::new("outside"))).await.unwrap();
    let outcome = call(&agent, "fix__pid", json!({})).await;
    assert_eq!(outcome.kind, Some(ErrorKind::UnknownTool));
    agent.shutdown().await;
}
