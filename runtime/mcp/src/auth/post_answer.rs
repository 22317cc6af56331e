//! Answers to requests for tokens and for a client, as the standard has them. Servers write them in other forms too.

use std::time::Duration;

use reqwest::StatusCode;
use serde_json::{Map, Value};

/// The errors after which the same tokens can be used again.
const TRANSIENT: [&str; 3] = ["server_error", "slow_down", "temporarily_unavailable"];
/// The seconds that a token lasts.
const LASTS: &str = "expires_in";

pub(super) struct PostAnswer {
    pub(super) status: StatusCode,
    pub(super) body: Vec<u8>,
    pub(super) is_json: bool,
    pub(super) refusal: Refusal,
}

/// Whether the authorization server refuses what was sent. A gateway before it knows nothing of tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Refusal {
    #[default]
    None,
    /// By its status, and it does not say of what.
    Unclear,
    Clear,
}

impl PostAnswer {
    pub(super) fn read(status: StatusCode, body: Vec<u8>) -> Self {
        let is_unauthorized = matches!(status, StatusCode::BAD_REQUEST | StatusCode::UNAUTHORIZED);
        let Ok(fields) = serde_json::from_slice::<Map<String, Value>>(&body) else {
            let is_page = body.trim_ascii_start().starts_with(b"<");
            let refusal = if is_unauthorized && !is_page { Refusal::Unclear } else { Refusal::None };
            return Self { status, body, is_json: false, refusal };
        };
        let text = |key: &str| fields.get(key).and_then(Value::as_str).filter(|error| !error.is_empty());
        let error = text("error");
        let status = match error {
            Some(_) if status.is_success() => StatusCode::BAD_REQUEST,
            None if status.is_success() => StatusCode::OK,
            _ => status,
        };
        // Gateways have words for people there: "Not Found".
        let is_code =
            |error: &&str| error.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_'));
        let code = error.or_else(|| text("error_code")).filter(is_code);
        let is_clear = match status {
            StatusCode::TOO_MANY_REQUESTS | StatusCode::REQUEST_TIMEOUT => false,
            _ => status.is_client_error() && code.is_some_and(|code| !TRANSIENT.contains(&code)),
        };
        let refusal = if is_clear { Refusal::Clear } else { Refusal::None };
        Self { status, body: with_whole_seconds(fields).unwrap_or(body), is_json: true, refusal }
    }
}

/// The body with a number of seconds in the place of a text or a fraction, or without what is no time. `None` if it can stay.
fn with_whole_seconds(mut fields: Map<String, Value>) -> Option<Vec<u8>> {
    let lasts = fields.remove(LASTS).filter(|lasts| !lasts.is_u64())?;
    let seconds = lasts.as_f64().or_else(|| lasts.as_str()?.trim().parse().ok());
    if let Some(time) = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()) {
        fields.insert(LASTS.to_owned(), time.as_secs().into());
    }
    serde_json::to_vec(&fields).ok()
}
