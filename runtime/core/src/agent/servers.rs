//! Servers that give agents tools: their interface, and the servers of one program.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fmt;
use std::sync::Arc;

use futures_util::future::{BoxFuture, join_all};

use super::declaration::ServerUse;
use super::error::BuildError;
use crate::text::{list, nearest};
use crate::tool::DynTool;

/// Any error, of a crate that speaks to servers.
pub type BoxError = Box<dyn Error + Send + Sync>;

/// The tools of a server for one agent. They may change while the program runs.
pub trait ToolProvider: Send + Sync + 'static {
    /// A number that grows whenever [`tools`](Self::tools) may have changed.
    fn generation(&self) -> u64;

    /// The tools that there are now. The name of a definition is what hooks see, as `server__tool`.
    fn tools(&self) -> Vec<Arc<dyn DynTool>>;

    /// What a person should know since the last call of this method. An agent's events have it as notices.
    fn notices(&self) -> Vec<String> {
        Vec::new()
    }
}

/// A server of tools: agents name it in `servers`. Agents of one program share it.
pub trait ToolServer: Send + Sync + 'static {
    /// Starts the server. The future is awaited once, before all else.
    ///
    /// # Errors
    /// If it does not start: the agents are not built.
    fn start(&self) -> BoxFuture<'_, Result<(), BoxError>>;

    /// The tools for an agent: those that fit one of the patterns, or all of them without patterns.
    ///
    /// # Errors
    /// If a pattern fits no tool.
    fn provider(
        &self,
        agent: &str,
        patterns: Option<&'static [&'static str]>,
    ) -> Result<Arc<dyn ToolProvider>, BoxError>;

    /// Ends the server gracefully.
    fn shutdown(&self) -> BoxFuture<'_, ()>;

    /// Ends the server at once: the last agent was dropped.
    fn kill(&self);
}

/// The configuration of one server, which the builders' `server` takes.
pub trait IntoToolServer {
    /// The server under its name, not started.
    ///
    /// # Errors
    /// If it cannot be used as it is configured.
    fn into_server(self, name: &str) -> Result<Arc<dyn ToolServer>, BoxError>;
}

/// Configured servers, which the builders' `servers` takes.
pub trait ToolServers: Send + Sync + 'static {
    /// Their names.
    ///
    /// # Errors
    /// If the configuration cannot be read.
    fn names(&self) -> Result<Vec<String>, BoxError>;

    /// The server of this name, not started; `None` if it is not configured.
    ///
    /// # Errors
    /// If the configuration cannot be read, or the server cannot be used as it is configured.
    fn server(&self, name: &str) -> Result<Option<Arc<dyn ToolServer>>, BoxError>;
}

/// A server could not be used: the error of the crate that speaks to it.
#[derive(Debug, Clone)]
pub struct ServerError(Arc<dyn Error + Send + Sync>);

impl ServerError {
    /// The error, if it has this type.
    pub fn downcast_ref<E: Error + 'static>(&self) -> Option<&E> {
        self.0.downcast_ref()
    }
}

impl fmt::Display for ServerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Error for ServerError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0.source()
    }
}

impl From<BoxError> for BuildError {
    fn from(error: BoxError) -> Self {
        Self::Server(ServerError(error.into()))
    }
}

/// What the builders were given of servers.
#[derive(Default)]
pub(super) struct Configured {
    /// A later one goes before an earlier one.
    sources: Vec<Source>,
    /// Where the agents look for servers that nothing else configures.
    default: Option<Arc<dyn ToolServers>>,
}

enum Source {
    One { name: String, server: Result<Arc<dyn ToolServer>, ServerError> },
    Several(Box<dyn ToolServers>),
}

impl Configured {
    pub(super) fn one(&mut self, name: String, server: impl IntoToolServer) {
        let server = server.into_server(&name).map_err(|error| ServerError(error.into()));
        self.sources.push(Source::One { name, server });
    }

    pub(super) fn several(&mut self, servers: impl ToolServers) {
        self.sources.push(Source::Several(Box::new(servers)));
    }

    pub(super) fn default_to(&mut self, servers: Option<Arc<dyn ToolServers>>) {
        self.default = self.default.take().or(servers);
    }

