//! S2: the tools of a live server as values.

use std::time::{Duration, Instant};

use onionskin::definition::ToolSource;
use onionskin::mcp::McpToolSpec as _;
use onionskin::mcp::{McpError, McpServer};
use onionskin::spec::Transform;
use onionskin::{Args, ErrorKind, Next, ToolContext, ToolResult, ToolSpec, call, tool_hook};
use serde_json::json;

use super::fixture::{Log, runs, server, wait_until};
use super::support::started;

async fn start(mode: &str, log: &Log) -> McpServer {
    McpServer::start("fix", server(mode, log)).await.unwrap()
}

async fn tool(mode: &str, name: &str, log: &Log) -> ToolSpec {
    start(mode, log).await.tool(name).unwrap()
}

fn kind(result: Result<impl std::fmt::Debug, onionskin::Exit>) -> Option<ErrorKind> {
    result.unwrap_err().as_tool_error().map(onionskin::ToolError::kind)
}

/// Writes into the result what a hook sees of a call.
#[tool_hook]
async fn audit(cx: &ToolContext, args: &mut Args, next: impl Next) -> ToolResult {
    let seen = format!("{} {:?} {} {}", cx.tool_name(), cx.server_name(), cx.source(), args.text());
    let mut output = next.run(args).await?;
    output.push_text(format!(" [{seen}]"));
    Ok(output)
}

#[tokio::test]
async fn s2_a_live_tool_is_bound_changed_and_called_through_hooks() {
    let log = Log::new("spec-live");
    let server = start("plain", &log).await;
    assert_eq!(server.tools()[0].name(), "fix__get_echo");
    assert!(server.tool("nope").is_none());
    let mut spec = server.tool("get_echo").unwrap().hook(audit::new());
    assert_eq!((spec.source(), spec.server_name()), (ToolSource::Mcp, Some("fix")));
    assert_eq!(
        call!(spec, text = "ho", times = "2").await.unwrap(),
        "ho ho",
        "the main value of one property"
    );
    spec.transform(Transform::new().name("shout").rename("text", "words")).unwrap();
    spec.bind("times", None, json!(3)).unwrap();
    let execution = spec.exec(json!({"words": "ho"})).await;
    let output = execution.output().unwrap();
    assert_eq!(output.to_text(), "ho ho ho [shout Some(\"fix\") mcp {\"words\":\"ho\"}]");
    assert_eq!(output.remote_meta(), Some(&json!({"cost": 1})));
    let wrong = spec.call(json!({"words": 1, "times": 2})).await.unwrap_err().to_string();
    assert!(wrong.contains("`words`: expected a string") && wrong.contains("`times`: unknown"), "{wrong}");
    assert_eq!(log.count("pid"), 1);
    assert!(spec.code().starts_with("/// Says it again.\n"), "{}", spec.code());
    server.shutdown().await;
    assert_eq!(kind(call!(spec, words = "a").await), Some(ErrorKind::Remote));
}

#[tokio::test]
async fn s2_a_description_from_elsewhere_calls_the_live_server() {
    let server = start("plain", &Log::new("spec-import")).await;
    let mine = json!({
        "name": "get_echo",
        "description": "Mine.",
        "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}},
    });
    let spec = server.import(mine).unwrap();
    assert_eq!((spec.name(), spec.description()), ("fix__get_echo", "Mine."));
    assert_eq!(call!(spec, text = "a").await.unwrap(), json!({"echoed": "a"})["echoed"]);
}

#[tokio::test]
async fn s2_a_result_that_does_not_fit_the_output_schema_is_an_error() {
    let log = Log::new("spec-lies");
    let server = start("lies", &log).await;
    let text = call!(server.tool("says_otherwise").unwrap()).await.unwrap_err().to_string();
    assert!(text.contains("`fix`") && text.contains("`sum`: expected an integer"), "{text}");
    let text = call!(server.tool("says_nothing").unwrap()).await.unwrap_err().to_string();
    assert!(text.contains("no structured content") && text.contains("`says_nothing`"), "{text}");
}

