//! One connection: a process, or an address, and the protocol over its streams.

mod failure;
mod request;

use std::collections::HashSet;
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rmcp::ServiceExt;
use rmcp::model::ServerCapabilities;
use rmcp::service::{ClientInitializeError, Peer, PeerRequestOptions, RoleClient, RunningService};

use super::announced::Changes;
use super::client::{Client, Listeners, Unasked};
#[cfg(not(feature = "mcp-http"))]
use super::endpoint;
use super::error::StartFailure;
use super::grants::Grants;
use super::process::Process;
use super::secrets::Secrets;
use super::server_config::{Link, ServerConfig};
use super::server_log::ServerLog;
use super::tap::{Beginning, Tap};
#[cfg(feature = "mcp-http")]
use super::untraced_thread::SharedThread;
use super::untraced_thread::UntracedThread;
use super::wire::{Fault, Wire};
#[cfg(feature = "mcp-http")]
use super::{http, next_step};
use crate::mutex::lock;
pub(super) use failure::no_thread;
use failure::{ITS_OWN_WORDS, NOT_MCP, ProcessOutput, SLOW, failure, not_spawned, said};
#[cfg(feature = "mcp-http")]
use failure::{NOT_MCP_ADDRESS, SLOW_ADDRESS};
pub(super) use request::RequestError;

/// Maximum time between the end of the process and the end of its answers, in either order.
const AFTERMATH: Duration = Duration::from_millis(500);
/// Maximum time to end a session on a server that is reached by address.
const FAREWELL: Duration = Duration::from_secs(2);

/// A server that runs and has shaken hands. Dropping it kills the process.
pub(super) struct Connection {
    peer: Peer<RoleClient>,
    changes: Changes,
    service: Mutex<Option<RunningService<RoleClient, Client>>>,
    listeners: Listeners,
    timeout: Duration,
    process: Process,
    fault: Fault,
    log: ServerLog,
    /// Whether the server is reached by address.
    is_remote: bool,
    /// The tools whose arguments cannot be mirrored in headers as their schemas say.
    unmirrored: Mutex<HashSet<String>>,
    /// The thread that runs the service.
    _untraced: Arc<UntracedThread>,
}

impl Connection {
    /// Starts or reaches the server, and shakes hands.
    pub(super) async fn open(
        server: &Arc<str>,
        config: &ServerConfig,
        secrets: &Secrets,
    ) -> Result<Self, Box<StartFailure>> {
        match config.link {
            Link::Process | Link::InProcess(_) => Self::open_process(server, config, secrets).await,
            #[cfg(feature = "mcp-http")]
            Link::Http(ref thread) => Self::open_http(thread, server, config, secrets).await,
            #[cfg(not(feature = "mcp-http"))]
            Link::Http(_) => {
                let reason = (endpoint::NOT_COMPILED.to_owned(), "Add the feature in its `Cargo.toml`.");
                Err(failure(server, config, secrets, reason, ProcessOutput::default()))
            }
        }
    }

    #[cfg(feature = "mcp-http")]
    async fn open_http(
        thread: &SharedThread,
        server: &Arc<str>,
        config: &ServerConfig,
        secrets: &Secrets,
    ) -> Result<Self, Box<StartFailure>> {
        let failed = |reason: String, next_step: &str| {
            failure(server, config, secrets, (reason, next_step), ProcessOutput::default())
        };
        let log = ServerLog::new(server, secrets);
        let process = Process::elsewhere();
        let fault = Fault::new(Arc::clone(&process.kill));
        let (listeners, changes) = (Listeners::default(), Changes::default());
        let unasked = Unasked::new(listeners.clone(), changes.clone(), Grants::new(config), log.clone());
        let untraced = thread.get().map_err(|error| {
            let (reason, next_step) = no_thread(&error);
            failed(reason, next_step)
        })?;
        let hands = untraced.spawning(http::connect(config, unasked, fault.clone()));
        let service = match tokio::time::timeout(config.start_timeout, hands).await {
            Ok(Ok(service)) => service,
            Ok(Err(http::ConnectError::Http(error))) => {
                let failure = failed(error.to_string(), &next_step::next_step(&error, server, config));
                return Err(Box::new(StartFailure {
                    http: Some(error.map_texts(|text| secrets.hide(text))),
                    ..*failure
                }));
            }
            Ok(Err(http::ConnectError::Handshake(error))) => {
                return Err(failed(format!("the handshake failed: {}", said(&error)), NOT_MCP_ADDRESS));
            }
            Err(_) => {
                let reason = format!("it did not complete the handshake within {:?}", config.start_timeout);
                return Err(failed(reason, SLOW_ADDRESS));
            }
        };
        let peer = service.peer().clone();
        let service = Mutex::new(Some(service));
        let timeout = config.timeout;
        Ok(Self {
            peer,
            changes,
            service,
            listeners,
            timeout,
            process,
            fault,
            log,
            is_remote: true,
            unmirrored: Mutex::default(),
            _untraced: untraced,
        })
    }

