//! The servers of a program.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use futures_util::future::join_all;

use super::config::McpConfig;
use super::error::McpError;
use super::provider::Provider;
use super::server::Server;
use crate::agent::ToolProvider;

/// Read for servers that no configuration was given for.
const FILE: &str = ".mcp.json";

/// The servers that a program's agents share. Dropping it kills them.
pub(crate) struct ServerPool {
    config: McpConfig,
    servers: BTreeMap<&'static str, Arc<Server>>,
}

impl ServerPool {
    /// The wanted servers, not started yet. Those that are not configured are looked for in the `.mcp.json`
    /// of the working directory.
    ///
    /// # Errors
    /// If that file is wrong, or if a wanted server cannot be used as it is configured.
    pub(crate) fn new(
        mut config: McpConfig,
        wanted: impl Iterator<Item = &'static str>,
    ) -> Result<Self, McpError> {
        let wanted: BTreeSet<_> = wanted.collect();
        if wanted.iter().any(|name| config.get(name).is_none()) && Path::new(FILE).exists() {
            let mut found = McpConfig::from_file(FILE)?;
            found.extend(config);
            config = found;
        }
        let mut servers = BTreeMap::new();
        for name in wanted {
            if let Some(configured) = config.get(name) {
                let server = configured.clone()?;
                server.check(name)?;
                servers.insert(name, Server::new(name, server));
            }
        }
        Ok(Self { config, servers })
    }

    /// Whether the server is configured.
    pub(crate) fn knows(&self, name: &str) -> bool {
        self.config.get(name).is_some()
    }

    /// The configured servers, for an error text.
    pub(crate) fn known(&self) -> String {
        let names: Vec<_> = self.config.names().collect();
        if names.is_empty() { "none".to_owned() } else { names.join(", ") }
    }

    /// Starts these servers, side by side.
    ///
    /// # Errors
    /// If some of them do not start; all of those are named.
    pub(crate) async fn start(&self, names: BTreeSet<&'static str>) -> Result<(), McpError> {
        let servers = names.iter().filter_map(|name| self.servers.get(name));
        let started = join_all(servers.map(Server::start)).await;
        let mut failures: Vec<_> = started.into_iter().filter_map(Result::err).collect();
        match failures.len() {
            0 => Ok(()),
            1 => Err(failures.remove(0)),
            _ => Err(McpError::Several(failures)),
        }
    }

    /// The tools of a server for an agent.
    ///
    /// # Errors
    /// If a pattern of the filter takes none of them.
    pub(crate) fn provider(
        &self,
        agent: &str,
        server: &str,
        filter: Option<&'static [&'static str]>,
    ) -> Result<Arc<dyn ToolProvider>, McpError> {
        match self.servers.get(server) {
            Some(server) => Ok(Arc::new(Provider::new(agent, Arc::clone(server), filter)?)),
            None => {
                Err(McpError::List { server: server.to_owned(), reason: "it was not started".to_owned() })
            }
        }
    }

    /// Ends all servers gracefully, side by side.
    pub(crate) async fn shutdown(&self) {
        join_all(self.servers.values().map(|server| server.shutdown())).await;
    }
}

impl Drop for ServerPool {
    fn drop(&mut self) {
        for server in self.servers.values() {
            server.kill();
        }
    }
}
