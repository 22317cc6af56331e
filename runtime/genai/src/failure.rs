//! What went wrong with a request, without secrets.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use reqwest::Response;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue, LOCATION};
use serde_json::{Value, json};

use onionskin_core::model::ModelError;
use onionskin_core::secret::{Redactor, Secret};

use crate::bounds;
use crate::words::{has_code, words};

/// A key, and what finds it.
#[derive(Clone)]
pub(crate) struct ApiKey(Arc<(Secret<String>, Redactor)>);

impl ApiKey {
    pub(crate) fn new(key: Secret<String>) -> Self {
        let redactor = Redactor::new([(key.expose().as_bytes(), Arc::from("***"))]);
        Self(Arc::new((key, redactor)))
    }

    /// No key at all.
    pub(crate) fn none() -> Self {
        Self::new(Secret::new(String::new()))
    }

    pub(crate) fn expose(&self) -> &str {
        self.0.0.expose()
    }

    /// The value of a header, behind this text.
    pub(crate) fn header(&self, before: &str) -> Result<HeaderValue, ModelError> {
        let value = HeaderValue::from_str(&format!("{before}{}", self.expose()));
        let mut value = value.map_err(|_| {
            ModelError::Setup(
                "the key has a character that no HTTP header can have, such as a line break".to_owned(),
            )
        })?;
        value.set_sensitive(true);
        Ok(value)
    }

    /// Words of the provider for an error: bounded, and without the key, which some servers repeat.
    pub(crate) fn quote(&self, text: &str) -> String {
        let text = text.trim();
        // The mark of the cut goes to the redactor too, which hides the beginning of a key before it.
        let shown = match text.char_indices().nth(bounds::QUOTE) {
            Some((end, _)) => Cow::Owned(format!("{}..", &text[..end])),
            None => Cow::Borrowed(text),
        };
        self.0.1.redact(shown).into_owned()
    }
}

/// A URL without a user and password in it.
pub(crate) fn without_user(url: &str) -> Cow<'_, str> {
    let Some((scheme, rest)) = url.split_once("://") else { return Cow::Borrowed(url) };
    let host_end = rest.find('/').unwrap_or(rest.len());
    match rest[..host_end].rfind('@') {
        Some(at) => Cow::Owned(format!("{scheme}://***@{}", &rest[at + 1..])),
        None => Cow::Borrowed(url),
    }
}

/// The error of a request that could not be sent, or whose answer broke off.
pub(crate) fn sending(error: reqwest::Error, secret: &ApiKey) -> ModelError {
    // The address may hold secrets; the agent's author knows it.
    ModelError::Transport(secret.quote(&chain(&error.without_url())))
}

/// The error of an answer with a status of failure.
pub(crate) async fn status(response: Response, secret: &ApiKey) -> ModelError {
    let status = response.status();
    let wait = retry_after(response.headers());
    let text = |name: HeaderName| response.headers().get(name).and_then(|value| value.to_str().ok());
    let lasts = text(HeaderName::from_static("x-should-retry")) == Some("false");
    // What is behind the path can be a secret.
    let leads_to = text(LOCATION).filter(|_| status.is_redirection());
    let leads_to = leads_to.map(|url| without_user(url.split(['?', '#']).next().unwrap_or(url)).into_owned());
    let body = error_body(response).await;
    let parsed: Value = serde_json::from_str(&body).unwrap_or_default();
    if let Some(error) = unreadable_call(&parsed, secret) {
        return error;
    }
    let words = words(&parsed).unwrap_or(Cow::Borrowed(&body));
    match leads_to {
        Some(url) => {
            let words =
                format!("redirects are not followed, and it leads to {url}: check the base URL; {words}");
            ModelError::status(status.as_u16(), secret.quote(words.trim_end_matches("; ")), None)
        }
        None => refusal(status.as_u16(), &parsed, secret.quote(&words), wait, lasts),
    }
}

/// The error of a provider that refuses a request with this status, or would, in the body of an error.
fn refusal(status: u16, body: &Value, words: String, wait: Option<Duration>, lasts: bool) -> ModelError {
    if is_too_long(status, body, &words) {
        ModelError::too_long(words)
    } else if lasts || has_code(body, &["insufficient_quota"]) {
        // The account has no money left. The status is that of too many requests, which pass.
        ModelError::status_that_lasts(status, words)
    } else {
        ModelError::status(status, words, wait.or_else(|| retry_delay(body)))
    }
}

/// What providers write about a conversation that does not fit into the model's window. Those that have a code for it are the fewest.
const TOO_LONG: [&str; 19] = [
    "prompt is too long",
    "prompt too long",
    "input is too long",
    "input length and `max_tokens` exceed",
    "maximum context length",
    "model's context length",
    "greater than the context length",
    "model token limit",
    "prompt token count of",
    "range of input length",
    "`inputs` tokens",
    "`inputs` must have less than",
    "maximum prompt length",
    "context window",
    "context size",
    "exceeds the maximum number of tokens",
    "too many tokens",
    "reduce the length of the messages",
    TOO_LARGE,
];
/// A request with more tokens than the account has in a minute, which no wait makes smaller.
const TOO_LARGE: &str = "request too large for";

