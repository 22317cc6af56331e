//! The endpoint: what each request passes before it reaches the protocol.

use std::convert::Infallible;
use std::sync::Arc;
use std::task::{Context, Poll};

use http::header::{CONTENT_LENGTH, CONTENT_TYPE, HeaderName, HeaderValue};
use http::{Method, Request, Response, StatusCode, request};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::{Body, Bytes};
use onionskin_core::text::short;
use onionskin_core::{BoxFuture, CancellationToken};
use rmcp::model::{ClientJsonRpcMessage, JsonRpcError};
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tower_service::Service;

use super::Http;
use super::accept::name_forms;
use super::admission::{preflight, share_with};
use super::body::Holding;
use super::door::Door;
use super::handover::Handover;
use super::load::{OpenRequest, OpenRequests, Sessions};
use super::manager::Manager;
use super::priming::{self, Unprimed};
use super::responses::{Refusal, refusal, unavailable};
use super::session_id::{OwnId, SessionIds};
use super::single::{is_stream, single};
use crate::calls::Calls;
use crate::logs::RequestLogs;
use crate::mcp::Handler;
use crate::user::User;
use crate::wire;

/// The header with the id of a session.
pub(crate) const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");

type Answer = Response<BoxBody<Bytes, Infallible>>;

/// The MCP endpoint of a server as a service of tower. Created by [`Http::service`]. Cheap to clone; clones share their sessions.
#[derive(Clone)]
pub struct HttpService(Arc<Endpoint>);

/// What the clones of a service share.
struct Endpoint {
    inner: StreamableHttpService<Handler, Manager>,
    calls: Arc<Calls>,
    door: Arc<Door>,
    ids: SessionIds,
    sessions: Sessions,
    open: OpenRequests,
    /// The permits of streams of notifications.
    streams: Arc<Semaphore>,
    /// Sessions of other processes, if the program shares the key.
    handover: Option<Arc<Handover>>,
}

impl HttpService {
    pub(crate) fn new(http: &Http, door: Arc<Door>, calls: Arc<Calls>, ended: CancellationToken) -> Self {
        let parts = Arc::clone(&http.server.0);
        let handover = parts.has_shared_key.then(Arc::<Handover>::default);
        // Hosts, origins and lengths are checked here, for all requests and before their bodies.
        let mut config = StreamableHttpServerConfig::default()
            .disable_allowed_hosts()
            .disable_allowed_origins()
            .with_max_request_body_bytes(usize::MAX)
            .with_cancellation_token(ended);
        config.session_store = handover.clone().map(|handover| handover as _);
        // It waits for the first message before it answers at all, so a stream of one message would have no comments either.
        config.json_response = true;
        let (ids, of_handler) = (SessionIds::new(parts.session_key), Arc::clone(&calls));
        let factory = move || Ok(Handler::new(Arc::clone(&parts), Arc::clone(&of_handler)));
        let sessions = Sessions::new(http.bounds.sessions, http.server.0.question_timeout);
        Self(Arc::new(Endpoint {
            inner: StreamableHttpService::new(factory, sessions.manager(), config),
            calls,
            door,
            ids,
            sessions,
            open: OpenRequests::default(),
            streams: Arc::new(Semaphore::new((http.bounds.connections / 2).clamp(1, Semaphore::MAX_PERMITS))),
            handover,
        }))
    }
}

/// What an answer holds until it ends.
type Held = (Option<Arc<OpenRequest>>, Option<OwnedSemaphorePermit>);

