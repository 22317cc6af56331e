//! Single HTTP requests to the server: redirects, statuses, bodies within bounds.

use std::time::{Duration, SystemTime};

use reqwest::header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, LOCATION, RETRY_AFTER, WWW_AUTHENTICATE};
use reqwest::{Client, Method, RequestBuilder, Response, StatusCode, Url};

use crate::http_error::HttpError;
use crate::visible::visible;
use crate::wire::LONGEST_LINE;

/// The most redirects of a request.
const REDIRECTS: usize = 5;
/// The largest body of an error that is read.
const ERROR_BODY: usize = 64 << 10;
/// The characters of an error's text that a message quotes.
const QUOTE: usize = 300;
/// Longer waits are probably not meant.
const LONGEST_WAIT: Duration = Duration::from_hours(24);

/// Makes the client for an address.
pub(super) fn client(url: &Url) -> Result<Client, HttpError> {
    let failed =
        |reason: String| HttpError::Unreachable { reason: format!("there is no HTTP client: {reason}") };
    let client = onionskin_tls::http_client(url).map_err(|error| failed(error.to_string()))?;
    client.build().map_err(|error| failed(cause(error)))
}

/// Sends a request, and follows redirects on the same host. `prepare` adds headers and body to each attempt.
pub(super) async fn send(
    client: &Client,
    method: &Method,
    address: &Url,
    prepare: impl Fn(RequestBuilder) -> RequestBuilder,
) -> Result<Response, HttpError> {
    let mut visited = vec![address.clone()];
    let mut url = address.clone();
    for _ in 0..=REDIRECTS {
        let response = prepare(client.request(method.clone(), url.clone())).send().await.map_err(unsent)?;
        let status = response.status();
        let location = response.headers().get(LOCATION).filter(|_| status.is_redirection());
        let Some(location) = location.and_then(|to| to.to_str().ok()) else { return encoded(response) };
        let Ok(to) = url.join(location) else {
            let to = location.split('?').next().unwrap_or_default();
            return Err(HttpError::Redirected { to: visible(to) });
        };
        let keeps_body = matches!(status, StatusCode::TEMPORARY_REDIRECT | StatusCode::PERMANENT_REDIRECT);
        if !is_same_host(address, &to) || (*method != Method::GET && !keeps_body) {
            return Err(HttpError::Redirected { to: shown(&to) });
        }
        if visited.contains(&to) {
            return Err(HttpError::RedirectCircle { to: shown(&to) });
        }
        visited.push(to.clone());
        url = to;
    }
    Err(HttpError::Redirected { to: shown(&url) })
}

/// Whether the credentials for one address may go to the other: the same host and port, or the encrypted port of the host.
fn is_same_host(configured: &Url, to: &Url) -> bool {
    let port = |url: &Url| (url.scheme().to_owned(), url.port_or_known_default());
    let is_upgrade = configured.scheme() == "http"
        && configured.port().is_none()
        && port(to) == ("https".to_owned(), Some(443));
    configured.host_str() == to.host_str() && (port(configured) == port(to) || is_upgrade)
}

/// An address without the parts that may be secret.
fn shown(url: &Url) -> String {
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    visible(&format!("{}://{}{port}{}", url.scheme(), url.host_str().unwrap_or_default(), url.path()))
}

/// Refuses a body that is compressed although that was not asked for: a small one can be a very large one.
fn encoded(response: Response) -> Result<Response, HttpError> {
    match response
        .headers()
        .get(CONTENT_ENCODING)
        .map(|encoding| String::from_utf8_lossy(encoding.as_bytes()))
    {
        Some(encoding) if !encoding.eq_ignore_ascii_case("identity") => {
            Err(HttpError::NotMcp { content_type: Some(format!("Content-Encoding: {}", visible(&encoding))) })
        }
        _ => Ok(response),
    }
}

/// The media type of a body, without parameters.
pub(super) fn content_type(response: &Response) -> Option<String> {
    let kind = response.headers().get(CONTENT_TYPE)?;
    let kind = String::from_utf8_lossy(kind.as_bytes());
    Some(visible(kind.split(';').next().unwrap_or_default().trim()).to_ascii_lowercase())
}

/// The whole body; `None` if it is longer than a message may be.
pub(super) async fn body(mut response: Response) -> Result<Option<Vec<u8>>, HttpError> {
    let mut bytes = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(interrupted)? {
        if bytes.len() + chunk.len() > LONGEST_LINE {
            return Ok(None);
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(Some(bytes))
}

/// The beginning of the body of an error.
pub(super) async fn error_body(response: &mut Response) -> Vec<u8> {
    let mut bytes = Vec::new();
    while bytes.len() < ERROR_BODY
        && let Ok(Some(chunk)) = response.chunk().await
    {
        bytes.extend_from_slice(&chunk[..chunk.len().min(ERROR_BODY - bytes.len())]);
    }
    bytes
}

/// The error of a status that is no success. `body` is the beginning of its body.
pub(super) fn failed(response: &Response, body: &[u8]) -> HttpError {
    let header = |name| response.headers().get(name);
    let challenge = || {
        let value = header(WWW_AUTHENTICATE)?.to_str().ok()?;
        Some(visible(value))
    };
    match response.status() {
        StatusCode::UNAUTHORIZED => HttpError::Unauthorized { challenge: challenge() },
        StatusCode::FORBIDDEN => HttpError::Forbidden { challenge: challenge() },
        status => HttpError::Status {
            status: status.as_u16(),
            retry_after: retry_after(response.headers()),
            // Pages for browsers say nothing.
            message: match content_type(response).as_deref() {
                Some("text/html") => String::new(),
                _ => visible(&String::from_utf8_lossy(body).trim().chars().take(QUOTE).collect::<String>()),
            },
        },
    }
}

/// The wait that the server asks for: a number of seconds, or a date.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let value = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    let wait = match value.parse() {
        Ok(seconds) => Duration::from_secs(seconds),
        Err(_) => httpdate::parse_http_date(value).ok()?.duration_since(SystemTime::now()).ok()?,
    };
    Some(wait.min(LONGEST_WAIT))
}

/// Why a request has no answer.
fn unsent(error: reqwest::Error) -> HttpError {
    let is_unreachable = error.is_connect() || error.is_builder();
    let reason = cause(error);
    if is_unreachable { HttpError::Unreachable { reason } } else { HttpError::Interrupted { reason } }
}

/// Why a body ended.
pub(super) fn interrupted(error: reqwest::Error) -> HttpError {
    HttpError::Interrupted { reason: cause(error) }
}

/// The cause of an error, which may hold words of the server.
fn cause(error: reqwest::Error) -> String {
    visible(&onionskin_tls::cause(error))
}
