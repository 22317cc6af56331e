//! MCP servers as tool sources.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::agent::ToolProvider;

/// Configured servers.
#[derive(Debug, Clone, Default)]
pub struct McpConfig(BTreeMap<String, ServerConfig>);

/// One configured server.
#[derive(Debug, Clone)]
pub struct ServerConfig {}

impl McpConfig {
    /// Adds a server.
    pub fn insert(&mut self, name: impl Into<String>, server: ServerConfig) {
        self.0.insert(name.into(), server);
    }

    /// Adds the servers of another configuration.
    pub fn extend(&mut self, other: Self) {
        self.0.extend(other.0);
    }
}

/// Why a server is not there.
#[derive(Debug, Clone, thiserror::Error)]
#[error("mcp")]
pub struct McpError;

pub(crate) struct ServerPool(McpConfig);

impl ServerPool {
    pub(crate) fn new(
        config: McpConfig,
        _wanted: impl Iterator<Item = &'static str>,
    ) -> Result<Self, McpError> {
        Ok(Self(config))
    }
    pub(crate) fn knows(&self, name: &str) -> bool {
        self.0.0.contains_key(name)
    }
    pub(crate) fn known(&self) -> String {
        String::new()
    }
    pub(crate) async fn start(&self, _names: BTreeSet<&'static str>) -> Result<(), McpError> {
        Ok(())
    }
    pub(crate) fn provider(
        &self,
        _agent: &str,
        _server: &str,
        _filter: Option<&'static [&'static str]>,
    ) -> Result<Arc<dyn ToolProvider>, McpError> {
        Err(McpError)
    }
    pub(crate) async fn shutdown(&self) {}
}