#[tokio::test]
async fn s2_a_dropped_call_is_cancelled_on_the_server_which_runs_on() {
    let log = Log::new("spec-cancelled");
    let server = start("plain", &log).await;
    let hang = server.tool("hang").unwrap();
    let call = tokio::spawn(async move { call!(hang).await });
    log.wait_for("hang").await;
    call.abort();
    log.wait_for("cancelled").await;
    assert_eq!(call!(server.tool("get_echo").unwrap(), text = "here").await.unwrap(), "here");
}

#[test]
fn s5_blocking_calls_of_a_live_server_work_anywhere() {
    let log = Log::new("spec-blocking");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let begun = Instant::now();
    let spec = runtime.block_on(async {
        let spec = tool("plain", "get_echo", &log).await;
        // The runtime that started it is blocked meanwhile.
        assert_eq!(spec.call_blocking(json!({"text": "inside"})).unwrap(), "inside");
        spec
    });
    drop(runtime);
    assert_eq!(spec.call_blocking(json!({"text": "outside"})).unwrap(), "outside");
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    runtime.block_on(async { assert_eq!(spec.call_blocking(json!({"text": "multi"})).unwrap(), "multi") });
    assert!(begun.elapsed() < Duration::from_secs(20));
}

#[test]
fn s2_a_server_that_dies_in_a_blocking_call_is_started_again_for_good() {
    let log = Log::new("spec-crash");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let server = runtime.block_on(start("plain", &log));
    let crash = server.tool("crash").unwrap();
    assert_eq!(kind(crash.call_blocking("{}")), Some(ErrorKind::Remote));
    let echo = server.tool("get_echo").unwrap();
    for text in ["one", "two"] {
        assert_eq!(echo.call_blocking(json!({ "text": text })).unwrap(), text);
    }
    assert_eq!(log.pids().len(), 2, "started again once, not at every call");
}

#[tokio::test]
async fn s2_dropping_the_last_value_ends_the_server() {
    let log = Log::new("spec-drop");
    let spec = tool("plain", "get_echo", &log).await;
    let clone = spec.clone();
    let pid = log.pids()[0];
    drop(spec);
    assert_eq!(call!(clone, text = "still").await.unwrap(), "still");
    assert!(runs(pid));
    drop(clone);
    wait_until("its end", || !runs(pid)).await;
}

#[tokio::test]
async fn s2_a_server_that_does_not_start_says_why() {
    let error = McpServer::start("fix", server("exits", &Log::new("spec-exits"))).await.unwrap_err();
    assert!(matches!(error, McpError::Start(_)));
    assert!(error.to_string().contains("cannot find the database"), "{error}");
}

#[tokio::test]
async fn a4_a_tool_whose_schema_has_no_end_is_left_out_by_name() {
    let (agent, log) = started("hostile", "spec-hostile").await;
    assert!(
        !agent.tool_names().unwrap().contains(&"fix__loops".to_owned()),
        "{:?}",
        agent.tool_names().unwrap()
    );
    agent.shutdown().await;
    let server = start("hostile", &log).await;
    assert!(server.tool("loops").is_none() && server.tool("shows").is_some());
    let description = json!({"name": "loops", "inputSchema": {"type": "object", "allOf": [{"$ref": "#"}]}});
    let error = server.import(description.clone()).unwrap_err().to_string();
    assert!(
        error.contains("of `loops`, values cannot be checked against its input schema: it refers to itself"),
        "{error}"
    );
    assert_eq!(ToolSpec::from_mcp(description).unwrap_err().to_string(), error);
}

#[tokio::test]
async fn t8_a_definition_does_not_show_a_secret_of_its_server() {
    let shown = tool("hostile", "shows", &Log::new("spec-shows")).await;
    let definition = format!("{:?}", shown.definition());
    assert!(!definition.contains("hunter2"), "{definition}");
    assert_eq!(shown.definition().title.as_deref(), Some("With [$SECRET]"));
    assert_eq!(shown.definition().input_schema["properties"]["a"]["default"], "[$SECRET]");
}
