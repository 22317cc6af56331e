//! Messages of clients, checked before the protocol library reads them: their form, their size, and what a few methods would do with long
//! parameters.

use std::borrow::Cow;

use onionskin_core::json::{json_values, levels};
use rmcp::ErrorData;
use rmcp::model::{ErrorCode, InitializeRequestParams, JsonRpcError, RequestId};
use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_json::value::RawValue;

/// The maximum number of values in a message. A value takes up to a hundred times the memory of its text.
pub(crate) const MAX_VALUES: usize = 100_000;
/// The maximum levels of lists and objects: the parser of messages bears no more.
const MAX_LEVELS: usize = 127;
/// The maximum number of bytes of the parameters with which a client begins: a session keeps them.
const MAX_INITIALIZE: usize = 64 * 1024;
/// The maximum number of resources that one session or subscription watches.
pub(crate) const MAX_WATCHED: usize = 1000;
/// The maximum number of bytes of a URI that is watched.
const MAX_URI: usize = 2048;
/// What requests of clients from 2026-07-28 on have in `_meta`.
const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";
/// The error of a request whose parameters have another form.
pub(crate) const UNFIT: &str = "the parameters do not fit the method";

/// What a message is.
#[derive(Debug)]
pub(crate) struct Envelope {
    /// The id; `None` for a notification.
    pub(crate) id: Option<RequestId>,
    /// The method; `None` for a response.
    pub(crate) method: Option<String>,
}

impl Envelope {
    /// Whether it is a request.
    pub(crate) fn request_id(&self) -> Option<&RequestId> {
        self.id.as_ref().filter(|_| self.method.is_some())
    }
}

#[derive(Deserialize)]
struct Raw<'m> {
    #[serde(borrow)]
    jsonrpc: Option<Cow<'m, str>>,
    #[serde(borrow, default, deserialize_with = "present")]
    id: Option<&'m RawValue>,
    #[serde(borrow)]
    method: Option<Cow<'m, str>>,
    #[serde(borrow)]
    params: Option<&'m RawValue>,
    result: Option<IgnoredAny>,
    error: Option<IgnoredAny>,
}

/// A value that is there, even if it is null.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<&'de RawValue>, D::Error> {
    Deserialize::deserialize(deserializer).map(Some)
}

/// Checks a message.
///
/// # Errors
/// Returns the answer to a message that is none.
pub(crate) fn check(message: &[u8]) -> Result<Envelope, Box<JsonRpcError>> {
    let message: &RawValue = serde_json::from_slice(message).map_err(|_| no_json())?;
    let message = message.get();
    if levels(message) > MAX_LEVELS {
        return Err(no_json());
    }
    if json_values(message.as_bytes()) >= MAX_VALUES {
        return Err(problem(None, ErrorCode::INVALID_REQUEST, "the message has too many values"));
    }
    if message.starts_with('[') {
        let text = "batches of messages are not part of the protocol";
        return Err(problem(None, ErrorCode::INVALID_REQUEST, text));
    }
    let no_message = |id| problem(id, ErrorCode::INVALID_REQUEST, "the message is not one of JSON-RPC 2.0");
    // The error names the request, if that much can be read.
    let raw: Raw<'_> = serde_json::from_str(message).map_err(|_| no_message(readable_id(message)))?;
    let id = raw.id.map(|id| serde_json::from_str::<RequestId>(id.get())).transpose();
    let id = id.map_err(|_| no_message(None))?;
    if raw.jsonrpc.as_deref() != Some("2.0") {
        return Err(no_message(id));
    }
    let Some(method) = raw.method else {
        let is_response = id.is_some() && (raw.result.is_some() || raw.error.is_some());
        return if is_response { Ok(Envelope { id, method: None }) } else { Err(no_message(id)) };
    };
    let params = raw.params.map(RawValue::get);
    if params.is_some_and(|params| !params.starts_with('{') && params != "null") {
        return Err(problem(id, ErrorCode::INVALID_PARAMS, "the parameters are not an object"));
    }
    if let Some(text) = params.and_then(|params| too_long(&method, params)) {
        return Err(problem(id, ErrorCode::INVALID_PARAMS, text));
    }
    if !fit(&method, params.unwrap_or("{}")) {
        return Err(problem(id, ErrorCode::INVALID_PARAMS, UNFIT));
    }
    Ok(Envelope { id, method: Some(method.into_owned()) })
}

/// The id in a message that is none.
fn readable_id(message: &str) -> Option<RequestId> {
    #[derive(Deserialize)]
    struct Named {
        id: RequestId,
    }
    serde_json::from_str::<Named>(message).ok().map(|named| named.id)
}

/// The answer to a text that is not JSON.
#[expect(clippy::unnecessary_box_returns, reason = "it is the error of results")]
fn no_json() -> Box<JsonRpcError> {
    problem(None, ErrorCode::PARSE_ERROR, "the message is not JSON")
}

/// The answer to a message that passed [`check`], and that the protocol library cannot read. Numbers and escapes that are none are not JSON
/// either, which [`check`] does not see; in other messages, the parameters are not those of any method.
#[expect(clippy::unnecessary_box_returns, reason = "it is the error of results")]
pub(crate) fn unreadable(message: &[u8]) -> Box<JsonRpcError> {
    let id = check(message).ok().and_then(|envelope| envelope.id);
    match serde_json::from_slice::<Value>(message) {
        Ok(_) => problem(id, ErrorCode::INVALID_PARAMS, UNFIT),
        Err(_) => {
            problem(id, ErrorCode::PARSE_ERROR, "a number or an escape of the message is not one of JSON")
        }
    }
}

