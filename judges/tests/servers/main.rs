//! Our MCP client against real servers.
#![allow(
    missing_docs,
    unreachable_pub,
    clippy::unwrap_used,
    reason = "tests may panic, in their helpers too"
)]

mod http;
mod locked;
mod mcp_servers;
#[path = "../../../runtime/mcp-tests/tests/shared/package.rs"]
mod package;
mod server_data;
mod values;
