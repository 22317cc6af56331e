//! No log line contains secrets of servers, at any level. In a program of its own: what is logged goes to
//! one place for the whole process.
#![allow(clippy::unwrap_used, reason = "tests may panic, in their helpers too")]

use std::io;
use std::sync::{Arc, Mutex};

use onionskin::declaration::AgentDeclaration;
use onionskin::mcp::{McpConfig, McpServer, ServerConfig};
use onionskin::run::AgentRun;
use onionskin::{
    Agent, BuildError, RunError, RunOutput, ScriptedModel, Secret, ToolContext, hooks, tool_hook,
};
use serde_json::json;
use tracing_subscriber::fmt::MakeWriter;

/// Everything that was logged.
#[derive(Clone, Default)]
struct Captured(Arc<Mutex<Vec<u8>>>);

impl io::Write for Captured {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl MakeWriter<'_> for Captured {
    type Writer = Self;

    fn make_writer(&self) -> Self {
        self.clone()
    }
}

/// Calls what its input names, one after the other.
struct Caller;

impl Agent for Caller {
    const NAME: &'static str = "caller";
    type State = ();

    fn declare() -> AgentDeclaration {
        AgentDeclaration::new().server("fix", None)
    }

    async fn run(run: &AgentRun, input: String) -> Result<String, RunError> {
        let mut all = String::new();
        for tool in input.split(' ') {
            match run.call_tool(&format!("fix__{tool}"), json!({}).to_string()).await {
                Ok(output) => all.push_str(&output.to_text()),
                Err(exit) => all.push_str(&exit.to_string()),
            }
        }
        Ok(all)
    }
}

async fn asked(server: serde_json::Value) -> Result<RunOutput, BuildError> {
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
    let captured = Captured::default();
    tracing_subscriber::fmt()
        .with_max_level(tracing_subscriber::filter::LevelFilter::TRACE)
        .with_span_events(tracing_subscriber::fmt::format::FmtSpan::FULL)
        .with_ansi(false)
        .with_writer(captured.clone())
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
    let output = asked(fixture("plain")).await.unwrap();
    let exits = asked(fixture("exits")).await.unwrap_err();
    let by_url = json!({ "url": "http://127.0.0.1:1/mcp", "headers": { "Authorization": BEARER } });
    let by_url = asked(by_url).await.unwrap_err();

    // What a caller knows as a secret, and the server writes to its standard error.
    let server = ServerConfig::stdio(env!("CARGO_BIN_EXE_fixture")).arg("hostile");
    let server = McpServer::start("fix", server).await.unwrap();
    let echo = server.tool("get_echo").unwrap().hook(conceals::new());
    echo.call(json!({ "text": OF_A_CALL })).await.unwrap();
    for _ in 0..500 {
        if String::from_utf8_lossy(&captured.0.lock().unwrap()).contains("stderr: handling") {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }

    let logged = String::from_utf8(captured.0.lock().unwrap().clone()).unwrap();
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
