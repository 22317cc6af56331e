//! Where a tool comes from.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Where a tool comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ToolSource {
    /// A tool of an MCP server.
    Mcp,
    /// A local function, toolbox, hand-written tool or script.
    Function,
    /// A child agent.
    Agent,
    /// A built-in tool such as `shell.execute`.
    Runtime,
}

impl fmt::Display for ToolSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Mcp => "mcp",
            Self::Function => "function",
            Self::Agent => "agent",
            Self::Runtime => "runtime",
        })
    }
}
