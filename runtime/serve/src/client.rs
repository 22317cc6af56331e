//! The clients of a server, as tools know them.

use std::fmt;
use std::sync::Arc;

use http::HeaderMap;
use http::header::{AUTHORIZATION, COOKIE, PROXY_AUTHORIZATION};

use crate::user::User;

/// The client that made a call, for tools that take it as a service: a parameter `client: Provided<Client>`, and
/// `provide_per_request::<Client>()` where the agent is built.
///
/// ```
/// use onionskin::serve::Client;
/// use onionskin::{Provided, tool};
///
/// /// Greets the client.
/// #[tool]
/// fn greet(client: Provided<Client>) -> String {
///     let tenant = client.header("x-tenant").unwrap_or("nobody");
///     format!("Hello {} of {tenant}", client.name())
/// }
/// # let _ = greet::spec();
/// ```
#[derive(Clone, Default)]
pub struct Client {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) user: Option<User>,
    pub(crate) has_forms: bool,
    pub(crate) has_sampling: bool,
    pub(crate) has_roots: bool,
    pub(crate) headers: Arc<HeaderMap>,
}

impl Client {
    /// The name that the client gave itself; empty if it gave none.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The version that the client gave itself.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// The user, if the server checks tokens.
    pub fn user(&self) -> Option<&User> {
        self.user.as_ref()
    }

    /// Whether it can show questions to a person (elicitation).
    pub fn can_ask(&self) -> bool {
        self.has_forms
    }

    /// Whether it answers `sampling/createMessage`, which MCP has deprecated.
    pub fn can_sample(&self) -> bool {
        self.has_sampling
    }

    /// Whether it answers `roots/list`, which MCP has deprecated.
    pub fn has_roots(&self) -> bool {
        self.has_roots
    }

    /// A header of the HTTP request, if it is text. Credentials are left out.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// Sets the headers, without credentials.
    pub(crate) fn set_headers(&mut self, headers: &HeaderMap) {
        let mut headers = headers.clone();
        for credentials in [AUTHORIZATION, COOKIE, PROXY_AUTHORIZATION] {
            headers.remove(credentials);
        }
        self.headers = Arc::new(headers);
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("name", &self.name).field("user", &self.user).finish_non_exhaustive()
    }
}
