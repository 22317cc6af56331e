//! The HTTP half of the protocol library's transport. The library knows sessions, versions and resumption; this client sends its
//! messages, and reads answers as the transport over standard streams reads lines.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Method, RequestBuilder, Response, StatusCode, Url};
use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, ErrorData, JsonRpcMessage, RequestId, ServerJsonRpcMessage,
};
use rmcp::transport::common::http_header::{
    EVENT_STREAM_MIME_TYPE, HEADER_LAST_EVENT_ID, HEADER_SESSION_ID, JSON_MIME_TYPE,
};
use rmcp::transport::streamable_http_client::{
    AuthRequiredError, SseError, StreamableHttpClient, StreamableHttpError, StreamableHttpPostResponse,
};
use sse_stream::Sse;

use super::answers::{self, AnswerTo, Answers};
#[cfg(feature = "mcp-auth")]
use super::authorized;
use super::fetch;
#[cfg(feature = "mcp-auth")]
use crate::auth::Authority;
use crate::client::{Reply, Unasked};
use crate::grants::Answer;
use crate::http_error::HttpError;
use crate::wire::{self, Fault, Incoming};

/// Requests of the server whose answers wait to be sent. Beyond it, the server is not asked any further.
const REPLIES: usize = 256;
/// The time to send one of them, and the pauses after attempts that fail.
const REPLY: Duration = Duration::from_secs(10);
const REPLY_PAUSES: [Duration; 3] = [Duration::from_millis(200), Duration::from_secs(1), Duration::ZERO];
/// How widespread servers say, with the status 400, that they do not know a session.
const LOST: [&str; 8] = [
    "no valid session",
    "session not found",
    "invalid session",
    "invalid or expired session",
    "invalid or missing session",
    "unknown session",
    "session expired",
    "server not initialized",
];

type Failure = StreamableHttpError<HttpError>;
type SseStream = BoxStream<'static, Result<Sse, SseError>>;

/// The client of one connection.
#[derive(Clone)]
pub(super) struct HttpClient(Arc<Inner>);

struct Inner {
    target: Target,
    unasked: Unasked,
    fault: Fault,
    replies: AtomicUsize,
    /// Whether the server gave a stream to a request for one.
    has_streams: AtomicBool,
}

/// Where requests go, and what each of them carries.
pub(super) struct Target {
    pub(super) http: Client,
    pub(super) address: Url,
    /// The configured headers.
    pub(super) headers: HeaderMap,
    #[cfg(feature = "mcp-auth")]
    pub(super) login: Option<Arc<Authority>>,
}

/// What a request carries beside the configured headers.
#[derive(Clone, Default)]
pub(super) struct Extra {
    session: Option<Arc<str>>,
    headers: HashMap<HeaderName, HeaderValue>,
}

impl HttpClient {
    pub(super) fn new(target: Target, unasked: Unasked, fault: Fault) -> Self {
        let (replies, has_streams) = (AtomicUsize::new(0), AtomicBool::new(false));
        Self(Arc::new(Inner { target, unasked, fault, replies, has_streams }))
    }

    pub(super) fn unasked(&self) -> &Unasked {
        &self.0.unasked
    }

    async fn send(
        &self,
        method: Method,
        extra: &Extra,
        prepare: impl Fn(RequestBuilder) -> RequestBuilder + Sync,
    ) -> Result<Response, HttpError> {
        #[cfg(feature = "mcp-auth")]
        if let Some(login) = &self.0.target.login {
            let send = |token| self.send_with(&method, extra, token, &prepare);
            return authorized::send(login, send).await;
        }
        self.send_with(&method, extra, None, &prepare).await
    }

    async fn send_with(
        &self,
        method: &Method,
        extra: &Extra,
        token: Option<HeaderValue>,
        prepare: impl Fn(RequestBuilder) -> RequestBuilder,
    ) -> Result<Response, HttpError> {
        let Target { http, address, headers, .. } = &self.0.target;
        fetch::send(http, method, address, |request| {
            // The configured ones last: a user's value replaces one of the library.
            let library = extra.headers.clone().into_iter().collect();
            let mut request = request.headers(library).headers(headers.clone());
            if let Some(token) = &token {
                request = request.header(AUTHORIZATION, token.clone());
            }
            if let Some(session) = &extra.session {
                request = request.header(HEADER_SESSION_ID, session.as_ref());
            }
            prepare(request)
        })
        .await
    }