/// Whether the conversation is too long for the model.
fn is_too_long(status: u16, body: &Value, words: &str) -> bool {
    let words = words.to_ascii_lowercase();
    let is_about_the_answer =
        words.contains("max_tokens' is too large") || words.contains("max_tokens is too large");
    match status {
        400 | 413 | 422 => {
            !is_about_the_answer
                && (has_code(
                    body,
                    &["context_length_exceeded", "exceed_context_size_error", "request_too_large"],
                ) || TOO_LONG.iter().any(|known| words.contains(known)))
        }
        429 => words.contains(TOO_LARGE),
        _ => false,
    }
}

/// The error of an answer of Responses that failed, in the words of the provider. A code that is none of those that pass is a mistake of the
/// request, and stays.
pub(crate) fn failed(error: &Value) -> ModelError {
    let text = |field: &str| error.get(field).and_then(Value::as_str).unwrap_or_default();
    let (code, words) = (text("code"), text("message"));
    if code.is_empty() {
        return ModelError::Incomplete(format!("the provider failed: {words}"));
    }
    let status = status_of(code).unwrap_or(400);
    refusal(status, &json!({ "error": error }), format!("`{code}`: {words}"), None, false)
}

/// An error that has words of the provider, bounded and without the key.
pub(crate) fn scrubbed(error: ModelError, secret: &ApiKey) -> ModelError {
    match error {
        ModelError::Incomplete(text) => ModelError::Incomplete(secret.quote(&text)),
        ModelError::Malformed(text) => ModelError::Malformed(secret.quote(&text)),
        ModelError::TooLong(text) => ModelError::TooLong(secret.quote(&text)),
        ModelError::Status { status, message, retry_after, lasts: false, .. } => {
            ModelError::status(status, secret.quote(&message), retry_after)
        }
        ModelError::Status { status, message, .. } => {
            ModelError::status_that_lasts(status, secret.quote(&message))
        }
        other @ (ModelError::Transport(_)
        | ModelError::Timeout(_)
        | ModelError::Unended(_)
        | ModelError::Unavailable { .. }
        | ModelError::Setup(_)
        | ModelError::Tools(_)
        | ModelError::Unsupported { .. }
        | ModelError::UnreadContent { .. }
        | ModelError::ToolChoice(_)
        | ModelError::Script(_)
        | _) => other,
    }
}

/// The error of a call that the model wrote and its provider could not read, in the words of Groq: another attempt can succeed.
fn unreadable_call(body: &Value, secret: &ApiKey) -> Option<ModelError> {
    let error = body.get("error").filter(|error| error["code"] == "tool_use_failed")?;
    let words = error["message"].as_str().unwrap_or_default();
    let wrote = error["failed_generation"].as_str().unwrap_or_default();
    let text = format!("the provider could not read its tool call: {words}; the model wrote: {wrote}");
    Some(ModelError::Incomplete(secret.quote(&text)))
}

