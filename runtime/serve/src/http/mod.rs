//! Servers over HTTP.

mod accept;
mod admission;
mod api;
mod auth;
mod body;
mod door;
mod events;
mod handover;
mod listen;
mod load;
mod manager;
mod metadata;
mod priming;
mod responses;
mod service;
mod session_id;
mod single;
mod stalling;

use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use onionskin_core::{CancellationToken, Secret};

use crate::calls::Calls;
use crate::error::ServeError;
use crate::server::Server;
use crate::user::User;

use admission::{Admission, is_host, is_of_this_machine};
pub use auth::TokenVerifier;
use auth::{Gate, Verifier};
use door::Door;
pub use listen::Listening;
pub use metadata::ResourceMetadata;
pub use service::HttpService;

/// The path of the MCP endpoint of [`Http::router`] and [`Http::listen`].
pub(crate) const PATH: &str = "/mcp";

/// The bounds of a server over HTTP.
#[derive(Debug, Clone)]
pub(crate) struct Bounds {
    /// The maximum number of bytes of a request.
    pub(crate) body: usize,
    /// The time for the head of a request, for its body, and for each write of an answer.
    pub(crate) patience: Duration,
    /// The maximum number of open connections.
    pub(crate) connections: usize,
    /// The maximum number of sessions.
    pub(crate) sessions: usize,
    pub(crate) requests_per_minute: Option<NonZeroU32>,
    /// The time for calls in progress when the server ends.
    pub(crate) grace: Duration,
}

/// The settings of a [`Server`] over HTTP. Created by [`Server::http`].
///
/// By default, the server answers only clients on this machine: requests must name a loopback host, and pages of other origins are
/// refused. A server for other machines needs their host name ([`Self::host`]) and a token ([`Self::token`], [`Self::verifier`]).
#[derive(Debug, Clone)]
#[must_use = "the settings do nothing until `service`, `router` or `listen` is called"]
pub struct Http {
    server: Server,
    admission: Admission,
    gate: Gate,
    metadata: Option<Arc<ResourceMetadata>>,
    has_api: bool,
    bounds: Bounds,
}

impl Server {
    /// The settings of this server over HTTP.
    pub fn http(&self) -> Http {
        Http::new(self.clone())
    }
}

impl Http {
    fn new(server: Server) -> Self {
        Self {
            server,
            admission: Admission::default(),
            gate: Gate::default(),
            metadata: None,
            has_api: false,
            bounds: Bounds {
                body: 4 * 1024 * 1024,
                patience: Duration::from_secs(30),
                connections: 1024,
                sessions: 4096,
                requests_per_minute: None,
                grace: Duration::from_secs(10),
            },
        }
    }

    /// Accepts requests that name this host: `mcp.example.com`, or with a port. Loopback hosts are always accepted. Another host is refused,
    /// because a web page could make its own name point to this machine.
    pub fn host(mut self, host: impl Into<String>) -> Self {
        self.admission.hosts.push(host.into());
        self
    }

    /// Accepts requests of web pages of this origin: `https://app.example.com:443`, or `:*` for any port. Origins of this machine are always
    /// accepted.
    pub fn origin(mut self, origin: impl Into<String>) -> Self {
        self.admission.origins.push(origin.into());
        self
    }

    /// Accepts this bearer token, for this user. As soon as there is a token or a [verifier](Self::verifier), requests without one are
    /// refused.
    pub fn token(mut self, token: Secret<String>, user: User) -> Self {
        self.gate.tokens.push((token, user));
        self
    }

    /// Accepts the bearer tokens that this verifier accepts, such as those of an OAuth server.
    pub fn verifier(mut self, verifier: impl TokenVerifier) -> Self {
        self.gate.verifier = Some(Verifier::new(verifier));
        self
    }

    /// Tells clients where they get tokens (RFC 9728). [`Self::router`] and [`Self::listen`] serve it below `/.well-known`.
    pub fn resource_metadata(mut self, metadata: ResourceMetadata) -> Self {
        self.metadata = Some(Arc::new(metadata));
        self
    }

    /// Sets the maximum number of bytes of a request. The default is 4 MiB.
    pub fn max_body_bytes(mut self, bytes: usize) -> Self {
        self.bounds.body = bytes;
        self
    }

    /// Sets the maximum number of open connections of [`Self::listen`]. The default is 1024. Further clients wait.
    pub fn max_connections(mut self, connections: usize) -> Self {
        self.bounds.connections = connections;
        self
    }

