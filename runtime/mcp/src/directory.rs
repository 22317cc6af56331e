//! The directory in which agents look up configured servers.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use onionskin_core::servers::{BoxError, IntoToolServer, ToolServer, ToolServers};

use super::config::McpConfig;
use super::error::McpError;
use super::provider::SharedServer;
use super::server::Server;
use super::server_config::ServerConfig;

/// The configuration of servers that the program does not configure.
const FILE: &str = ".mcp.json";

/// The servers of the `.mcp.json` in the working directory of the program, if that file exists.
/// [`AgentDeclaration::default_servers`](onionskin_core::declaration::AgentDeclaration::default_servers) takes it, as
/// `agent!` does.
#[derive(Debug, Default)]
pub struct WorkingDirectory(OnceLock<Result<McpConfig, McpError>>);

impl WorkingDirectory {
    /// Makes the source. No file is read yet: the file is read once, when an agent first needs a server.
    pub fn new() -> Self {
        Self::default()
    }

    fn config(&self) -> Result<&McpConfig, McpError> {
        let read =
            || if Path::new(FILE).exists() { McpConfig::from_file(FILE) } else { Ok(McpConfig::new()) };
        self.0.get_or_init(read).as_ref().map_err(McpError::clone)
    }
}

impl ToolServers for WorkingDirectory {
    fn names(&self) -> Result<Vec<String>, BoxError> {
        ToolServers::names(self.config()?)
    }

    fn server(&self, name: &str) -> Result<Option<Arc<dyn ToolServer>>, BoxError> {
        self.config()?.server(name)
    }
}

impl ToolServers for McpConfig {
    fn names(&self) -> Result<Vec<String>, BoxError> {
        Ok(Self::names(self).map(str::to_owned).collect())
    }

    fn server(&self, name: &str) -> Result<Option<Arc<dyn ToolServer>>, BoxError> {
        let Some(configured) = self.get(name) else { return Ok(None) };
        configured.clone()?.into_server(name).map(Some)
    }
}

impl IntoToolServer for ServerConfig {
    fn into_server(self, name: &str) -> Result<Arc<dyn ToolServer>, BoxError> {
        self.check(name)?;
        Ok(Arc::new(SharedServer(Server::new(name, self))))
    }
}
