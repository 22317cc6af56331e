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
    /// Whether the authorization server refuses what was sent. A gateway before it knows nothing of tokens.
    pub(super) is_refusal: bool,
}

impl PostAnswer {
    pub(super) fn read(status: StatusCode, body: Vec<u8>) -> Self {
        let Ok(fields) = serde_json::from_slice::<Map<String, Value>>(&body) else {
            return Self { status, body, is_json: false, is_refusal: false };
        };
        let error = fields.get("error").and_then(Value::as_str).filter(|error| !error.is_empty());
        let status = match error {
            Some(_) if status.is_success() => StatusCode::BAD_REQUEST,
            None if status.is_success() => StatusCode::OK,
            _ => status,
        };
        let is_refusal = match (status, error) {
            (StatusCode::TOO_MANY_REQUESTS | StatusCode::REQUEST_TIMEOUT, _) => false,
            (_, Some(error)) => status.is_client_error() && !TRANSIENT.contains(&error),
            (_, None) => matches!(status, StatusCode::BAD_REQUEST | StatusCode::UNAUTHORIZED),
        };
        Self { status, body: with_whole_seconds(fields).unwrap_or(body), is_json: true, is_refusal }
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
