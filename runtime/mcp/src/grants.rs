//! What the configuration lets a server ask this client for.

use rmcp::model::{
    ClientCapabilities, ElicitationCapability, ErrorCode, ErrorData, FormElicitationCapability,
    UrlElicitationCapability,
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
}

impl Grants {
    pub(super) fn new(config: &ServerConfig) -> Self {
        Self { asks: config.asks }
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
            "roots/list" => refuse("this client names no folders to this server (roots)"),
            _ => refuse("this client does not offer it"),
        }
    }
}

/// The refusal of a request that this client does not take.
fn refuse(reason: &'static str) -> Answer {
    Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, reason, None))
}