    async fn post(&self, body: Vec<u8>, extra: &Extra) -> Result<Response, HttpError> {
        self.send(Method::POST, extra, |request| {
            request
                .header(ACCEPT, format!("{JSON_MIME_TYPE}, {EVENT_STREAM_MIME_TYPE}"))
                .header(CONTENT_TYPE, JSON_MIME_TYPE)
                .body(body.clone())
        })
        .await
    }

    /// Answers a request of the server, which came on the stream of `call`.
    pub(super) fn reply(
        &self,
        call: Option<&RequestId>,
        id: RequestId,
        method: &str,
        params: Option<&str>,
        extra: &Extra,
    ) {
        let reply = self.0.unasked.request(call, method, params);
        let (client, extra) = (self.clone(), extra.clone());
        match reply {
            Reply::Now(answer) => {
                if client.counts_reply() {
                    tokio::spawn(async move { client.send_reply(&id, answer, &extra).await });
                }
            }
            later @ Reply::Later(_) => {
                tokio::spawn(async move {
                    let answer = later.answer().await;
                    if client.counts_reply() {
                        client.send_reply(&id, answer, &extra).await;
                    }
                });
            }
        }
    }

    /// Counts an answer that is sent now. A server with too many is left.
    fn counts_reply(&self) -> bool {
        let is_counted = self.0.replies.fetch_add(1, Ordering::Relaxed) < REPLIES;
        if !is_counted {
            self.0.fault.end(format!("{REPLIES} answers to its own requests waited, and it was left"));
        }
        is_counted
    }

    /// Sends an answer. A person may have thought about it, so it is sent again if that fails; a server that has it ignores the second one.
    async fn send_reply(&self, id: &RequestId, answer: Answer, extra: &Extra) {
        let reply = wire::reply(id, answer).to_string().into_bytes();
        let mut is_sent = false;
        for pause in REPLY_PAUSES {
            let sent = tokio::time::timeout(REPLY, self.post(reply.clone(), extra)).await;
            is_sent = sent.is_ok_and(|sent| sent.is_ok_and(|response| !is_retried(response.status())));
            if is_sent {
                break;
            }
            tokio::time::sleep(pause).await;
        }
        if !is_sent {
            tracing::warn!("an answer to a request of an MCP server was not taken by it");
        }
        self.0.replies.fetch_sub(1, Ordering::Relaxed);
    }

    /// What an answer with a status of an error means for a message.
    async fn refused(
        &self,
        mut response: Response,
        message: &ClientJsonRpcMessage,
        extra: &Extra,
    ) -> Result<StreamableHttpPostResponse, HttpError> {
        let status = response.status();
        let body = fetch::error_body(&mut response).await;
        let error = wire::read(&body).into_iter().find_map(|incoming| match incoming {
            Incoming::Refusal(_, error) => Some(error),
            Incoming::Answer(..)
            | Incoming::Unreadable(..)
            | Incoming::Request(..)
            | Incoming::Progress(_)
            | Incoming::Log(_)
            | Incoming::ToolsChanged
            | Incoming::Other
            | Incoming::Foreign => None,
        });
        let is_lost = || {
            // Some servers say it in a plain text.
            let said = error
                .as_ref()
                .map_or_else(|| String::from_utf8_lossy(&body), |error| (&*error.message).into());
            let said = said.to_ascii_lowercase();
            LOST.iter().any(|words| said.contains(words))
        };
        if extra.session.is_some()
            && (status == StatusCode::NOT_FOUND || status == StatusCode::BAD_REQUEST && is_lost())
        {
            self.0.fault.end(HttpError::SessionLost.to_string());
            return Err(HttpError::SessionLost);
        }
        let is_login = matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN);
        if let JsonRpcMessage::Request(request) = message
            && !is_login
        {
            let answer = |error| {
                let answer = ServerJsonRpcMessage::error(error, Some(request.id.clone()));
                Ok(StreamableHttpPostResponse::Json(answer, None))
            };
            // A server of an earlier protocol does not know this request, and says so in its own way.
            if matches!(request.request, ClientRequest::DiscoverRequest(_)) && status.is_client_error() {
                let unknown = || ErrorData::invalid_request(format!("status {}", status.as_u16()), None);
                return answer(error.unwrap_or_else(unknown));
            }
            if let Some(error) = error {
                return answer(error);
            }
        }
        Err(fetch::failed(&response, &body))
    }
}

impl StreamableHttpClient for HttpClient {
    type Error = HttpError;

