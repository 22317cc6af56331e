//! One server of a program across all of its processes: its tools, its restarts, its news.

mod calls;
mod lists;
mod reports;
mod run_credentials;

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::{BoxFuture, join_all};
use tokio::time::Instant;

use super::connection::Connection;
use super::error::McpError;
use super::list_tools::{self, LeftOut, ListError};
use super::order::Order;
use super::pool::Pool;
use super::relist;
use super::restart::{Absence, NotStarted, Restart, Restarts};
use super::secrets::Secrets;
use super::server_config::{Link, ServerConfig};
use super::server_data::Reader;
use crate::mutex::lock;
use calls::remote;
pub(super) use lists::LockedTools;
use onionskin_core::{ErrorKind, Exit, ToolDefinition, ToolError};
use reports::News;

/// How long a turn waits for a list that the server announced before it.
const LIST_WAIT: Duration = Duration::from_secs(5);

/// A server that agents share.
pub(super) struct Server {
    pub(super) name: Arc<str>,
    pub(super) config: ServerConfig,
    pub(super) secrets: Secrets,
    /// Those that results must not show.
    pub(super) result_secrets: Secrets,
    /// The calls of each run that wait for each other.
    pub(super) order: Order,
    live: Mutex<Option<Arc<Connection>>>,
    restarts: Restarts,
    tools: Mutex<Arc<[RemoteTool]>>,
    /// The tools of the last list that no agent gets.
    left_out: Mutex<Arc<[LeftOut]>>,
    generation: AtomicU64,
    /// What was reported of single tools of the last list.
    odd: Mutex<Vec<String>>,
    news: Mutex<News>,
    closed: AtomicBool,
    /// The connections with credentials of runs.
    pool: Pool<Self>,
    /// Why its tools could not be listed without a run.
    unlisted: Mutex<Option<McpError>>,
}

/// A tool as its server lists it.
#[derive(Clone)]
pub(super) struct RemoteTool {
    /// The server's own name for it.
    pub(super) name: Arc<str>,
    /// Under the name that hooks see: `server__tool`.
    pub(super) definition: ToolDefinition,
    /// Whether the configuration asks for approval of its calls.
    pub(super) asks: bool,
    /// That it tries to give the model other instructions, for people. Agents get it only if they have locked it.
    pub(super) instructs: Option<Arc<str>>,
    /// For a tool of ours that reads data of the server. `None` for its own tools.
    pub(super) reader: Option<Reader>,
}

impl Server {
    pub(super) fn new(name: &str, config: ServerConfig) -> Arc<Self> {
        let unread = config.unread.clone();
        let server = Arc::new(Self {
            name: name.into(),
            secrets: Secrets::all(&config),
            result_secrets: Secrets::for_results(&config),
            config,
            order: Order::default(),
            live: Mutex::default(),
            restarts: Restarts::default(),
            tools: Mutex::new(Arc::new([])),
            left_out: Mutex::new(Arc::new([])),
            generation: AtomicU64::new(0),
            odd: Mutex::default(),
            news: Mutex::default(),
            closed: AtomicBool::new(false),
            pool: Pool::default(),
            unlisted: Mutex::default(),
        });
        for text in unread {
            server.report(text);
        }
        server
    }

    pub(super) fn generation(&self) -> u64 {
        self.generation.load(Ordering::Acquire)
    }

    pub(super) fn tools(&self) -> Arc<[RemoteTool]> {
        Arc::clone(&lock(&self.tools))
    }

    /// The tools of the last list that no agent gets.
    pub(super) fn left_out(&self) -> Arc<[LeftOut]> {
        Arc::clone(&lock(&self.left_out))
    }

    /// Starts the server for agents. If it wants credentials, a run may have them: [`Self::locked`] says whether.
    ///
    /// # Errors
    /// Returns an error if the server does not start for another reason.
    pub(super) async fn start_for_agents(self: &Arc<Self>) -> Result<(), McpError> {
        match self.start().await {
            Err(error) if error.needs_credentials() => {
                *lock(&self.unlisted) = Some(error);
                Ok(())
            }
            started => started,
        }
    }

    /// Starts the server without an agent.
    ///
    /// # Errors
    /// Returns an error if it does not start, or its tools cannot be listed without a run.
    pub(super) async fn start_alone(self: &Arc<Self>) -> Result<(), McpError> {
        self.start_for_agents().await?;
        let headers = self.config.headers_of_agent(&self.name, &[])?;
        self.locked(None, &headers).map(drop)
    }

