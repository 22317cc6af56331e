//! S2: the tools of real servers as values: bound, changed, guarded, and called through hooks.

use onionskin::definition::ToolSource;
use onionskin::mcp::McpServer;
use onionskin::spec::Transform;
use onionskin::{
    Args, ErrorKind, Exit, Next, ToolContext, ToolError, ToolOutput, ToolResult, ToolSpec, call, guardrail,
    tool_hook,
};
use onionskin_judges::{folder, npm, python};
use serde_json::json;

/// Writes into the result what a hook sees of a call.
#[tool_hook]
async fn audit(cx: &ToolContext, args: &mut Args, next: impl Next) -> ToolResult {
    let seen = format!("{} {} {}", cx.tool_name(), cx.source(), args.text());
    let mut output = next.run(args).await?;
    output.push_text(format!(" [{seen}]"));
    Ok(output)
}

#[guardrail(input)]
fn nothing_of_the_system(args: &Args) -> Result<(), &'static str> {
    if args.text().contains("/etc/") { Err("that is the system's") } else { Ok(()) }
}

#[guardrail(output)]
fn checked(output: &mut ToolOutput) {
    output.push_text(" [checked]");
}

async fn start(server: onionskin::mcp::ServerConfig) -> McpServer {
    McpServer::start("it", server).await.unwrap()
}

fn kind(result: &Result<impl std::fmt::Debug, Exit>) -> Option<ErrorKind> {
    result.as_ref().unwrap_err().as_tool_error().map(ToolError::kind)
}

fn all_are_values(server: &McpServer, least: usize) {
    let tools = server.tools();
    assert!(tools.len() >= least, "{} tools", tools.len());
    for tool in tools {
        assert_eq!((tool.source(), tool.server_name()), (ToolSource::Mcp, Some("it")), "{}", tool.name());
        assert!(tool.to_prompt().starts_with(&format!("- `{}(", tool.name())), "{}", tool.to_prompt());
        assert!(tool.code().contains("async fn "), "{}", tool.code());
    }
}

#[tokio::test]
async fn s2_everything_is_bound_changed_guarded_and_called_through_hooks() {
    let server = start(npm("server-everything").arg("stdio")).await;
    all_are_values(&server, 10);
    let mut sum = server.tool("get-sum").unwrap().hook(audit::new());
    sum.add_output_guardrails(checked::new());
    sum.transform(Transform::new().name("add").rename("a", "first")).unwrap();
    sum.bind("b", "limits.most", json!(40)).unwrap();
    let text = sum.exec(json!({ "first": 2 })).await.output().unwrap().to_text().into_owned();
    assert!(text.contains("42") && text.ends_with(r#" [checked] [add mcp {"first":2}]"#), "{text}");
    sum.state().set("limits.most", 50);
    let text = sum.exec(json!({ "first": 2 })).await.output().unwrap().to_text().into_owned();
    assert!(text.contains("52"), "{text}");
    let wrong = call!(sum, first = 2, b = 1).await;
    assert_eq!(kind(&wrong), Some(ErrorKind::Arguments), "{wrong:?}");

    // The main value is the structured one; it fits the server's own schema, or the call would fail.
    let weather = server.tool("get-structured-content").unwrap();
    assert!(weather.output_schema().is_some());
    let value = call!(weather, location = "Chicago").await.unwrap();
    assert!(value["temperature"].is_number(), "{value}");
    server.shutdown().await;
}

#[tokio::test]
async fn s2_a_guardrail_keeps_a_call_from_the_filesystem_server() {
    let files = folder(env!("CARGO_TARGET_TMPDIR"), "values-filesystem");
    let hello = files.join("hello.txt");
    std::fs::write(&hello, "hello from a file\n").unwrap();
    let server = start(npm("server-filesystem").arg(files.to_string_lossy())).await;
    all_are_values(&server, 10);
    let mut read = server.tool("read_text_file").unwrap().hook(audit::new());
    read.add_input_guardrails(nothing_of_the_system::new());
    let text = read.exec(json!({ "path": hello })).await.output().unwrap().to_text().into_owned();
    assert!(text.starts_with("hello from a file\n"), "{text}");
    // The guardrail's words and not the server's, which would be of kind `Remote`.
    let refused = read.call(json!({ "path": "/etc/passwd" })).await;
    assert_eq!(kind(&refused), Some(ErrorKind::Denied));
    assert_eq!(refused.unwrap_err().to_string(), "that is the system's");
    server.shutdown().await;
}

#[tokio::test]
async fn s2_memory_keeps_what_a_value_writes() {
    let files = folder(env!("CARGO_TARGET_TMPDIR"), "values-memory");
    let file = files.join("memory.jsonl");
    let server = start(npm("server-memory").env("MEMORY_FILE_PATH", file.to_string_lossy())).await;
    all_are_values(&server, 5);
    let entity = json!({ "name": "onion", "entityType": "vegetable", "observations": ["has layers"] });
    let create = server.tool("create_entities").unwrap();
    create.call(json!({ "entities": [entity] })).await.unwrap();
    let graph = server.tool("read_graph").unwrap().hook(audit::new());
    let execution = graph.exec("{}").await;
    assert_eq!(execution.structured_content().unwrap()["entities"][0]["name"], "onion");
    server.shutdown().await;
}

#[tokio::test]
async fn s2_git_has_its_repository_bound() {
    let repository = folder(env!("CARGO_TARGET_TMPDIR"), "values-git");
    onionskin_judges::repository(&repository, "Lay the first layer");
    let path = repository.to_string_lossy().into_owned();
    let server = start(python("mcp-server-git").args(["--repository", &path])).await;
    all_are_values(&server, 8);
    let mut log = server.tool("git_log").unwrap();
    log.bind("repo_path", None, json!(path)).unwrap();
    assert!(!log.to_prompt().contains("repo_path"), "{}", log.to_prompt());
    let text = log.exec(json!({ "max_count": 1 })).await.output().unwrap().to_text().into_owned();
    assert!(text.contains("Lay the first layer"), "{text}");
    server.shutdown().await;
}

#[tokio::test]
async fn s2_time_is_answered_for_where_the_server_refuses() {
    let server = start(python("mcp-server-time").args(["--local-timezone", "UTC"])).await;
    all_are_values(&server, 2);
    let mut now: ToolSpec = server.tool("get_current_time").unwrap();
    let wrong = call!(now, timezone = "Mars/Base").await;
    assert_eq!(kind(&wrong), Some(ErrorKind::Remote), "{wrong:?}");
    now.add_on_error_func(|error, cx| async move {
        Ok(ToolOutput::text(format!("{} does not know: {:?}", cx.tool_name(), error.kind())))
    });
    let answer = now.exec(json!({ "timezone": "Mars/Base" })).await.output().unwrap().to_text().into_owned();
    assert!(answer.starts_with("it__get_current_time does not know: "), "{answer}");
    let right = call!(now, timezone = "Asia/Tokyo").await.unwrap();
    assert!(right["datetime"].as_str().unwrap().ends_with("+09:00"), "{right}");
    server.shutdown().await;
}
