//! The users of a server.

use std::sync::Arc;

/// The user of a request, as the check of its token named it. Calls of a user are runs with this user, so budgets and caches are
/// separate for each.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct User(Arc<str>);

impl User {
    /// Creates a user with this id.
    pub fn new(id: impl Into<Arc<str>>) -> Self {
        Self(id.into())
    }

    /// The id.
    pub fn id(&self) -> &str {
        &self.0
    }
}
