//! Our MCP client against real servers that are reached by address.

use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use onionskin::ErrorKind;
use onionskin::event::EventKind;
use onionskin::mcp::ServerConfig;
use onionskin_judges::kit;
use serde_json::json;

use crate::mcp_servers::{asks, call, fails, has, start, text};

/// A server that is a process of its own. It ends with this.
struct Running {
    process: Child,
    address: String,
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Starts a server that prints its address.
fn printed(command: &mut Command) -> Running {
    let mut process = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut address = String::new();
    BufReader::new(process.stdout.take().unwrap()).read_line(&mut address).unwrap();
    Running { process, address: address.trim().to_owned() }
}

fn fixture(name: &str) -> String {
    format!("{}/fixtures/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// Waits until the server listens.
async fn config(running: &Running) -> ServerConfig {
    let host = running.address.trim_start_matches("http://").split('/').next().unwrap().to_owned();
    for _ in 0..200 {
        if tokio::net::TcpStream::connect(&host).await.is_ok() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    ServerConfig::http(&*running.address)
}

#[tokio::test]
async fn a4_server_everything_over_http() {
    let free = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = free.local_addr().unwrap().port();
    drop(free);
    let program = kit("mcp", "mcp-npm/node_modules/@modelcontextprotocol/server-everything/dist/index.js");
    let mut command = Command::new(kit("mcp", "bin/node"));
    command.arg(program).arg("streamableHttp").env("PORT", port.to_string());
    let process = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let running = Running { process, address: format!("http://127.0.0.1:{port}/mcp") };
    asks(config(&running).await).await;
    let agent = start(config(&running).await).await;
    has(&agent, &["echo", "get-sum", "get-tiny-image", "get-structured-content"]);
    assert_eq!(text(&call(&agent, "echo", json!({"message": "hello"})).await), "Echo: hello");
    let weather = call(&agent, "get-structured-content", json!({"location": "New York"})).await;
    assert!(weather["structured"]["temperature"].is_number(), "{weather}");
    let refused = fails(&agent, "get-sum", json!({"a": "x", "b": 1}), ErrorKind::Arguments).await;
    assert!(refused.contains("`a`"), "{refused}");
    let steps = progress(&agent, "trigger-long-running-operation", &json!({"duration": 1, "steps": 3})).await;
    assert_eq!(steps.len(), 3, "{steps:?}");
    agent.shutdown().await;
}

/// The progress that a call reports.
async fn progress(agent: &onionskin::AgentHandle, tool: &str, arguments: &serde_json::Value) -> Vec<f64> {
    let mut stream = agent.stream(format!("it__{tool} {arguments}"));
    let mut steps = Vec::new();
    while let Some(event) = stream.next().await {
        if let EventKind::Progress { done, .. } = event.kind {
            steps.push(done);
        }
    }
    steps
}

#[tokio::test]
async fn a4_a_server_of_fastmcp_over_http() {
    let python = kit("mcp", "mcp-python/bin/python");
    let running = printed(Command::new(python).arg(fixture("http_server.py")));
    let agent = start(config(&running).await).await;
    has(&agent, &["add", "slow", "fail"]);
    let sum = call(&agent, "add", json!({"a": 2, "b": 40})).await;
    assert_eq!(text(&sum), "42.0");
    assert_eq!(progress(&agent, "slow", &json!({})).await, [1.0, 2.0, 3.0]);
    let failed = fails(&agent, "fail", json!({}), ErrorKind::Remote).await;
    assert!(failed.contains("no luck today"), "{failed}");
    agent.shutdown().await;
}

#[tokio::test]
async fn a4_a_server_of_the_typescript_sdk_over_http_in_both_generations() {
    let sdk = kit("mcp", "mcp-npm/node_modules/@modelcontextprotocol/server");
    for modern in [None, Some("modern")] {
        let mut command = Command::new(kit("mcp", "bin/node"));
        let running = printed(command.arg(fixture("http_server.mjs")).arg(&sdk).args(modern));
        let agent = start(config(&running).await).await;
        has(&agent, &["add", "change"]);
        let sum = call(&agent, "add", json!({"a": 2, "b": 40})).await;
        assert_eq!(text(&sum), "42");
        // The change comes over a subscription.
        assert_eq!(text(&call(&agent, "change", json!({})).await), "changed");
        for _ in 0..100 {
            let later = call(&agent, "later", json!({})).await;
            if text(&later) == "late" {
                break;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        assert_eq!(text(&call(&agent, "later", json!({})).await), "late");
        agent.shutdown().await;
    }
}
