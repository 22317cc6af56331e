//! What a large answer costs. In a program of its own: the peak of memory is the process's.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "tests may panic, in their helpers too")]

use onionskin::mcp::{McpServer, ServerConfig};
use serde_json::json;

/// The highest memory so far, in MiB.
fn peak() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<usize>().unwrap() / 1024
}

#[tokio::test]
async fn a4_thirteen_megabytes_of_structure_are_not_a_gigabyte() {
    let config = ServerConfig::stdio(env!("CARGO_BIN_EXE_fixture")).arg("raw");
    let server = McpServer::start("fix", config).await.unwrap();
    let before = peak();
    let report = server.tool("big").unwrap().exec(json!({})).await;
    let output = report.result.unwrap();
    let value = output.structured_content().unwrap();
    assert_eq!(value["list"].as_array().map(Vec::len), Some(6_500_000));
    let used = peak() - before;
    // One copy of the values, what a growing list takes beside it, and the text. How large a value is depends on the features
    // that the program's other crates turn on.
    let values = 6_500_000 * size_of::<serde_json::Value>() / (1 << 20);
    assert!(used < values * 3 / 2 + 100, "{used} MiB, where the values alone take {values}");
}