    async fn post_message(
        &self,
        _uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        _auth_header: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<StreamableHttpPostResponse, Failure> {
        let extra = Extra { session, headers };
        let response = self.post(serde_json::to_vec(&message)?, &extra).await.map_err(Failure::Client)?;
        if !response.status().is_success() {
            return self.refused(response, &message, &extra).await.map_err(Failure::Client);
        }
        if matches!(response.status(), StatusCode::ACCEPTED | StatusCode::NO_CONTENT) {
            return Ok(StreamableHttpPostResponse::Accepted);
        }
        let JsonRpcMessage::Request(request) = &message else {
            // Nobody waits for an answer to it.
            return Ok(StreamableHttpPostResponse::Accepted);
        };
        let session = response.headers().get(HEADER_SESSION_ID).and_then(|session| session.to_str().ok());
        let session = session.map(str::to_owned);
        let asked = AnswerTo::new(request);
        let kind = fetch::content_type(&response);
        match kind.as_deref() {
            Some(EVENT_STREAM_MIME_TYPE) => {
                Ok(StreamableHttpPostResponse::Sse(self.stream(response, Some(asked), extra), session))
            }
            Some(JSON_MIME_TYPE) => {
                let body = fetch::body(response).await.map_err(Failure::Client)?;
                let answer = answers::document(self, body.as_deref(), &asked, &extra);
                Ok(StreamableHttpPostResponse::Json(answer, session))
            }
            _ => Err(Failure::Client(HttpError::NotMcp { content_type: kind })),
        }
    }

    async fn delete_session(
        &self,
        _uri: Arc<str>,
        session: Arc<str>,
        _auth_header: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<(), Failure> {
        let extra = Extra { session: Some(session), headers };
        // Whatever the server says, the session is over for this client.
        self.send(Method::DELETE, &extra, |request| request).await.map(drop).map_err(Failure::Client)
    }

    async fn get_stream(
        &self,
        _uri: Arc<str>,
        session: Option<Arc<str>>,
        last_event_id: Option<String>,
        _auth_header: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<SseStream, Failure> {
        let extra = Extra { session, headers };
        let sent = self.send(Method::GET, &extra, |request| {
            let request = request.header(ACCEPT, EVENT_STREAM_MIME_TYPE);
            match &last_event_id {
                Some(id) => request.header(HEADER_LAST_EVENT_ID, id.as_str()),
                None => request,
            }
        });
        let mut response = sent.await.map_err(unstreamed)?;
        if response.status() == StatusCode::METHOD_NOT_ALLOWED {
            return Err(StreamableHttpError::ServerDoesNotSupportSse);
        }
        if !response.status().is_success() {
            if response.status() == StatusCode::NOT_FOUND && extra.session.is_some() {
                // A server without such streams has no page here. If the session is lost, the next message is told so.
                if self.0.has_streams.load(Ordering::Relaxed) {
                    self.0.fault.end(HttpError::SessionLost.to_string());
                }
                return Err(StreamableHttpError::ServerDoesNotSupportSse);
            }
            let body = fetch::error_body(&mut response).await;
            return Err(unstreamed(fetch::failed(&response, &body)));
        }
        match fetch::content_type(&response) {
            Some(kind) if kind == EVENT_STREAM_MIME_TYPE => {
                self.0.has_streams.store(true, Ordering::Relaxed);
                Ok(self.stream(response, None, extra))
            }
            content_type => Err(Failure::Client(HttpError::NotMcp { content_type })),
        }
    }
}

impl HttpClient {
    fn stream(&self, response: Response, asked: Option<AnswerTo>, extra: Extra) -> SseStream {
        Answers::new(self.clone(), response, asked, extra).into_stream().boxed()
    }
}

/// Whether a server may take the same message later.
fn is_retried(status: StatusCode) -> bool {
    status.is_server_error() || matches!(status, StatusCode::REQUEST_TIMEOUT | StatusCode::TOO_MANY_REQUESTS)
}

/// Why a stream could not be opened.
fn unstreamed(error: HttpError) -> Failure {
    match error {
        // The library asks again after other errors, without end.
        HttpError::Unauthorized { challenge } | HttpError::Forbidden { challenge } => {
            StreamableHttpError::AuthRequired(AuthRequiredError::new(challenge.unwrap_or_default()))
        }
        HttpError::LoginRequired { .. } | HttpError::Login { .. } => {
            StreamableHttpError::AuthRequired(AuthRequiredError::new(String::new()))
        }
        error @ (HttpError::Unreachable { .. }
        | HttpError::Interrupted { .. }
        | HttpError::Status { .. }
        | HttpError::Redirected { .. }
        | HttpError::RedirectCircle { .. }
        | HttpError::NotMcp { .. }
        | HttpError::SessionLost) => Failure::Client(error),
    }
}