impl Endpoint {
    async fn answer<B: Body + Send + 'static>(&self, request: Request<B>) -> Result<Answer, Refusal> {
        let (head, body) = request.into_parts();
        let origin = self.door.admit(&head)?;
        let answer = match (preflight(&head), &origin) {
            (Some(preflight), Some(_)) => Ok(preflight.map(BodyExt::boxed)),
            _ => self.admitted(head, body).await,
        };
        let Some(origin) = origin else { return answer };
        let mut answer = answer.unwrap_or_else(|refusal| refusal.into_rpc().map(BodyExt::boxed));
        share_with(answer.headers_mut(), origin);
        Ok(answer)
    }

    async fn admitted<B: Body + Send + 'static>(
        &self,
        mut head: request::Parts,
        body: B,
    ) -> Result<Answer, Refusal> {
        let user = self.door.user(&head).await?;
        let mut brought = None;
        let mut session = None;
        if let Some(shown) = head.headers.get(&SESSION).cloned() {
            let shown = shown.to_str().unwrap_or_default();
            let id = SessionIds::unproven(shown);
            // The proof of a session of this process says what is known.
            let own = if self.sessions.is_live_of(id, shown, user.as_ref()).await {
                Some(OwnId { id, state: None })
            } else {
                self.ids.own(shown, user.as_ref())
            };
            let id = HeaderValue::from_str(id).ok();
            let (own, id) = own.zip(id).ok_or_else(unknown_session)?;
            if let (Some(handover), Some(state)) = (&self.handover, &own.state)
                && !self.sessions.is_live(own.id).await
            {
                // It takes a place of this process.
                if !self.sessions.has_room(user.as_ref()).await {
                    return Err(unavailable("the server has too many sessions"));
                }
                brought = handover.bring(own.id, state);
                if brought.is_some() {
                    self.sessions.note(own.id, shown, user.as_ref());
                }
            }
            session = Some(own.id.to_owned());
            head.headers.insert(SESSION, id);
        }
        let (bytes, _permit) = self.door.bodies.read(body).await?;
        let held = self.check(&head, &bytes, session.as_deref(), user.as_ref()).await?;
        if let Some(user) = &user {
            head.extensions.insert(user.clone());
        }
        // The call holds it too.
        if let (Some(open), _) = &held {
            head.extensions.insert(Arc::clone(open));
            head.extensions.insert(RequestLogs::default());
        }
        name_forms(&head.method, &mut head.headers);
        let (method, knows_priming) = (head.method.clone(), priming::is_known(&head.headers, &bytes));
        let answer = self.inner.handle(Request::from_parts(head, Full::new(bytes.clone()))).await;
        drop(brought);
        let is_read = || serde_json::from_slice::<ClientJsonRpcMessage>(&bytes).is_ok();
        match answer.status() {
            StatusCode::UNSUPPORTED_MEDIA_TYPE if !is_read() => {
                return Err(problem(wire::unreadable(&bytes)));
            }
            // The session has ended.
            StatusCode::NOT_FOUND if is_text(&answer) => return Err(unknown_session()),
            _ => {}
        }
        let answer = in_words_of_the_protocol(answer).await;
        let answer = if method == Method::POST { single(answer).await } else { answer };
        let (mut head, body) = answer.into_parts();
        let is_primed = !knows_priming && is_stream(&head.headers);
        let body = if is_primed { Unprimed::new(body).boxed() } else { body };
        if method == Method::DELETE && head.status == StatusCode::ACCEPTED {
            // The Python SDK takes another status for a failure.
            head.status = StatusCode::NO_CONTENT;
        }
        if let Some(id) = head.headers.get(&SESSION).and_then(|id| id.to_str().ok()) {
            let state = self.handover.as_ref().and_then(|handover| handover.take(id));
            let shown = self.ids.shown(id, state.as_deref(), user.as_ref());
            self.sessions.note(id, &shown, user.as_ref());
            if let Ok(shown) = HeaderValue::from_str(&shown) {
                head.headers.insert(SESSION, shown);
            }
        }
        Ok(Response::from_parts(head, Holding { body, held: Some(held) }.boxed()))
    }

    /// Checks what a request would use. Returns what its answer holds.
    async fn check(
        &self,
        head: &request::Parts,
        body: &[u8],
        session: Option<&str>,
        user: Option<&User>,
    ) -> Result<Held, Refusal> {
        let stream = || {
            let permit = Arc::clone(&self.streams).try_acquire_owned();
            permit.map_err(|_| unavailable("the server has too many streams of notifications"))
        };
        match head.method {
            Method::GET => return Ok((None, Some(stream()?))),
            Method::POST => {}
            _ => return Ok((None, None)),
        }
        let envelope = wire::check(body).map_err(problem)?;
        let Some(id) = envelope.request_id() else { return Ok((None, None)) };
        let method = envelope.method.as_deref().unwrap_or_default();
        if method == "initialize" {
            if self.calls.is_ending() {
                return Err(unavailable("the server is ending"));
            }
            if !self.sessions.has_room(user).await {
                return Err(unavailable("the server has too many sessions"));
            }
        }
        let open = match session {
            Some(session) => {
                let in_use = || {
                    refusal(StatusCode::BAD_REQUEST, -32600, "the id of the request is in use")
                        .with_id(Some(id.clone()))
                };
                Some(self.open.begin(session, id).ok_or_else(in_use)?)
            }
            None => None,
        };
        let stream = if method == "subscriptions/listen" { Some(stream()?) } else { None };
        Ok((open, stream))
    }
}

/// The refusal of a request of a session that has ended, never was, or belongs to another user.
fn unknown_session() -> Refusal {
    refusal(StatusCode::NOT_FOUND, -32001, "there is no such session: initialize a new one")
}

/// The refusal of a message that is none.
#[expect(clippy::boxed_local, reason = "it is the error of results")]
fn problem(problem: Box<JsonRpcError>) -> Refusal {
    let error = problem.error;
    refusal(StatusCode::BAD_REQUEST, error.code.0, error.message).with_id(problem.id)
}

/// Whether an answer is a text of the protocol library.
fn is_text(answer: &Answer) -> bool {
    answer.headers().get(CONTENT_TYPE).is_none_or(|kind| kind.as_bytes().starts_with(b"text/plain"))
}

/// The answer, with a text of the protocol library as an error of JSON-RPC.
async fn in_words_of_the_protocol(answer: Answer) -> Answer {
    if !answer.status().is_client_error()
        || !is_text(&answer)
        || answer.status() == StatusCode::METHOD_NOT_ALLOWED
    {
        return answer;
    }
    let (mut head, body) = answer.into_parts();
    let text = body.collect().await.map(http_body_util::Collected::to_bytes).unwrap_or_default();
    let refusal = refusal(head.status, -32600, short(&String::from_utf8_lossy(&text), MAX_TEXT));
    let (new, body) = refusal.into_rpc().map(BodyExt::boxed).into_parts();
    head.headers.remove(CONTENT_LENGTH);
    head.headers.extend(new.headers);
    Response::from_parts(head, body)
}

/// The maximum number of characters of such a text.
const MAX_TEXT: usize = 300;

impl<B> Service<Request<B>> for HttpService
where
    B: Body + Send + 'static,
    B::Data: Send,
    B::Error: Send,
{
    type Response = Answer;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Answer, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let endpoint = Arc::clone(&self.0);
        Box::pin(async move {
            let answer = endpoint.answer(request).await;
            Ok(answer.unwrap_or_else(|refusal| refusal.into_rpc().map(BodyExt::boxed)))
        })
    }
}

impl std::fmt::Debug for HttpService {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HttpService").field("gate", &self.0.door.gate).finish_non_exhaustive()
    }
}
