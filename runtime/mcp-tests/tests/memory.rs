//! What a large answer costs. In a program of its own: the peak of memory is the process's.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "tests may panic, in their helpers too")]

use onionskin::ErrorKind;
use onionskin::mcp::{McpServer, ServerConfig};
use serde_json::json;

/// The highest memory so far, in MiB.
fn peak() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<usize>().unwrap() / 1024
}

#[tokio::test]
async fn a4_thirteen_megabytes_of_structure_are_not_made_into_values() {
    let config = ServerConfig::stdio(env!("CARGO_BIN_EXE_fixture")).arg("raw");
    let server = McpServer::start("fix", config).await.unwrap();
    let before = peak();
    let report = server.tool("big").unwrap().exec(json!({})).await;
    let exit = report.result.unwrap_err();
    let error = exit.as_tool_error().unwrap();
    assert_eq!(error.kind(), ErrorKind::Unreadable);
    assert!(error.to_text().contains("it has more than 1000000 values"), "{error}");
    // The text of the message, which is counted before it is read.
    let used = peak() - before;
    assert!(used < 100, "{used} MiB");
    assert_eq!(server.tool("echo").unwrap().exec(json!({})).await.content().len(), 1);
}