    fn server(&self, wanted: &str) -> Result<Option<Arc<dyn ToolServer>>, BuildError> {
        for source in self.sources.iter().rev() {
            match source {
                Source::One { name, server } if name == wanted => {
                    return server.clone().map(Some).map_err(BuildError::Server);
                }
                Source::One { .. } => {}
                Source::Several(servers) => {
                    if let Some(server) = servers.server(wanted)? {
                        return Ok(Some(server));
                    }
                }
            }
        }
        match &self.default {
            Some(servers) => Ok(servers.server(wanted)?),
            None => Ok(None),
        }
    }

    /// All names, for an error text.
    fn known(&self) -> String {
        let mut names = BTreeSet::new();
        for source in &self.sources {
            match source {
                Source::One { name, .. } => _ = names.insert(name.clone()),
                Source::Several(servers) => names.extend(servers.names().unwrap_or_default()),
            }
        }
        names.extend(self.default.iter().flat_map(|servers| servers.names().unwrap_or_default()));
        list(names)
    }

    /// The names that were given one by one: an agent must use them.
    fn given(&self) -> impl Iterator<Item = &str> {
        self.sources.iter().filter_map(|source| match source {
            Source::One { name, .. } => Some(name.as_str()),
            Source::Several(_) => None,
        })
    }

    /// Finds the servers that agents use, each with the name of the agent, and starts them side by side, unless something is
    /// wrong already.
    pub(super) async fn start(
        self,
        uses: &BTreeSet<(&'static str, &'static str)>,
        mut problems: Vec<BuildError>,
    ) -> Result<Pool, BuildError> {
        let used: BTreeSet<_> = uses.iter().map(|(server, _)| *server).collect();
        for server in self.given().filter(|server| !used.contains(server)) {
            problems.push(BuildError::UnusedServer {
                server: server.to_owned(),
                near: nearest(server, used.iter().copied())
                    .map(|near| format!("; did you mean `{near}`?"))
                    .unwrap_or_default(),
                used: list(used.iter().map(|server| format!("`{server}`"))),
            });
        }
        let mut pool = Pool::default();
        for name in used {
            match self.server(name) {
                Ok(Some(server)) => _ = pool.servers.insert(name, server),
                Ok(None) => problems.extend(uses.iter().filter(|(server, _)| *server == name).map(
                    |(server, agent)| BuildError::UnknownServer {
                        agent: (*agent).to_owned(),
                        server: (*server).to_owned(),
                        known: self.known(),
                    },
                )),
                // A file that cannot be read is one problem, however many servers are looked for in it.
                Err(error) => {
                    let is_known = problems.iter().any(|problem| problem.to_string() == error.to_string());
                    if !is_known {
                        problems.push(error);
                    }
                }
            }
        }
        BuildError::all(problems)?;
        let started = join_all(pool.servers.values().map(|server| server.start())).await;
        BuildError::all(started.into_iter().filter_map(Result::err).map(BuildError::from).collect())?;
        Ok(pool)
    }
}

/// The servers that a program's agents share. Dropping it kills them.
#[derive(Default)]
pub(super) struct Pool {
    servers: BTreeMap<&'static str, Arc<dyn ToolServer>>,
}

/// The tools that an agent takes from one server.
pub(super) struct Provided {
    pub(super) server: &'static str,
    pub(super) provider: Arc<dyn ToolProvider>,
}

impl Pool {
    /// The tools of its servers for an agent.
    pub(super) fn providers(&self, agent: &str, uses: &[ServerUse]) -> Result<Vec<Provided>, BuildError> {
        let servers = uses.iter().filter_map(|of| Some((of, self.servers.get(of.name)?)));
        servers
            .map(|(of, server)| {
                Ok(Provided { server: of.name, provider: server.provider(agent, of.filter)? })
            })
            .collect()
    }

    /// Ends all servers gracefully, side by side.
    pub(super) async fn shutdown(&self) {
        join_all(self.servers.values().map(|server| server.shutdown())).await;
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        for server in self.servers.values() {
            server.kill();
        }
    }
}
