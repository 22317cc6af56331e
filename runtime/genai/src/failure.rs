//! genai's errors as ours, without secrets.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use genai::webc;
use reqwest::header::HeaderMap;
use serde_json::Value;

use onionskin_core::model::ModelError;
use onionskin_core::secret::{Redactor, Secret};

/// More of a provider's answer than this is not repeated in an error.
const LONGEST: usize = 2_000;

/// A key, and what finds it.
#[derive(Clone)]
pub(super) struct ApiKey(Arc<(Secret<String>, Redactor)>);

impl ApiKey {
    pub(super) fn new(key: Secret<String>) -> Self {
        let redactor = Redactor::new([(key.expose().as_bytes(), Arc::from("***"))]);
        Self(Arc::new((key, redactor)))
    }

    /// No key at all.
    pub(super) fn none() -> Self {
        Self::new(Secret::new(String::new()))
    }

    pub(super) fn expose(&self) -> &str {
        self.0.0.expose()
    }

    /// Takes the key out of a text: some servers repeat it in their errors.
    fn scrub(&self, text: &str) -> String {
        let text = self.0.1.redact(text);
        match text.char_indices().nth(LONGEST) {
            Some((end, _)) => format!("{}..", &text[..end]),
            None => text.into_owned(),
        }
    }
}

/// A URL without a user and password in it.
pub(super) fn without_user(url: &str) -> Cow<'_, str> {
    let Some((scheme, rest)) = url.split_once("://") else { return Cow::Borrowed(url) };
    let host_end = rest.find('/').unwrap_or(rest.len());
    match rest[..host_end].rfind('@') {
        Some(at) => Cow::Owned(format!("{scheme}://***@{}", &rest[at + 1..])),
        None => Cow::Borrowed(url),
    }
}

/// Converts genai's error. `ModelError::is_transient` in onionskin-core decides whether the loop asks again.
pub(super) fn model_error(error: genai::Error, secret: &ApiKey) -> ModelError {
    use genai::Error;
    if let (Some(status), Some(headers)) = (error.status(), error.headers()) {
        let body = match &error {
            Error::HttpError { body, .. }
            | Error::WebModelCall { webc_error: webc::Error::ResponseFailedStatus { body, .. }, .. }
            | Error::WebAdapterCall { webc_error: webc::Error::ResponseFailedStatus { body, .. }, .. } => {
                body
            }
            _ => "",
        };
        let message = secret.scrub(&message_of(body));
        return ModelError::status(status.as_u16(), message, retry_after(headers));
    }
    match error {
        Error::WebStream { error, .. } => match error.downcast::<Error>() {
            Ok(inner) => model_error(*inner, secret),
            Err(error) if error.is::<std::string::FromUtf8Error>() => {
                ModelError::Malformed(format!("it is not UTF-8: {error}"))
            }
            Err(error) => ModelError::Transport(secret.scrub(&chain(&*error))),
        },
        Error::WebModelCall { webc_error, .. } | Error::WebAdapterCall { webc_error, .. } => match webc_error
        {
            webc::Error::Reqwest(error) => {
                // The address may hold secrets; the agent's author knows it.
                ModelError::Transport(secret.scrub(&chain(&error.without_url())))
            }
            error => ModelError::Malformed(secret.scrub(&error.to_string())),
        },
        Error::ChatResponse { body, .. } => event_error(&body, secret),
        Error::StreamParse { serde_error, .. } => ModelError::Malformed(serde_error.to_string()),
        // Its text would repeat the whole request.
        Error::ChatResponseGeneration { cause, .. } => ModelError::Malformed(secret.scrub(&cause)),
        Error::NoChatResponse { .. } => ModelError::Malformed("it contains no answer".to_owned()),
        Error::InvalidJsonResponseElement { .. } | Error::JsonValueExt(_) | Error::SerdeJson(_) => {
            ModelError::Malformed(secret.scrub(&error.to_string()))
        }
        error => ModelError::Setup(secret.scrub(&error.to_string())),
    }
}

/// An error that came inside a stream: as the status that the same error has before the stream.
fn event_error(body: &Value, secret: &ApiKey) -> ModelError {
    let inner = body.get("error").unwrap_or(body);
    let kind = inner.get("type").and_then(Value::as_str).unwrap_or_default();
    let number = inner.get("code").and_then(Value::as_u64).and_then(|code| u16::try_from(code).ok());
    let status = match kind {
        "invalid_request_error" => Some(400),
        "authentication_error" => Some(401),
        "permission_error" => Some(403),
        "not_found_error" => Some(404),
        "request_too_large" => Some(413),
        "rate_limit_error" | "rate_limit_exceeded" | "insufficient_quota" => Some(429),
        "api_error" | "server_error" => Some(500),
        "timeout_error" => Some(504),
        "overloaded_error" => Some(529),
        _ => number.filter(|number| (400..600).contains(number)),
    };
    let message = secret.scrub(&message_of(&body.to_string()));
    match status {
        Some(status) => ModelError::status(status, message, None),
        None => ModelError::Transport(format!("the provider ended the stream: {message}")),
    }
}

/// The sentence inside an error's body, or the body.
fn message_of(body: &str) -> String {
    let parsed: Option<Value> = serde_json::from_str(body).ok();
    let sentence = parsed.as_ref().and_then(|body| {
        ["/error/message", "/message", "/error"].iter().find_map(|path| body.pointer(path)?.as_str())
    });
    sentence.unwrap_or(body).trim().to_owned()
}

/// The time that the provider asks to wait: `retry-after-ms`, or `retry-after` in seconds. A date is not
/// read, as no provider sends one.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let number = |name: &str| headers.get(name)?.to_str().ok()?.trim().parse::<f64>().ok();
    let seconds = number("retry-after-ms").map(|ms| ms / 1000.0).or_else(|| number("retry-after"))?;
    Duration::try_from_secs_f64(seconds).ok()
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