    /// Starts the process and shakes hands.
    async fn open_process(
        server: &Arc<str>,
        config: &ServerConfig,
        secrets: &Secrets,
    ) -> Result<Self, Box<StartFailure>> {
        let failure = |reason: String, next_step: &str, output: ProcessOutput| {
            failure(server, config, secrets, (reason, next_step), output)
        };
        let (process, stdin, stdout) = Process::spawn(server, config, secrets).map_err(|error| {
            let (reason, next_step) = not_spawned(config, &error);
            failure(reason, next_step, ProcessOutput::default())
        })?;
        let log = ServerLog::new(server, secrets);
        let beginning = Beginning::default();
        let listeners = Listeners::default();
        let untraced = UntracedThread::start(matches!(config.link, Link::InProcess(_))).map_err(|error| {
            let (reason, next_step) = no_thread(&error);
            failure(reason, next_step, ProcessOutput::default())
        })?;
        let fault = Fault::new(Arc::clone(&process.kill));
        let stdout = Tap::new(stdout, beginning.clone());
        let changes = Changes::default();
        let unasked = Unasked::new(listeners.clone(), changes.clone(), Grants::new(config), log.clone());
        let hands = untraced.spawning(Box::pin(async {
            let client = unasked.client();
            let wire = Wire::new(stdout, stdin, unasked, config.timeout, fault.clone());
            client.serve(wire).await
        }));
        let died = |how: Arc<str>| format!("it ended before it was ready ({})", fault.how().unwrap_or(how));
        let written = || (beginning.not_mcp(secrets), process.stderr.lines());
        let shaken = {
            let mut hands = pin!(tokio::time::timeout(config.start_timeout, hands));
            tokio::select! {
                biased;
                shaken = &mut hands => shaken,
                how = process.end() => {
                    // Its output may not be read yet.
                    let _ = tokio::time::timeout(AFTERMATH, hands).await;
                    return Err(failure(died(how), ITS_OWN_WORDS, written()));
                }
            }
        };
        let service = match shaken {
            Ok(Ok(service)) => service,
            Ok(Err(error)) => {
                // If it wrote nothing, its exit status may explain more.
                let end = match &error {
                    ClientInitializeError::ConnectionClosed(_)
                    | ClientInitializeError::TransportError { .. } => {
                        tokio::time::timeout(AFTERMATH, process.end()).await.ok()
                    }
                    _ => None,
                };
                let reason = match end {
                    Some(how) => died(how),
                    None => format!("the handshake failed: {}", said(&error)),
                };
                return Err(failure(reason, ITS_OWN_WORDS, written()));
            }
            Err(_) => {
                let written = written();
                let next_step = if written.0.is_some() { NOT_MCP } else { SLOW };
                let reason = format!("it did not complete the handshake within {:?}", config.start_timeout);
                return Err(failure(reason, next_step, written));
            }
        };
        let peer = service.peer().clone();
        let service = Mutex::new(Some(service));
        Ok(Self {
            peer,
            changes,
            service,
            listeners,
            timeout: config.timeout,
            process,
            fault,
            log,
            is_remote: false,
            unmirrored: Mutex::default(),
            _untraced: Arc::new(untraced),
        })
    }

    /// Whether the server declares what `has` looks for.
    pub(super) fn declares(&self, has: impl FnOnce(&ServerCapabilities) -> bool) -> bool {
        self.peer.peer_info().is_none_or(|info| has(&info.capabilities))
    }

    /// The time limit of a request.
    pub(super) fn timeout(&self) -> Duration {
        self.timeout
    }

    /// The changes of the tools that the server announced.
    pub(super) fn changes(&self) -> &Changes {
        &self.changes
    }

    /// Waits for the list of all changes that were announced until now. Whether it came in time, and before the server died.
    pub(super) async fn listed(&self, limit: Duration) -> bool {
        tokio::select! {
            listed = tokio::time::timeout(limit, self.changes.listed()) => listed.is_ok(),
            _ = self.process.end() => false,
        }
    }

    /// Whether the library refuses what the schema of a tool says of headers.
    pub(super) fn is_unmirrored(&self, tool: &str) -> bool {
        lock(&self.unmirrored).contains(tool)
    }

    /// Forgets them before the tools are listed again.
    pub(super) fn forget_unmirrored(&self) {
        lock(&self.unmirrored).clear();
    }

    pub(super) fn is_alive(&self) -> bool {
        self.ended().is_none() && !self.peer.is_transport_closed()
    }

    /// Returns how the process ended, if it has.
    pub(super) fn ended(&self) -> Option<Arc<str>> {
        self.fault.how().or_else(|| self.process.ended())
    }

    /// Whether the level of the log is set once, for the session, and not with each request; `None` for a server that does not log.
    fn logs_by_session(&self) -> Option<bool> {
        let info = self.peer.peer_info().filter(|info| info.capabilities.logging.is_some())?;
        Some(info.protocol_version.has_initialize())
    }

    /// Asks the server for the messages that are logged. Nobody waits for its answer.
    pub(super) fn set_log_level(&self) {
        let request = if self.logs_by_session() == Some(true) { self.log.request() } else { None };
        if let Some(request) = request {
            let peer = self.peer.clone();
            tokio::spawn(async move {
                let _ = peer.send_request_with_option(request, PeerRequestOptions::no_options()).await;
            });
        }
    }

    /// Closes the server's input, waits for its end, asks, kills.
    pub(super) async fn close(&self) {
        let service = lock(&self.service).take();
        if let Some(mut service) = service {
            let limit = if self.is_remote { FAREWELL } else { AFTERMATH };
            let _ = service.close_with_timeout(limit).await;
        }
        if self.is_remote {
            self.process.kill();
        }
        self.process.finish().await;
    }

    /// Kills the server at once.
    pub(super) fn kill(&self) {
        self.process.kill();
    }
}
