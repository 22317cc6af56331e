//! Sources of tools.

use std::fmt;

use onionskin_vocabulary::Word as _;
use onionskin_vocabulary::agent::ToolSource as SourceWord;
use serde::{Deserialize, Serialize};

/// Where a tool comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ToolSource {
    /// A tool of an MCP server.
    Mcp,
    /// A tool of a server without MCP: of a hand-written source of tools (`ToolServer`).
    Server,
    /// A local function, toolbox, hand-written tool or script.
    Function,
    /// A child agent.
    Agent,
    /// A built-in tool such as `shell.execute`.
    Runtime,
}

impl ToolSource {
    /// Whether the tool belongs to a server, with MCP or without.
    pub fn is_server(self) -> bool {
        matches!(self, Self::Mcp | Self::Server)
    }
}

impl fmt::Display for ToolSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(SourceWord::from(*self).word())
    }
}

impl From<ToolSource> for SourceWord {
    fn from(source: ToolSource) -> Self {
        match source {
            ToolSource::Mcp => Self::Mcp,
            ToolSource::Server => Self::Server,
            ToolSource::Function => Self::Function,
            ToolSource::Agent => Self::Agent,
            ToolSource::Runtime => Self::Runtime,
        }
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
