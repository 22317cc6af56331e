//! Answers to requests that are refused before anything runs.

use http::header::{CONTENT_TYPE, HeaderName, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{Response, StatusCode};
use http_body_util::Full;
use hyper::body::Bytes;
use rmcp::model::RequestId;
use serde_json::{Value, json};

/// A refusal, which each front writes in its own form.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub(crate) status: StatusCode,
    /// The code of JSON-RPC.
    code: i32,
    message: String,
    /// The id of the request, if it could be read.
    id: Option<RequestId>,
    /// Further headers. A short list: the refusal is the error of many results.
    headers: Vec<(HeaderName, HeaderValue)>,
}

/// A refusal without further headers.
pub(crate) fn refusal(status: StatusCode, code: i32, message: impl Into<String>) -> Refusal {
    Refusal { status, code, message: message.into(), id: None, headers: Vec::new() }
}

/// The refusal of a user with too many requests.
pub(crate) fn too_many_requests(seconds: u64) -> Refusal {
    let mut refusal = refusal(StatusCode::TOO_MANY_REQUESTS, -32000, "too many requests: wait");
    refusal.headers.push((RETRY_AFTER, seconds.into()));
    refusal
}

/// The refusal of a request without a valid token. `metadata` is the address of the metadata of the resource.
pub(crate) fn unauthorized(has_token: bool, metadata: Option<&str>) -> Refusal {
    let mut parameters = Vec::new();
    if has_token {
        parameters.push("error=\"invalid_token\"".to_owned());
    }
    parameters.extend(metadata.map(|address| format!("resource_metadata=\"{address}\"")));
    let challenge = format!("Bearer {}", parameters.join(", "));
    let message = if has_token { "the token is not valid" } else { "a bearer token is required" };
    let mut refusal = refusal(StatusCode::UNAUTHORIZED, -32001, message);
    if let Ok(challenge) = HeaderValue::from_str(challenge.trim_end()) {
        refusal.headers.push((WWW_AUTHENTICATE, challenge));
    }
    refusal
}

/// The refusal of a server that ends or has no room.
pub(crate) fn unavailable(message: &str) -> Refusal {
    let mut refusal = refusal(StatusCode::SERVICE_UNAVAILABLE, -32000, message);
    refusal.headers.push((RETRY_AFTER, HeaderValue::from_static("5")));
    refusal
}

impl Refusal {
    pub(crate) fn with_id(mut self, id: Option<RequestId>) -> Self {
        self.id = id;
        self
    }

    /// The refusal as an error of JSON-RPC, so that clients of MCP can show it.
    pub(crate) fn into_rpc(self) -> Response<Full<Bytes>> {
        let mut body = json!({ "jsonrpc": "2.0", "error": { "code": self.code, "message": self.message } });
        if let Some(id) = &self.id {
            body["id"] = serde_json::to_value(id).unwrap_or_default();
        }
        answer(self.status, self.headers, "application/json", &body)
    }

    /// The refusal as a problem (RFC 9457), for programs that use plain HTTP.
    pub(crate) fn into_problem(self) -> Response<Full<Bytes>> {
        let body = self.problem();
        answer(self.status, self.headers, "application/problem+json", &body)
    }

    /// The problem.
    pub(crate) fn problem(&self) -> Value {
        let title = self.status.canonical_reason().unwrap_or("Error");
        json!({ "type": "about:blank", "title": title, "status": self.status.as_u16(), "detail": self.message })
    }
}

fn answer(
    status: StatusCode,
    headers: Vec<(HeaderName, HeaderValue)>,
    kind: &'static str,
    body: &Value,
) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::from(body.to_string()));
    *response.status_mut() = status;
    response.headers_mut().extend(headers);
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}
