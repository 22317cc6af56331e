//! Where clients get tokens: the metadata of a protected resource (RFC 9728).

use std::collections::BTreeSet;

use axum::Router;
use axum::routing::get;
use http::header::CONTENT_TYPE;
use serde::Serialize;

use super::PATH;

/// The path below which clients look for the metadata.
const WELL_KNOWN: &str = "/.well-known/oauth-protected-resource";

/// Says which OAuth servers give tokens for this server (RFC 9728). A client without a token is pointed to it.
///
/// ```
/// use onionskin::serve::ResourceMetadata;
///
/// let metadata = ResourceMetadata::new("https://mcp.example.com/mcp", ["https://login.example.com"]).scopes(["tools"]);
/// # let _ = metadata;
/// ```
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct ResourceMetadata {
    /// The address of the endpoint, as clients know it.
    pub resource: String,
    /// The addresses of the OAuth servers.
    pub authorization_servers: Vec<String>,
    /// The scopes that a token needs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub scopes_supported: Vec<String>,
    bearer_methods_supported: [&'static str; 1],
}

impl ResourceMetadata {
    /// Creates the metadata of the endpoint at this address, with the addresses of its OAuth servers.
    pub fn new(
        resource: impl Into<String>,
        authorization_servers: impl IntoIterator<Item = impl Into<String>>,
    ) -> Self {
        Self {
            resource: resource.into(),
            authorization_servers: authorization_servers.into_iter().map(Into::into).collect(),
            scopes_supported: Vec::new(),
            bearer_methods_supported: ["header"],
        }
    }

    /// Sets the scopes that a token needs.
    #[must_use]
    pub fn scopes(mut self, scopes: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.scopes_supported = scopes.into_iter().map(Into::into).collect();
        self
    }

    /// The address of the metadata, for the challenge to a client without a token.
    pub(crate) fn address(&self) -> String {
        let (origin, path) = self.split();
        format!("{origin}{path}")
    }

    /// The scheme and the host of the endpoint, and the path of its metadata.
    fn split(&self) -> (&str, String) {
        let end = self.resource.find("://").map_or(0, |scheme| scheme + 3);
        let host = self.resource[end..].find('/').map_or(self.resource.len(), |path| end + path);
        let (origin, path) = self.resource.split_at(host);
        (origin, format!("{WELL_KNOWN}{}", path.trim_end_matches('/')))
    }

    /// Adds the routes of the metadata.
    pub(crate) fn add_to(&self, router: Router) -> Router {
        let text = serde_json::to_string(self).unwrap_or_default();
        let route = || {
            let text = text.clone();
            get(move || std::future::ready(([(CONTENT_TYPE, "application/json")], text.clone())))
        };
        let paths = BTreeSet::from([WELL_KNOWN.to_owned(), format!("{WELL_KNOWN}{PATH}"), self.split().1]);
        paths.into_iter().fold(router, |router, path| router.route(&path, route()))
    }
}

#[cfg(test)]
mod tests {
    use super::ResourceMetadata;

    #[test]
    fn o2_the_metadata_is_below_well_known_with_the_path_of_the_endpoint() {
        for (resource, address) in [
            ("https://a.example/mcp", "https://a.example/.well-known/oauth-protected-resource/mcp"),
            ("https://a.example", "https://a.example/.well-known/oauth-protected-resource"),
            (
                "https://a.example:8443/x/mcp/",
                "https://a.example:8443/.well-known/oauth-protected-resource/x/mcp",
            ),
        ] {
            assert_eq!(ResourceMetadata::new(resource, ["https://b.example"]).address(), address);
        }
    }
}