/// Whether the parameters are those of the method, where the protocol library takes others for none, or the message for another one.
fn fit(method: &str, params: &str) -> bool {
    #[derive(Deserialize)]
    struct Page<'p> {
        #[serde(borrow, rename = "cursor")]
        _cursor: Option<Cow<'p, str>>,
    }
    match method {
        // Clients from 2026-07-28 on have no such method, which the protocol library tells them.
        "initialize" => {
            params.contains(VERSION_KEY) || serde_json::from_str::<InitializeRequestParams>(params).is_ok()
        }
        "tools/list" | "prompts/list" | "resources/list" | "resources/templates/list" | "skills/list" => {
            serde_json::from_str::<Option<Page<'_>>>(params).is_ok()
        }
        _ => true,
    }
}

/// Why the parameters of a method are too long, if they are.
fn too_long(method: &str, params: &str) -> Option<&'static str> {
    match method {
        "initialize" if params.len() > MAX_INITIALIZE => Some("the client says too much of itself"),
        "resources/subscribe" if params.len() > 2 * MAX_URI => Some("the URI is too long"),
        "subscriptions/listen" => {
            #[derive(Deserialize)]
            struct Listen<'p> {
                #[serde(borrow)]
                notifications: Option<Filter<'p>>,
            }
            #[derive(Deserialize)]
            struct Filter<'p> {
                #[serde(borrow, rename = "resourceSubscriptions")]
                uris: Option<Vec<Cow<'p, str>>>,
            }
            // A filter of another form is refused where it is read.
            let listen: Listen<'_> = serde_json::from_str(params).ok()?;
            let uris = listen.notifications?.uris?;
            if uris.len() > MAX_WATCHED {
                return Some("the subscription watches too many resources");
            }
            uris.iter().any(|uri| uri.len() > MAX_URI).then_some("a URI is too long")
        }
        _ => None,
    }
}

/// An error as the answer to a message.
#[expect(clippy::unnecessary_box_returns, reason = "it is the error of results")]
pub(crate) fn problem(id: Option<RequestId>, code: ErrorCode, message: &'static str) -> Box<JsonRpcError> {
    Box::new(JsonRpcError::new(id, ErrorData::new(code, message, None)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(message: &str) -> Option<i32> {
        check(message.as_bytes()).err().map(|problem| problem.error.code.0)
    }

    #[test]
    fn o2_a_message_is_checked_before_it_is_read() {
        for (message, expected) in [
            (r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, None),
            (r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#, None),
            (r#"{"jsonrpc":"2.0","id":"a","result":{}}"#, None),
            ("not json", Some(-32700)),
            (r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":}}"#, Some(-32700)),
            (r#"{"jsonrpc":"2.0","id":1,"method":"ping""#, Some(-32700)),
            ("[", Some(-32700)),
            (r#"{"jsonrpc":"2.0","id":1,"method":"ping"} x"#, Some(-32700)),
            ("[]", Some(-32600)),
            ("7", Some(-32600)),
            (r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, Some(-32600)),
            (r#"{"id":1,"method":"ping"}"#, Some(-32600)),
            (r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, Some(-32600)),
            (r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}"#, Some(-32600)),
            (r#"{"jsonrpc":"2.0","id":1,"method":5}"#, Some(-32600)),
            (r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}"#, Some(-32602)),
            (r#"{"jsonrpc":"2.0","id":1}"#, Some(-32600)),
            (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, Some(-32600)),
            (r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":5}}"#, Some(-32602)),
            (r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":null}"#, None),
            (r#"{"jsonrpc":"2.0","id":1,"method":"initialize"}"#, Some(-32602)),
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#,
                None,
            ),
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":5}}"#,
                Some(-32602),
            ),
        ] {
            assert_eq!(code(message), expected, "{message}");
        }
    }

    #[test]
    fn o2_an_error_names_the_request_whose_id_can_be_read() {
        let id = |message: &str| check(message.as_bytes()).unwrap_err().id;
        let seven = Some(RequestId::Number(7));
        assert_eq!(id(r#"{"jsonrpc":"2.0","id":7,"method":123}"#), seven);
        assert_eq!(id(r#"{"jsonrpc":"2.0","id":7}"#), seven);
        assert_eq!(id(r#"{"id":7,"method":"ping"}"#), seven);
        assert_eq!(id(r#"{"jsonrpc":"2.0","id":7,"id":8,"method":"ping"}"#), None);
        assert_eq!(unreadable(br#"{"jsonrpc":"2.0","id":7,"method":"x","params":{"a":1e999}}"#).id, seven);
    }

    #[test]
    fn o2_a_message_with_too_many_values_is_refused() {
        let with =
            |params: &str| format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}"#);
        assert_eq!(code(&with(&format!(r#"{{"a":[{}0]}}"#, "0,".repeat(90_000)))), None);
        assert_eq!(code(&with(&format!(r#"{{"a":[{}0]}}"#, "0,".repeat(110_000)))), Some(-32600));
        assert_eq!(code(&with(&format!("{}1{}", "{\"a\":".repeat(200), "}".repeat(200)))), Some(-32700));
        let listen = |count: usize| {
            let uris = vec!["\"a://b\""; count].join(",");
            let params = format!(r#"{{"notifications":{{"resourceSubscriptions":[{uris}]}}}}"#);
            code(&format!(r#"{{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{params}}}"#))
        };
        assert_eq!((listen(1000), listen(1001)), (None, Some(-32602)));
        let name = "x".repeat(70_000);
        let initialize =
            format!(r#"{{"jsonrpc":"2.0","id":1,"method":"initialize","params":{{"clientInfo":"{name}"}}}}"#);
        assert_eq!(code(&initialize), Some(-32602));
    }
}
