//! Messages of a client, in both generations of the protocol.

use serde_json::{Value, json};

/// A generation of the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Generation {
    /// 2026-07-28: each request says all.
    Stateless,
    /// 2025-11-25: a client initializes.
    Sessions,
}

impl Generation {
    pub(crate) const fn version(self) -> &'static str {
        match self {
            Self::Stateless => "2026-07-28",
            Self::Sessions => "2025-11-25",
        }
    }
}

/// The id of the first request. All ids have as many digits, so that one can be written over another.
const FIRST_ID: u64 = 1_000_000_000;

/// A request whose id is exchanged before it is sent again.
#[derive(Clone)]
pub(crate) struct Request {
    pub(crate) method: &'static str,
    pub(crate) name: Option<String>,
    pub(crate) body: Vec<u8>,
    id_at: usize,
}

impl Request {
    pub(crate) fn new(generation: Generation, method: &'static str, mut params: Value) -> Self {
        if generation == Generation::Stateless {
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": generation.version(),
                "io.modelcontextprotocol/clientInfo": { "name": "bench", "version": "1" },
                "io.modelcontextprotocol/clientCapabilities": { "elicitation": {} },
            });
        }
        let name = params["name"].as_str().map(str::to_owned);
        let params = params.to_string();
        let body = format!(r#"{{"jsonrpc":"2.0","id":{FIRST_ID},"method":"{method}","params":{params}}}"#);
        let id_at = r#"{"jsonrpc":"2.0","id":"#.len();
        Self { method, name, body: body.into_bytes(), id_at }
    }

    /// The call of a tool.
    pub(crate) fn call(generation: Generation, tool: &str, arguments: Value) -> Self {
        Self::new(generation, "tools/call", json!({ "name": tool, "arguments": arguments }))
    }

    /// The request with which a client of sessions begins.
    pub(crate) fn initialize() -> Self {
        let params = json!({
            "protocolVersion": Generation::Sessions.version(),
            "capabilities": { "elicitation": {} },
            "clientInfo": { "name": "bench", "version": "1" },
        });
        Self::new(Generation::Sessions, "initialize", params)
    }

    /// Sets the id, and returns it as text.
    pub(crate) fn set_id(&mut self, number: u64) -> u64 {
        let id = FIRST_ID + number % FIRST_ID;
        self.body[self.id_at..self.id_at + 10].copy_from_slice(id.to_string().as_bytes());
        id
    }
}

/// The message after `initialize`.
pub(crate) const INITIALIZED: &[u8] = br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

/// Whether an answer has this text.
pub(crate) fn has(answer: &[u8], text: &str) -> bool {
    answer.windows(text.len()).any(|part| part == text.as_bytes())
}
