//! No log line contains secrets of servers, at any level. In a program of its own: what is logged goes to
//! one place for the whole process.
#![allow(clippy::unwrap_used, reason = "tests may panic, in their helpers too")]

#[path = "shared/logged.rs"]
mod logged;

use logged::Logged;
use onionskin::mcp::{McpConfig, McpServer, ServerConfig};
use onionskin::run::AgentRun;
use onionskin::{
    BuildError, RunError, RunOutput, ScriptedModel, Secret, ToolContext, agent, hooks, tool_hook,
};
use serde_json::json;

/// Calls what its input names, one after the other.
async fn call_each(run: &AgentRun, input: String) -> Result<String, RunError> {
    let mut all = String::new();
    for tool in input.split(' ') {
        match run.call_tool(&format!("fix__{tool}"), json!({}).to_string()).await {
            Ok(output) => all.push_str(&output.to_text()),
            Err(exit) => all.push_str(&exit.to_string()),
        }
    }
    Ok(all)
}

agent! { Caller { name: "caller", instruction: "Call.", servers: [fix], run: call_each } }

async fn run(server: serde_json::Value) -> Result<RunOutput, BuildError> {
    let file = json!({ "mcpServers": { "fix": server } }).to_string();
    let config = McpConfig::from_json(&file, ".mcp.json").unwrap();
    let caller = Caller::builder()
        .model(ScriptedModel::new())
        .servers(config)
        .hook(hooks::log::new())
        .hook(hooks::timing::new())
        .build()
        .await?;
    let output = caller.run("pid slow fail refuse crash pid").await.unwrap();
    caller.shutdown().await;
    Ok(output)
}

const SECRET: &str = "hunter2-hunter2";
const BEARER: &str = "Bearer-0123456789";
const OF_A_CALL: &str = "of-a-call-0123456789";
/// A variable of this process, whose value a server is given.
const VARIABLE: &str = "CARGO_PKG_DESCRIPTION";

#[tool_hook]
fn conceals(cx: &ToolContext) {
    cx.conceal(&Secret::new(OF_A_CALL.to_owned()));
}

#[tokio::test]
async fn a4_secrets_of_servers_are_in_no_log_line_at_any_level() {
    let logged = Logged::default();
    let writer = logged.clone();
    tracing_subscriber::fmt()
        .with_max_level(tracing_subscriber::filter::LevelFilter::TRACE)
        .with_span_events(tracing_subscriber::fmt::format::FmtSpan::FULL)
        .with_ansi(false)
        .with_writer(move || writer.clone())
        .init();
    let expanded = std::env::var(VARIABLE).unwrap();
    let fixture = |mode: &str| {
        json!({
            "command": env!("CARGO_BIN_EXE_fixture"),
            "args": [mode, format!("${{{VARIABLE}}}")],
            "env": { "SECRET": SECRET, "OTHER": format!("${{{VARIABLE}}}") },
        })
    };

    // It works, fails, refuses, dies, is started again and ends.
    let output = run(fixture("plain")).await.unwrap();
    let exits = run(fixture("exits")).await.unwrap_err();
    let by_url = json!({ "url": "http://127.0.0.1:1/mcp", "headers": { "Authorization": BEARER } });
    let by_url = run(by_url).await.unwrap_err();

    // What a caller knows as a secret, and the server writes to its standard error.
    let server = ServerConfig::stdio(env!("CARGO_BIN_EXE_fixture")).arg("hostile");
    let server = McpServer::start("fix", server).await.unwrap();
    let echo = server.tool("get_echo").unwrap().hook(conceals::new());
    echo.call(json!({ "text": OF_A_CALL })).await.unwrap();
    for _ in 0..500 {
        if logged.text().contains("stderr: handling") {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }

    let logged = logged.text();
    // Enough is logged to find something in.
    for part in [
        "INFO serve_inner: rmcp",
        "stderr: the secret is [$SECRET]",
        "stderr: handling {\"text\":\"[secret]\"}",
        "tool call failed",
        "fix__crash",
    ] {
        assert!(logged.contains(part), "`{part}` in {logged}");
    }
    let told = format!("{logged}\n{output:?}\n{exits} {exits:?}\n{by_url} {by_url:?}");
    for secret in [SECRET, BEARER, OF_A_CALL, &expanded] {
        let line = told.lines().find(|line| line.contains(secret));
        assert_eq!(line, None, "`{secret}`");
    }
}