/// The beginning of the body of an error. What cannot be read is left out: the status says enough.
async fn error_body(mut response: Response) -> String {
    let mut bytes = Vec::new();
    while bytes.len() < bounds::ERROR_BODY {
        match response.chunk().await {
            Ok(Some(chunk)) => {
                let wanted = (bounds::ERROR_BODY - bytes.len()).min(chunk.len());
                bytes.extend_from_slice(&chunk[..wanted]);
            }
            Ok(None) | Err(_) => break,
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The error that a provider sent instead of an answer, or in a stream, with the status that it would have before a stream. `None` if
/// the document is no error.
pub(crate) fn reported(body: &Value, secret: &ApiKey) -> Option<ModelError> {
    // Gemini writes its errors as a list, and into a list of events.
    if let Value::Array(events) = body {
        return events.iter().find_map(|event| reported(event, secret));
    }
    let is_error_event = body.get("type").is_some_and(|kind| kind == "error");
    let error = match body.get("error") {
        // Some servers write the field into each answer, empty.
        Some(error @ Value::Object(fields)) if !fields.is_empty() => error,
        Some(error @ Value::String(words)) if !words.is_empty() => error,
        // The form of Bedrock, which a gateway can send with any status.
        _ if is_error_event || body.get("__type").is_some_and(Value::is_string) => body,
        _ => return None,
    };
    if let Some(error) = unreadable_call(body, secret) {
        return Some(error);
    }
    let is_flat =
        is_error_event && body.get("code").is_some_and(Value::is_string) && body.get("error").is_none();
    let has_failed = error.is_object() && body.get("status").is_some_and(|status| status == "failed");
    if is_flat || has_failed {
        return Some(scrubbed(failed(error), secret));
    }
    let texts = ["type", "code", "status", "__type"].map(|field| error.get(field).and_then(Value::as_str));
    let number = error.get("code").or_else(|| error.get("status")).and_then(Value::as_u64);
    let status = texts.into_iter().flatten().find_map(status_of).or_else(|| {
        number.and_then(|number| u16::try_from(number).ok()).filter(|number| (400..600).contains(number))
    });
    let whole = body.to_string();
    let words = secret.quote(&words(body).unwrap_or(Cow::Borrowed(&whole)));
    Some(match status {
        Some(status) => refusal(status, body, words, None, false),
        None => ModelError::Transport(format!("the provider ended the answer: {words}")),
    })
}

/// The status that an error has outside of a stream.
fn status_of(kind: &str) -> Option<u16> {
    // Amazon's are behind the name of the service.
    Some(match kind.rsplit('#').next().unwrap_or(kind) {
        "invalid_request_error"
        | "context_length_exceeded"
        | "exceed_context_size_error"
        | "ValidationException"
        | "INVALID_ARGUMENT"
        | "FAILED_PRECONDITION" => 400,
        "authentication_error" | "invalid_api_key" | "UNAUTHENTICATED" => 401,
        "billing_error" => 402,
        "permission_error" | "PERMISSION_DENIED" | "AccessDeniedException" => 403,
        "not_found_error" | "model_not_found" | "NOT_FOUND" => 404,
        "request_too_large" => 413,
        "rate_limit_error"
        | "rate_limit_exceeded"
        | "insufficient_quota"
        | "RESOURCE_EXHAUSTED"
        | "ThrottlingException" => 429,
        "api_error" | "server_error" | "internal_server_error" | "INTERNAL" | "InternalServerException" => {
            500
        }
        "UNAVAILABLE" | "server_is_overloaded" | "slow_down" | "ServiceUnavailableException" => 503,
        "timeout_error" | "vector_store_timeout" | "DEADLINE_EXCEEDED" | "ModelTimeoutException" => 504,
        "overloaded_error" => 529,
        _ => return None,
    })
}

/// The error of a document that is neither an answer of the protocol nor an error.
pub(crate) fn unexpected(document: &str, adapter: &str, secret: &ApiKey) -> ModelError {
    let parsed: Option<Value> = serde_json::from_str(document).ok();
    let words = secret.quote(&parsed.as_ref().and_then(words).unwrap_or(Cow::Borrowed(document)));
    ModelError::Malformed(format!(
        "it is no answer in the protocol `{adapter}`; check the base URL and the adapter; the server said: {words}"
    ))
}

/// The time that the provider asks to wait: `retry-after-ms`, or `retry-after` as seconds or as a date, which proxies write. The run bounds it.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = |name: &str| headers.get(name)?.to_str().ok().map(str::trim);
    let number = |name: &str| text(name)?.parse::<f64>().ok();
    if let Some(seconds) = number("retry-after-ms").map(|ms| ms / 1000.0).or_else(|| number("retry-after")) {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let date = httpdate::parse_http_date(text("retry-after")?).ok()?;
    Some(date.duration_since(SystemTime::now()).unwrap_or_default())
}

/// The time that Gemini asks to wait, in the body of the error.
fn retry_delay(body: &Value) -> Option<Duration> {
    let details = body.get(0).unwrap_or(body).pointer("/error/details")?.as_array()?;
    let delay = details.iter().find_map(|detail| detail.get("retryDelay")?.as_str())?;
    Duration::try_from_secs_f64(delay.strip_suffix('s')?.parse().ok()?).ok()
}

/// An error with its causes: the outermost alone says just "error sending request".
fn chain(error: &(dyn std::error::Error + 'static)) -> String {
    let outer = error.downcast_ref::<reqwest::Error>().map(|_| "the request failed".to_owned());
    let mut text = outer.unwrap_or_else(|| error.to_string());
    let mut source = error.source();
    while let Some(cause) = source {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        source = cause.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn o3_a_quote_is_cut_first_and_shows_no_beginning_of_the_key() {
        let key = ApiKey::new(Secret::new("key-7-very-secret".to_owned()));
        let begun = format!("{}key-7-very-secret and more", "x".repeat(bounds::QUOTE - 10));
        assert!(!key.quote(&begun).contains("key-7"), "{}", key.quote(&begun));
        assert_eq!(key.quote(" no key-7-very-secret "), "no ***");
        // As long as an event can be, and with what the redactor takes its time for.
        assert!(key.quote(&".".repeat(bounds::LINE)).len() <= bounds::QUOTE + 2);
    }

    #[test]
    fn o3_an_error_of_bedrock_in_a_body_has_its_status() {
        let reported_error = |kind: &str, words: &str| {
            reported(&json!({ "__type": kind, "message": words }), &ApiKey::none()).unwrap()
        };
        let error =
            reported_error("com.amazon.coral.service#ThrottlingException", "Too many tokens, please wait");
        assert!(matches!(error, ModelError::Status { status: 429, .. }) && error.is_transient(), "{error}");
        let error = reported_error("ValidationException", "Input is too long for requested model.");
        assert!(matches!(error, ModelError::TooLong(_)), "{error}");
    }
}
