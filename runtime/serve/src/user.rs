//! The users of a server.

use std::sync::Arc;

use crate::error::ServeError;

/// The user of a request, as the check of its token named it. Calls of a user are runs with this user, so budgets and caches are
/// separate for each.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct User(Arc<str>);

impl User {
    /// Creates a user with this id.
    ///
    /// ```
    /// use onionskin::serve::User;
    ///
    /// assert_eq!(User::new("ada").unwrap().id(), "ada");
    /// assert!(User::new(" ").is_err());
    /// ```
    ///
    /// # Errors
    /// Returns an error if the id is blank: its calls would have no user, and no budget of one.
    pub fn new(id: impl Into<Arc<str>>) -> Result<Self, ServeError> {
        let id = id.into();
        if id.trim().is_empty() { Err(ServeError::BlankUser) } else { Ok(Self(id)) }
    }

    /// The id.
    pub fn id(&self) -> &str {
        &self.0
    }
}