    /// Sets the maximum number of sessions (up to the protocol 2025-11-25). The default is 4096; a user can have a quarter of them. Beyond
    /// it, a client cannot begin one until another one ends: by its client, or after 5 minutes without a request
    /// and the time for an answer ([`ServerBuilder::question_timeout`](super::ServerBuilder::question_timeout)).
    pub fn max_sessions(mut self, sessions: usize) -> Self {
        self.bounds.sessions = sessions;
        self
    }

    /// Sets the number of requests that each user can send in a minute; without tokens, all clients together. By default there is no limit.
    pub fn max_requests_per_minute(mut self, requests: NonZeroU32) -> Self {
        self.bounds.requests_per_minute = Some(requests);
        self
    }

    /// Sets the time that a client has to send the head of a request, or its body, and to read each piece of an answer. The default is 30
    /// seconds.
    pub fn patience(mut self, patience: Duration) -> Self {
        self.bounds.patience = patience;
        self
    }

    /// Sets the time for calls in progress when the server ends, before they are cancelled. The default is 10 seconds.
    pub fn grace(mut self, grace: Duration) -> Self {
        self.bounds.grace = grace;
        self
    }

    /// The endpoint as a service of tower, for a path of an application: `Router::new().nest_service("/mcp", http.service())`. It checks
    /// hosts, origins, tokens and lengths of bodies; connections and their times are those of the application. It is the MCP endpoint alone:
    /// [`Self::router`] has the routes of [`Self::api`] and of [`Self::resource_metadata`] too, for `Router::merge`.
    ///
    /// # Panics
    /// Panics after [`Self::api`], whose routes it does not have.
    pub fn service(&self) -> HttpService {
        assert!(
            !self.has_api,
            "`service` is the MCP endpoint alone: merge `router()`, which has the routes of `api` too"
        );
        HttpService::new(self, Arc::new(Door::new(self)), Arc::default(), CancellationToken::new())
    }

    /// Serves the agents over plain HTTP too ([`Self::router`], [`Self::listen`]), for programs without MCP: `POST /agents/NAME/runs` runs one,
    /// and `GET /openapi.json` describes all paths. The server must have an agent ([`ServerBuilder::agent`](super::ServerBuilder::agent)).
    pub fn api(mut self) -> Self {
        self.has_api = true;
        self
    }

    /// The routes of a whole server: the endpoint `/mcp`, those of [`Self::api`], and the metadata of [`Self::resource_metadata`].
    pub fn router(&self) -> Router {
        self.router_until(&Arc::default(), CancellationToken::new())
    }

    pub(crate) fn router_until(&self, calls: &Arc<Calls>, ended: CancellationToken) -> Router {
        let door = Arc::new(Door::new(self));
        let service = HttpService::new(self, Arc::clone(&door), Arc::clone(calls), ended.clone());
        let mut router = Router::new().route_service(PATH, service);
        if let Some(metadata) = &self.metadata {
            router = metadata.add_to(router);
        }
        if self.has_api {
            router = api::add_to(router, &self.server.0, door, Arc::clone(calls), ended);
        }
        router
    }

    /// Listens on an address. The port 0 is any free one.
    ///
    /// ```
    /// use onionskin::serve::Server;
    /// use onionskin::tool;
    ///
    /// /// Adds one.
    /// #[tool]
    /// fn add_one(x: i64) -> i64 {
    ///     x + 1
    /// }
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let server = Server::builder("sums", "1.0.0").tool(add_one::spec()).build().await?;
    /// let listening = server.http().listen(([127, 0, 0, 1], 0).into()).await?;
    /// println!("http://{}/mcp", listening.address());
    /// listening.run(async { /* the end of the program */ }).await;
    /// # Ok::<_, onionskin::serve::ServeError>(())
    /// # }).unwrap();
    /// ```
    ///
    /// Cancel safety: dropping the future listens on nothing.
    ///
    /// # Errors
    /// Returns an error if the address cannot be used, if a [host](Self::host) is none, if other machines can reach the server and no token is
    /// required, or if it has [`Self::api`] and no agent.
    pub async fn listen(&self, address: SocketAddr) -> Result<Listening, ServeError> {
        let is_reachable =
            !address.ip().is_loopback() || self.admission.hosts.iter().any(|host| !is_of_this_machine(host));
        if let Some(host) = self.admission.hosts.iter().find(|host| !is_host(host)) {
            return Err(ServeError::Host { host: host.clone() });
        }
        if is_reachable && !self.gate.is_closed() {
            return Err(ServeError::Open { address });
        }
        if self.has_api && self.server.0.offer().agents().next().is_none() {
            return Err(ServeError::NoAgent { server: self.server.0.implementation.name.clone() });
        }
        Listening::bind(self, address).await
    }
}
