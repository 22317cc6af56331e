//! The endpoint: what each request passes before it reaches the protocol.

use std::convert::Infallible;
use std::sync::Arc;
use std::task::{Context, Poll};

use http::header::{HeaderName, HeaderValue};
use http::{Method, Request, Response, StatusCode};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::{Body, Bytes};
use onionskin_core::{BoxFuture, CancellationToken};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tower_service::Service;

use super::auth::{Gate, Refused};
use super::responses::{Refusal, refusal, unauthorized, unavailable};
use super::session_id::SessionIds;
use super::{Bounds, Http, body};
use crate::mcp::Handler;
use crate::server::Parts;

/// The header with the id of a session.
const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");

type Answer = Response<BoxBody<Bytes, Infallible>>;

/// The MCP endpoint of a server as a service of tower. Created by [`Http::service`]. Cheap to clone; clones share their sessions.
#[derive(Clone)]
pub struct HttpService {
    inner: StreamableHttpService<Handler, LocalSessionManager>,
    parts: Arc<Parts>,
    gate: Gate,
    metadata: Option<Arc<str>>,
    sessions: SessionIds,
    bounds: Bounds,
}

impl HttpService {
    pub(crate) fn new(http: &Http, ended: CancellationToken) -> Self {
        let parts = Arc::clone(&http.server.0);
        let config = StreamableHttpServerConfig::default()
            .with_allowed_hosts(&http.hosts)
            .with_allowed_origins(&http.origins)
            .with_max_request_body_bytes(http.bounds.body)
            .with_cancellation_token(ended);
        let of_handler = Arc::clone(&parts);
        let factory = move || Ok(Handler::new(Arc::clone(&of_handler)));
        Self {
            inner: StreamableHttpService::new(factory, Arc::default(), config),
            sessions: SessionIds::new(parts.session_key),
            parts,
            gate: http.gate.clone(),
            metadata: http.metadata.as_ref().map(|metadata| metadata.address().into()),
            bounds: http.bounds.clone(),
        }
    }

    async fn answer<B>(self, request: Request<B>) -> Result<Answer, Refusal>
    where
        B: Body + Send + 'static,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let user = self.gate.user(request.headers()).await;
        let user = user.map_err(|Refused { has_token }| unauthorized(has_token, self.metadata.as_deref()))?;
        let (mut head, body) = request.into_parts();
        if let Some(shown) = head.headers.get(&SESSION) {
            let own = shown.to_str().ok().and_then(|shown| self.sessions.own(shown, user.as_ref()));
            let own = own.and_then(|id| HeaderValue::from_str(id).ok());
            let unknown =
                || refusal(StatusCode::NOT_FOUND, -32001, "there is no such session: initialize a new one");
            let own = own.ok_or_else(unknown)?;
            head.headers.insert(SESSION, own);
        }
        if head.method == Method::POST && self.parts.calls.is_ending() {
            return Err(unavailable("the server is ending"));
        }
        let body = body::read(body, self.bounds.body, self.bounds.patience).await?;
        if let Some(user) = &user {
            head.extensions.insert(user.clone());
        }
        let mut answer = self.inner.handle(Request::from_parts(head, Full::new(body))).await;
        if let Some(id) = answer.headers().get(&SESSION).and_then(|id| id.to_str().ok())
            && let Ok(shown) = HeaderValue::from_str(&self.sessions.shown(id, user.as_ref()))
        {
            answer.headers_mut().insert(SESSION, shown);
        }
        Ok(answer)
    }
}

impl<B> Service<Request<B>> for HttpService
where
    B: Body + Send + 'static,
    B::Data: Send,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    type Response = Answer;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Answer, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let service = self.clone();
        Box::pin(async move {
            let answer = service.answer(request).await;
            Ok(answer.unwrap_or_else(|refusal| refusal.map(BodyExt::boxed)))
        })
    }
}

impl std::fmt::Debug for HttpService {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HttpService").field("gate", &self.gate).finish_non_exhaustive()
    }
}
