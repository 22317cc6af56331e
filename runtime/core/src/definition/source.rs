//! `ToolSource` says where a tool comes from.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Where a tool comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ToolSource {
    /// A tool of an MCP server.
    Mcp,
    /// A tool of a server that does not speak MCP: of a source of tools of your own
    /// ([`ToolServer`](crate::servers::ToolServer)).
    Server,
    /// A local function, toolbox, hand-written tool or script.
    Function,
    /// A child agent.
    Agent,
    /// A built-in tool such as `shell.execute`.
    Runtime,
}

impl ToolSource {
    /// Whether the tool is one of a server: of an MCP server, or of another one.
    pub fn is_server(self) -> bool {
        matches!(self, Self::Mcp | Self::Server)
    }
}

impl fmt::Display for ToolSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Mcp => "mcp",
            Self::Server => "server",
            Self::Function => "function",
            Self::Agent => "agent",
            Self::Runtime => "runtime",
        })
    }
}

/// The kind of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum ServerKind {
    /// A server that speaks MCP: its tools are of [`ToolSource::Mcp`].
    Mcp,
    /// Any other server: its tools are of [`ToolSource::Server`].
    #[default]
    Other,
}

impl From<ServerKind> for ToolSource {
    fn from(kind: ServerKind) -> Self {
        match kind {
            ServerKind::Mcp => Self::Mcp,
            ServerKind::Other => Self::Server,
        }
    }
}
