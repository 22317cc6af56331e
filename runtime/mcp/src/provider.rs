//! A server's tools as one agent sees them.

use std::sync::{Arc, Mutex, PoisonError};

use futures_util::future::BoxFuture;

use super::normal_schema;
use super::restart::Restart as _;
use super::server::{RemoteTool, Server};
use super::snapshot::{self, REPORTED, ServerDrift, Snapshot};
use super::tool::{McpTool, named_for_all};
use onionskin_core::servers::{BoxError, ProviderRequest, ServerKind, ToolProvider, ToolServer};
use onionskin_core::{DynTool, ToolSpec};

/// The tools of one server for one agent.
pub(super) struct Provider {
    server: Arc<Server>,
    /// The number of the next news of the server that the agent has not received.
    news: Mutex<u64>,
}

impl Provider {
    fn tool(&self, tool: &RemoteTool) -> Arc<dyn DynTool> {
        let has_plain_names = normal_schema::renamed(&tool.definition.input_schema).is_empty();
        let tool: Arc<dyn DynTool> = Arc::new(McpTool::new(Arc::clone(&self.server), tool.clone()));
        if has_plain_names {
            return tool;
        }
        Arc::new(named_for_all(ToolSpec::of_server(tool, ServerKind::Mcp, Some(&self.server.name))))
    }
}

impl ToolProvider for Provider {
    fn generation(&self) -> u64 {
        self.server.generation()
    }

    fn tools(&self) -> Vec<Arc<dyn DynTool>> {
        let tool = |tool: &RemoteTool| self.tool(tool);
        self.server.tools().iter().map(tool).collect()
    }

    fn pending_list(&self) -> Option<BoxFuture<'_, ()>> {
        self.server.pending_list()
    }

    fn notices(&self) -> Vec<String> {
        self.server.news(&mut self.news.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Reports once how a server differs from the snapshot that the program was compiled with. A server that the snapshot does not have is
/// one that the program's author did not lock.
fn compare(server: &Arc<Server>, snapshot: &Snapshot) {
    let Some(then) = snapshot.tools(&server.name) else { return };
    let Some(drift) = ServerDrift::between(&server.name, then, &snapshot::tools(server)) else { return };
    let text = server.secrets.hide(drift.report());
    if server.tell_once(&text) {
        let [added, removed, changed] =
            drift.listed(REPORTED).map(|tools| server.secrets.hide(tools.join(", ")));
        tracing::warn!(server = &*server.name, added, removed, changed, "{text}");
    }
}

/// A server as agents share it.
pub(super) struct SharedServer(pub(super) Arc<Server>);

impl ToolServer for SharedServer {
    fn start(&self) -> BoxFuture<'_, Result<(), BoxError>> {
        Box::pin(async { Ok(self.0.start().await?) })
    }

    fn provider(&self, request: &ProviderRequest<'_>) -> Result<Arc<dyn ToolProvider>, BoxError> {
        if let Some(text) = request.snapshot() {
            compare(&self.0, &Snapshot::from_json(text, Snapshot::FILE)?);
        }
        Ok(Arc::new(Provider { server: Arc::clone(&self.0), news: Mutex::default() }))
    }

    fn kind(&self) -> ServerKind {
        ServerKind::Mcp
    }

    fn shutdown(&self) -> BoxFuture<'_, ()> {
        Box::pin(self.0.shutdown())
    }

    fn kill(&self) {
        self.0.kill();
    }
}
