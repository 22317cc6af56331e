//! What both bindings have of HTTP: users, versions, bodies, streams.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes, to_bytes};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderValue, Response, StatusCode, Uri};
use futures_util::stream;
use onionskin_core::json::json_values;
use serde_json::Value;

use super::limits::VALUES;
use super::operations::Stream;
use super::store::Owner;
use super::{Inner, User};
use crate::wire::{EVENT_STREAM, Fault, Reason, StreamResponse, VERSION, VERSION_HEADER, is_spoken};

/// The pause of a stream after which a comment says that it is alive.
const KEEP_ALIVE: Duration = Duration::from_secs(15);
/// The time in which the body of a request has to arrive.
const BODY_TIME: Duration = Duration::from_secs(30);

pub(super) fn static_value(text: &'static str) -> HeaderValue {
    HeaderValue::from_static(text)
}

/// The user of a request.
pub(super) fn owner(extensions: &axum::http::Extensions) -> Result<Owner, Fault> {
    let owner = extensions.get::<User>().map(|user| Arc::clone(&user.0));
    if owner.as_deref().is_some_and(|id| id.trim().is_empty()) {
        tracing::error!("the check of the credentials gave an A2A request a user with a blank id");
        return Err(Fault::new(Reason::Internal, "the server does not know the user of the request"));
    }
    Ok(owner)
}

/// Checks the version of the protocol, which an old client leaves out.
pub(super) fn check_version(headers: &HeaderMap, uri: &Uri) -> Result<(), Fault> {
    let header = headers.get(VERSION_HEADER).and_then(|version| version.to_str().ok());
    let version = match header.filter(|version| !version.is_empty()) {
        Some(version) => Some(version.to_owned()),
        None => {
            query(uri).find(|(name, _)| name.eq_ignore_ascii_case(VERSION_HEADER)).map(|(_, value)| value)
        }
    };
    match version.filter(|version| !version.is_empty()) {
        Some(version) if is_spoken(&version) => Ok(()),
        version => Err(Fault::new(
            Reason::VersionNotSupported,
            format!(
                "the version {} of A2A is not supported: send `A2A-Version: {VERSION}`",
                version.as_deref().map_or("0.3".into(), |version| onionskin_core::text::short(version, 20))
            ),
        )),
    }
}

/// The parameters in the query of a request.
pub(super) fn query(uri: &Uri) -> impl Iterator<Item = (String, String)> {
    form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes())
        .map(|(name, value)| (name.into_owned(), value.into_owned()))
}

/// The body of a request, if it is JSON and not too long. A page of another site cannot send this type without a question of
/// the browser.
pub(super) async fn json_body(server: &Inner, headers: &HeaderMap, body: Body) -> Result<Bytes, Fault> {
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    if !matches!(&*kind, "application/json" | "application/a2a+json") {
        return Err(Fault::new(
            Reason::ContentTypeNotSupported,
            "expected a body with the content type application/json",
        ));
    }
    whole_body(server, body).await
}

/// The body of a request, if it is not too long.
pub(super) async fn whole_body(server: &Inner, body: Body) -> Result<Bytes, Fault> {
    let limit = server.limits.body_bytes;
    match tokio::time::timeout(BODY_TIME, to_bytes(body, limit)).await {
        Ok(Ok(bytes)) if json_values(&bytes) > VALUES => {
            Err(Fault::new(Reason::TooLarge, format!("the request has more than {VALUES} values")))
        }
        Ok(Ok(bytes)) => Ok(bytes),
        Ok(Err(_)) => Err(Fault::new(
            Reason::TooLarge,
            format!("the request has more than {limit} bytes, or its connection ended"),
        )),
        Err(_) => Err(Fault::new(Reason::InvalidRequest, "the body of the request did not arrive")),
    }
}

pub(super) fn json(status: StatusCode, value: &Value) -> Response<Body> {
    let mut response = Response::new(Body::from(value.to_string()));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, static_value("application/json"));
    response.headers_mut().insert(CACHE_CONTROL, static_value("no-store"));
    response
}

/// The events of a task as server-sent events.
pub(super) fn events(
    events: Stream,
    wrap: impl Fn(&StreamResponse) -> Value + Send + 'static,
) -> Response<Body> {
    let body = stream::unfold((events, wrap), |(mut events, wrap)| async move {
        let text = match tokio::time::timeout(KEEP_ALIVE, events.next()).await {
            Err(_) => ":\n\n".to_owned(),
            Ok(next) if next.is_empty() => return None,
            Ok(next) => {
                let mut text = String::new();
                for event in &next {
                    text.push_str(&format!("data: {}\n\n", wrap(event)));
                }
                text
            }
        };
        Some((Ok::<_, Infallible>(Bytes::from(text)), (events, wrap)))
    });
    let mut response = Response::new(Body::from_stream(body));
    response.headers_mut().insert(CONTENT_TYPE, static_value(EVENT_STREAM));
    response.headers_mut().insert(CACHE_CONTROL, static_value("no-store"));
    response
}
