//! Servers.

use std::fmt;
use std::sync::Arc;

use crate::changes::Change;
use crate::parts::Parts;

/// An MCP server: what it offers, and how clients may use it. Cheap to clone; clones are the same server.
///
/// [`Server::serve_stdio`] serves one client over standard streams, [`Server::http`] many over HTTP.
#[derive(Clone)]
pub struct Server(pub(crate) Arc<Parts>);

impl Server {
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
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").field("name", &self.name()).finish_non_exhaustive()
    }
}
