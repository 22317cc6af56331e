//! What the configuration lets a server ask this client for.

use std::path::Path;
use std::sync::Arc;

use rmcp::model::{
    ClientCapabilities, ElicitationCapability, ErrorCode, ErrorData, FormElicitationCapability,
    RootsCapabilities, UrlElicitationCapability,
};
use serde_json::{Value, json};

use super::server_config::ServerConfig;

/// The request by which a server asks a person.
pub(super) const ELICITATION: &str = "elicitation/create";

/// The answer to a request of a server.
pub(super) type Answer = Result<Value, ErrorData>;

/// What a server may ask for.
#[derive(Clone)]
pub(super) struct Grants {
    /// Whether it may ask a person while a call runs.
    asks: bool,
    /// The folders that it is told of; `None` if it is told of none.
    roots: Option<Arc<Value>>,
}

impl Grants {
    pub(super) fn new(config: &ServerConfig) -> Self {
        let roots = config.roots.iter().map(|folder| root(folder)).collect::<Vec<_>>();
        let roots = (!roots.is_empty()).then(|| Arc::new(json!({ "roots": roots })));
        Self { asks: config.asks, roots }
    }

    /// Whether the server may ask a person.
    pub(super) fn asks(&self) -> bool {
        self.asks
    }

    /// What this client tells the server that it can do.
    pub(super) fn capabilities(&self) -> ClientCapabilities {
        let mut capabilities = ClientCapabilities::default();
        if self.asks {
            let elicitation = ElicitationCapability::new().with_form(FormElicitationCapability::new());
            capabilities.elicitation = Some(elicitation.with_url(UrlElicitationCapability::new()));
        }
        capabilities.roots = self.roots.as_ref().map(|_| RootsCapabilities::default());
        capabilities
    }

    /// The answer to a request for which nobody is asked.
    pub(super) fn answer(&self, method: &str) -> Answer {
        match method {
            "ping" => Ok(json!({})),
            ELICITATION if self.asks => refuse("a person is asked during a call of a tool only"),
            ELICITATION => refuse(
                "this server may not ask a person (elicitation); `asks` in its configuration at the client allows it",
            ),
            "sampling/createMessage" => refuse("this client lends its model to no server (sampling)"),
            "roots/list" => match &self.roots {
                Some(roots) => Ok((**roots).clone()),
                None => refuse(
                    "this client names no folders to this server (roots); `ServerConfig::roots` at the client names some",
                ),
            },
            _ => refuse("this client does not offer it"),
        }
    }
}

/// A folder as MCP names it: by a `file://` address.
fn root(folder: &Path) -> Value {
    let whole = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    let mut uri = "file://".to_owned();
    let path = whole.as_os_str().as_encoded_bytes();
    if !path.starts_with(b"/") {
        uri.push('/');
    }
    for byte in path {
        match byte {
            b'\\' if cfg!(windows) => uri.push('/'),
            b'/' | b'-' | b'.' | b'_' | b'~' => uri.push(char::from(*byte)),
            b':' if cfg!(windows) => uri.push(':'),
            byte if byte.is_ascii_alphanumeric() => uri.push(char::from(*byte)),
            byte => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    let name = whole.file_name().map(|name| name.to_string_lossy().into_owned());
    json!({ "uri": uri, "name": name.unwrap_or_else(|| "/".to_owned()) })
}

/// The refusal of a request that this client does not take.
fn refuse(reason: &'static str) -> Answer {
    Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, reason, None))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a4_a_folder_is_named_by_an_address_that_every_server_can_read() {
        let named = root(Path::new("/srv/my files/ä#1"));
        assert_eq!(named, json!({ "uri": "file:///srv/my%20files/%C3%A4%231", "name": "ä#1" }));
        assert_eq!(root(Path::new("/")), json!({ "uri": "file:///", "name": "/" }));
        let here = root(Path::new("."))["uri"].as_str().unwrap().to_owned();
        assert!(here.starts_with("file:///") && !here.ends_with('.'), "{here}");
    }
}
