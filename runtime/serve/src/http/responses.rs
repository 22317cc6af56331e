//! Answers to requests that do not reach the protocol.

use http::header::{CONTENT_TYPE, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{Response, StatusCode};
use http_body_util::Full;
use hyper::body::Bytes;
use serde_json::json;

pub(crate) type Refusal = Response<Full<Bytes>>;

/// An answer with an error of JSON-RPC, so that clients of MCP can show it.
pub(crate) fn refusal(status: StatusCode, code: i32, message: &str) -> Refusal {
    let error = json!({ "jsonrpc": "2.0", "error": { "code": code, "message": message } });
    json_answer(status, error.to_string())
}

/// An answer of JSON.
pub(crate) fn json_answer(status: StatusCode, text: String) -> Refusal {
    let mut response = Response::new(Full::from(text));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// The answer to a user with too many requests.
pub(crate) fn too_many_requests(seconds: u64) -> Refusal {
    let mut response = refusal(StatusCode::TOO_MANY_REQUESTS, -32000, "too many requests: wait");
    response.headers_mut().insert(RETRY_AFTER, seconds.into());
    response
}

/// The answer to a request without a valid token. `metadata` is the address of the metadata of the resource.
pub(crate) fn unauthorized(has_token: bool, metadata: Option<&str>) -> Refusal {
    let mut parameters = Vec::new();
    if has_token {
        parameters.push("error=\"invalid_token\"".to_owned());
    }
    parameters.extend(metadata.map(|address| format!("resource_metadata=\"{address}\"")));
    let challenge = format!("Bearer {}", parameters.join(", "));
    let message = if has_token { "the token is not valid" } else { "a bearer token is required" };
    let mut response = refusal(StatusCode::UNAUTHORIZED, -32001, message);
    if let Ok(challenge) = HeaderValue::from_str(challenge.trim_end()) {
        response.headers_mut().insert(WWW_AUTHENTICATE, challenge);
    }
    response
}

/// The answer of a server that ends.
pub(crate) fn unavailable(message: &str) -> Refusal {
    let mut response = refusal(StatusCode::SERVICE_UNAVAILABLE, -32000, message);
    response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("5"));
    response
}
