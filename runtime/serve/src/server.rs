//! Servers.

use std::fmt;
use std::sync::{Arc, PoisonError};

use crate::changes::Change;
use crate::mcp;
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

    /// Offers what another server offers, in place of what this one has offered: tools, agents, resources, prompts and skills. Clients are
    /// notified of the lists that are different, and of the texts ([`Resource::text`](crate::Resource::text)) that they watch. Requests in progress end with what they began with. The name, the instructions, the key and
    /// the times stay; those of the other server have no effect.
    ///
    /// ```
    /// use onionskin::serve::Server;
    /// use onionskin::tool;
    ///
    /// /// Adds one.
    /// #[tool]
    /// fn add_one(x: i64) -> i64 {
    ///     x + 1
    /// }
    ///
    /// /// Adds two.
    /// #[tool]
    /// fn add_two(x: i64) -> i64 {
    ///     x + 2
    /// }
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let server = Server::builder("desk", "1.0.0").tool(add_one::spec()).build().await.unwrap();
    /// // Later, for example when cards have changed:
    /// server.replace_offer(&Server::builder("desk", "1.0.0").tool(add_two::spec()).build().await.unwrap());
    /// # });
    /// ```
    pub fn replace_offer(&self, other: &Self) {
        let next = other.0.offer();
        let mut current = self.0.offer.write().unwrap_or_else(PoisonError::into_inner);
        let before = std::mem::replace(&mut *current, Arc::clone(&next));
        drop(current);
        for change in mcp::changes(&before, &next) {
            self.0.changes.publish(change);
        }
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