    /// Waits for a list that was announced and not given yet, within a limit; `None` if there is none.
    pub(super) fn pending_list(&self) -> Option<BoxFuture<'_, ()>> {
        let connection = self.living().filter(|connection| connection.changes().are_pending())?;
        Some(Box::pin(async move {
            if connection.listed(LIST_WAIT).await || !connection.is_alive() {
                return;
            }
            let why = if connection.changes().are_held() {
                format!(
                    "announces other tools too often, and is not asked for them more than {} times a minute",
                    relist::HURRIES
                )
            } else {
                format!("announced other tools and did not list them within {LIST_WAIT:?}")
            };
            self.report_once(&format!(
                "the MCP server `{}` {why}; the tools that it had are used",
                self.name
            ));
        }))
    }

    fn living(&self) -> Option<Arc<Connection>> {
        lock(&self.live).as_ref().filter(|connection| connection.is_alive()).cloned()
    }

    /// The connection; a server that died is started again, a few times a minute.
    pub(super) async fn connection(self: &Arc<Self>) -> Result<Arc<Connection>, Exit> {
        loop {
            if let Some(living) = self.living() {
                return Ok(living);
            }
            let started = self.restarts.join(self).map_err(|text| remote(text, ErrorKind::Remote))?;
            match started.ended().await {
                Some(Ok(())) => {
                    return self.living().ok_or_else(|| {
                        let text = format!(
                            "the MCP server `{}` was {} again and {} at once",
                            self.name,
                            self.config.link.started(),
                            self.config.link.died()
                        );
                        remote(text, ErrorKind::Remote)
                    });
                }
                Some(Err(NotStarted { text, http })) => {
                    let error = ToolError::new(text.to_string()).with_kind(ErrorKind::Remote);
                    return Err(Exit::Tool(match http {
                        Some(http) => error.with_source(http),
                        None => error,
                    }));
                }
                // The runtime of the start ended.
                None => {}
            }
        }
    }

    /// Ends the process: closes its input, waits, asks, kills. Later calls are refused.
    pub(super) async fn shutdown(&self) {
        let others = self.pool.take();
        let others = join_all(others.iter().map(|server| server.end()));
        tokio::join!(self.end(), others);
        // Calls may have opened some meanwhile.
        self.kill();
    }

    /// Ends its own connection.
    pub(super) async fn end(&self) {
        self.closed.store(true, Ordering::Release);
        self.restarts.stop();
        let live = lock(&self.live).take();
        if let Some(connection) = live {
            connection.close().await;
        }
    }

    /// Kills the process. Later calls are refused.
    pub(super) fn kill(&self) {
        self.closed.store(true, Ordering::Release);
        self.restarts.stop();
        if let Some(connection) = lock(&self.live).take() {
            connection.kill();
        }
        for server in self.pool.take() {
            server.kill();
        }
    }
}

impl Restart for Server {
    fn name(&self) -> &str {
        &self.name
    }

    fn link(&self) -> &Link {
        &self.config.link
    }

    fn is_alive(&self) -> bool {
        self.living().is_some()
    }

    fn absence(&self) -> Absence {
        if self.closed.load(Ordering::Acquire) {
            return Absence::ShutDown;
        }
        let live = lock(&self.live);
        if live.is_none() && self.generation() == 0 {
            return Absence::New;
        }
        let how = live.as_ref().and_then(|last| last.ended());
        Absence::Died(how.unwrap_or_else(|| "it does not run".into()))
    }

    /// Starts the process, shakes hands and lists the tools, within the start timeout.
    async fn start(self: &Arc<Self>) -> Result<(), McpError> {
        let begun = Instant::now();
        let opened = Connection::open(&self.name, &self.config, &self.secrets).await;
        let connection = match opened {
            Ok(connection) => Arc::new(connection),
            Err(failure) => return Err(McpError::Start(failure)),
        };
        let left = self.config.start_timeout.saturating_sub(begun.elapsed());
        let listed = match tokio::time::timeout(left, list_tools::all(&connection)).await {
            Ok(listed) => listed,
            Err(_) => Err(format!("it did not list them within {:?}", self.config.start_timeout).into()),
        };
        let tools = match listed {
            Ok(tools) => tools,
            Err(ListError { reason, http }) => {
                return Err(McpError::List {
                    server: self.name.to_string(),
                    reason: self.secrets.hide(reason),
                    http: http.map(|http| http.map_texts(|text| self.secrets.hide(text))),
                });
            }
        };
        self.take(tools);
        *lock(&self.live) = Some(Arc::clone(&connection));
        // A shutdown may have come while the process started.
        if self.closed.load(Ordering::Acquire) {
            self.kill();
        }
        connection.set_log_level();
        let (server, mut reported) = (Arc::downgrade(self), None);
        let changes = connection.changes().clone();
        tokio::spawn(relist::follow(Arc::downgrade(&connection), changes, move |listed| {
            let Some(server) = server.upgrade() else { return ControlFlow::Break(()) };
            match listed {
                Ok(tools) => {
                    reported = None;
                    server.take(tools);
                }
                Err(reason) => server.report_unlisted(reason, &mut reported),
            }
            ControlFlow::Continue(())
        }));
        Ok(())
    }

    fn report(&self, text: String) {
        tracing::warn!(server = &*self.name, "{text}");
        lock(&self.news).add(text);
    }
}
