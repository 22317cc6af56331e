//! Servers.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{
    Implementation, JsonObject, PromptsCapability, ResourcesCapability, ServerCapabilities, ServerConfig,
    TASKS_EXTENSION_ID, ToolsCapability,
};

use crate::builder::ServerBuilder;
use crate::changes::{Change, Changes};
use crate::http::Http;
use crate::offer::Offer;
use crate::state::StateKeeper;
use crate::tasks::Tasks;

/// An MCP server: what it offers, and how clients may use it. Cheap to clone; clones are the same server.
///
/// [`Server::serve_stdio`] serves one client over standard streams, [`Server::http`] many over HTTP.
#[derive(Clone)]
pub struct Server(pub(crate) Arc<Parts>);

/// The parts of a server.
pub(crate) struct Parts {
    pub(crate) implementation: Implementation,
    pub(crate) instructions: Option<String>,
    pub(crate) offer: Offer,
    pub(crate) states: StateKeeper,
    pub(crate) question_timeout: Duration,
    /// The key of the ids of sessions.
    pub(crate) session_key: [u8; 32],
    /// Whether other processes have the keys too.
    pub(crate) has_shared_key: bool,
    pub(crate) changes: Changes,
    pub(crate) tasks: Arc<Tasks>,
    /// The time after which a call becomes a task.
    pub(crate) task_after: Duration,
}

impl Drop for Parts {
    fn drop(&mut self) {
        self.tasks.end.cancel();
    }
}

impl Server {
    /// Creates a builder of a server with this name and version, which clients show.
    pub fn builder(name: impl Into<String>, version: impl Into<String>) -> ServerBuilder {
        ServerBuilder::new(name.into(), version.into())
    }

    pub(crate) fn new(parts: Parts) -> Self {
        Self(Arc::new(parts))
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.0.implementation.name
    }

    /// Notifies clients that the list of tools has changed, for example because an agent got another one. They list it again.
    pub fn tools_changed(&self) {
        self.0.changes.publish(Change::Tools);
    }

    /// Notifies clients that the list of prompts has changed.
    pub fn prompts_changed(&self) {
        self.0.changes.publish(Change::Prompts);
    }

    /// Notifies clients that the list of resources has changed.
    pub fn resources_changed(&self) {
        self.0.changes.publish(Change::Resources);
    }

    /// Notifies the clients that watch a resource that its content has changed.
    pub fn resource_changed(&self, uri: impl Into<String>) {
        self.0.changes.publish(Change::Resource(uri.into()));
    }

    /// The settings of this server over HTTP.
    pub fn http(&self) -> Http {
        Http::new(self.clone())
    }
}

impl Parts {
    /// What the server says of itself.
    pub(crate) fn info(&self) -> ServerConfig {
        let mut capabilities = ServerCapabilities::default();
        let mut tools = ToolsCapability::default();
        tools.list_changed = Some(true);
        let mut prompts = PromptsCapability::default();
        prompts.list_changed = Some(true);
        let mut resources = ResourcesCapability::default();
        (resources.subscribe, resources.list_changed) = (Some(true), Some(true));
        (capabilities.tools, capabilities.prompts, capabilities.resources) =
            (Some(tools), Some(prompts), Some(resources));
        capabilities.completions = Some(JsonObject::new());
        // Clients before 2026-07-28 have logs.
        capabilities.logging = Some(JsonObject::new());
        let extensions = [(TASKS_EXTENSION_ID.to_owned(), JsonObject::new())];
        capabilities.extensions.get_or_insert_default().extend(extensions);
        let mut info = ServerConfig::new(capabilities).with_server_info(self.implementation.clone());
        info.instructions.clone_from(&self.instructions);
        info
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").field("name", &self.name()).finish_non_exhaustive()
    }
}
