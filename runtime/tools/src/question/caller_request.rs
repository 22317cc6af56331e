//! Requests of tools to the program that made the call.

use onionskin_definitions::secret::{Redact, Redactor};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A request to the program that made the call, in a protocol that both know: for an MCP client, a method of MCP and its parameters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct CallerRequest {
    method: String,
    params: Value,
}

impl CallerRequest {
    /// Creates a request.
    pub fn new(method: impl Into<String>, params: Value) -> Self {
        Self { method: method.into(), params }
    }

    /// The method, such as `sampling/createMessage`.
    pub fn method(&self) -> &str {
        &self.method
    }

    /// The parameters. Secrets are masked.
    pub fn params(&self) -> &Value {
        &self.params
    }
}

impl Redact for CallerRequest {
    fn redact(&mut self, redactor: &Redactor) {
        self.params.redact(redactor);
    }
}
