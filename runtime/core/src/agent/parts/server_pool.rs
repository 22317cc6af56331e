//! The servers of one program: their configurations, and the running servers.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use futures_util::future::join_all;
use onionskin_definitions::definition::{ServerKind, wire_name};
use onionskin_definitions::error::BoxError;
use onionskin_definitions::text::{list, nearest};
use onionskin_tools::onion::{caught, caught_async};

use crate::agent::error::build_error::BuildError;
use crate::agent::error::server_error::ServerError;

use super::Parts;
use super::run_header::RunHeader;
use super::servers::{IntoToolServer, ProviderRequest, ToolProvider, ToolServer, ToolServers};
use super::tool_filter::ToolFilter;

/// A server that an agent uses, with a filter for its tools.
#[derive(Debug, Clone)]
pub(crate) struct ServerUse {
    pub(crate) name: Arc<str>,
    pub(crate) filter: ToolFilter,
}

/// What an agent reads of a server beside its tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ServerData {
    Resources,
    Prompts,
}

impl ServerData {
    fn read(self) -> &'static str {
        match self {
            Self::Resources => "read resources of",
            Self::Prompts => "get prompts of",
        }
    }
}

/// The server configurations of a builder.
#[derive(Default)]
pub(in crate::agent) struct Configured {
    /// A later source overrides an earlier one.
    sources: Vec<Source>,
    /// The source for servers that no other source configures.
    pub(in crate::agent) default: Option<Arc<dyn ToolServers>>,
    /// Whether no agent may have a tool that differs from its lock file.
    pub(in crate::agent) is_strict: bool,
}

enum Source {
    One { name: String, server: Result<Arc<dyn ToolServer>, ServerError> },
    Several(Box<dyn ToolServers>),
}

/// Creates a server. A panic becomes an error, as for all code of a source of tools.
fn made<T>(name: &str, make: impl FnOnce() -> Result<T, BoxError>) -> Result<T, BoxError> {
    caught(make).unwrap_or_else(|reason| Err(panicked(name, "was made", &reason)))
}

/// The error for a panic of a server.
pub(in crate::agent) fn panicked(name: &str, doing: &str, reason: &str) -> BoxError {
    format!("the server `{name}` panicked when it {doing}: {reason}").into()
}

impl Configured {
    pub(in crate::agent) fn one(&mut self, name: String, server: impl IntoToolServer) {
        let server = made(&name, || server.into_server(&name)).map_err(ServerError::new);
        self.sources.push(Source::One { name, server });
    }

    /// Whether a server of this name was set individually.
    pub(in crate::agent) fn has(&self, name: &str) -> bool {
        self.individual().any(|known| known == name)
    }

    pub(in crate::agent) fn several(&mut self, servers: impl ToolServers) {
        self.sources.push(Source::Several(Box::new(servers)));
    }

    fn server(&self, wanted: &str) -> Result<Option<Arc<dyn ToolServer>>, BuildError> {
        for source in self.sources.iter().rev() {
            match source {
                Source::One { name, server } if name == wanted => {
                    return server.clone().map(Some).map_err(BuildError::Server);
                }
                Source::One { .. } => {}
                Source::Several(servers) => {
                    if let Some(server) = made(wanted, || servers.server(wanted))? {
                        return Ok(Some(server));
                    }
                }
            }
        }
        match &self.default {
            Some(servers) => Ok(made(wanted, || servers.server(wanted))?),
            None => Ok(None),
        }
    }

    /// All names, for an error message.
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

    /// The servers that were set individually. Each must be used by an agent.
    fn individual(&self) -> impl Iterator<Item = &str> {
        self.sources.iter().filter_map(|source| match source {
            Source::One { name, .. } => Some(name.as_str()),
            Source::Several(_) => None,
        })
    }

    /// Finds the servers that agents use, each with the agent's name, and starts them concurrently. It starts none if
    /// there is already a problem.
    pub(in crate::agent) async fn start(
        self,
        uses: &BTreeSet<(Arc<str>, Arc<str>)>,
        allows_unused: bool,
        mut problems: Vec<BuildError>,
    ) -> Result<Pool, BuildError> {
        let used: BTreeSet<_> = uses.iter().map(|(server, _)| &**server).collect();
        for server in self.individual().filter(|server| !allows_unused && !used.contains(server)) {
            problems.push(BuildError::UnusedServer {
                server: server.to_owned(),
                near: nearest(server, used.iter().copied())
                    .map(|near| format!("; did you mean `{near}`?"))
                    .unwrap_or_default(),
                used: list(used.iter().map(|server| format!("`{server}`"))),
            });
        }
        let mut pool = Pool { servers: BTreeMap::new(), is_strict: self.is_strict };
        for name in used {
            match self.server(name) {
                Ok(Some(server)) => _ = pool.servers.insert(name.into(), server),
                Ok(None) => problems.extend(uses.iter().filter(|(server, _)| **server == *name).map(
                    |(server, agent)| BuildError::UnknownServer {
                        agent: (**agent).to_owned(),
                        server: (**server).to_owned(),
                        known: self.known(),
                    },
                )),
                // An unreadable file is reported once, however many servers are looked up in it.
                Err(error) => {
                    let is_known = problems.iter().any(|problem| problem.to_string() == error.to_string());
                    if !is_known {
                        problems.push(error);
                    }
                }
            }
        }
        BuildError::all(problems)?;
        let started = join_all(pool.servers.iter().map(|(name, server)| async move {
            let started = caught_async(async { server.start().await }).await;
            started.unwrap_or_else(|reason| Err(panicked(name, "started", &reason)))
        }))
        .await;
        BuildError::all(started.into_iter().filter_map(Result::err).map(BuildError::from).collect())?;
        Ok(pool)
    }
}

/// # Errors
/// Returns an error if tools of two servers could have the same name: `b__c` of `a`, and `c` of `a__b`. Calls
/// could then reach the wrong server.
fn names_apart(agent: &str, uses: &[ServerUse]) -> Result<(), BuildError> {
    let mut begins: Vec<_> =
        uses.iter().map(|used| (wire_name(&format!("{}__", used.name)).into_owned(), &used.name)).collect();
    begins.sort_unstable();
    begins.dedup();
    // In sorted order, texts with a common prefix directly follow the prefix.
    match begins.windows(2).find(|pair| pair[1].0.starts_with(&pair[0].0)) {
        Some(pair) => Err(BuildError::ServerNames {
            agent: agent.to_owned(),
            first: pair[0].1.to_string(),
            second: pair[1].1.to_string(),
        }),
        None => Ok(()),
    }
}

/// The servers that a program's agents share. Dropping this value kills them.
#[derive(Default)]
pub(in crate::agent) struct Pool {
    servers: BTreeMap<Arc<str>, Arc<dyn ToolServer>>,
    is_strict: bool,
}

/// Makes tools of a server for a request.
type Made<'m> = dyn Fn(&ProviderRequest<'_>) -> Result<Arc<dyn ToolProvider>, BoxError> + 'm;

/// The tools that an agent uses from one server.
#[derive(Clone)]
pub(in crate::agent) struct AgentServer {
    pub(in crate::agent) server: Arc<str>,
    pub(in crate::agent) kind: ServerKind,
    pub(in crate::agent) filter: ToolFilter,
    pub(in crate::agent) provider: Arc<dyn ToolProvider>,
}

impl Pool {
    /// The tools of an agent's servers, and those that read their resources and prompts. `snapshot` is the declaration's snapshot of the servers,
    /// and `is_strict` means that they must match it.
    pub(in crate::agent) fn providers(
        &self,
        agent: &str,
        parts: &Parts,
        snapshot: Option<&str>,
        is_strict: bool,
    ) -> Result<Vec<AgentServer>, BuildError> {
        let Parts { servers: uses, server_headers: headers, server_data: data, .. } = parts;
        names_apart(agent, uses)?;
        let wrong = |server: &str, what: String, reason: String| BuildError::ServerPart {
            agent: agent.to_owned(),
            server: server.to_owned(),
            what,
            reason,
        };
        let send = |header: &RunHeader| format!("send the header `{}` to", header.name());
        let headers_to = headers.iter().map(|(server, header)| (server, send(header)));
        let data_of = data.iter().map(|(server, data, _)| (server, data.read().to_owned()));
        let mut parts = headers_to.chain(data_of);
        if let Some((server, what)) = parts.find(|(server, _)| uses.iter().all(|used| used.name != **server))
        {
            let reason = "the agent does not use this server: add it with `.server(..)`";
            return Err(wrong(server, what, reason.to_owned()));
        }
        let mut providers = Vec::new();
        for used in uses {
            let Some(server) = self.servers.get(&used.name) else { continue };
            let mut of_server = headers.iter().filter(|(name, _)| *name == used.name).peekable();
            if let Some((_, first)) = of_server.peek()
                && caught(|| server.kind()) != Ok(ServerKind::Mcp)
            {
                let reason = "it is not an MCP server: its own code gets the run of each call";
                return Err(wrong(&used.name, send(first), reason.to_owned()));
            }
            let of_server: Vec<_> = of_server.map(|(_, header)| header.clone()).collect();
            let add = |filter: &ToolFilter, made: &Made| {
                let made = caught(|| {
                    let request = ProviderRequest::new(agent, &used.name, filter);
                    let request = request.with_snapshot(snapshot).with_headers(&of_server);
                    let provider = made(&request.with_strict_lock(is_strict || self.is_strict))?;
                    provider.generation();
                    Ok((server.kind(), provider))
                });
                made.unwrap_or_else(|reason| Err(panicked(&used.name, "listed its tools", &reason)))
            };
            // These tools first: they do not change, and a tool that the server adds later replaces none of them.
            for (_, data, filter) in data.iter().filter(|(name, ..)| *name == used.name) {
                if filter.unmatched([]).is_empty() {
                    let reason = "a pattern is missing, such as `*`";
                    return Err(wrong(&used.name, data.read().to_owned(), reason.to_owned()));
                }
                let readers = |request: &ProviderRequest<'_>| match data {
                    ServerData::Resources => server.resources(request),
                    ServerData::Prompts => server.prompts(request),
                };
                let made = add(filter, &readers);
                let (kind, provider) =
                    made.map_err(|error| wrong(&used.name, data.read().to_owned(), error.to_string()))?;
                let (name, filter) = (Arc::clone(&used.name), ToolFilter::all());
                providers.push(AgentServer { server: name, kind, filter, provider });
            }
            let tools = |request: &ProviderRequest<'_>| server.provider(request);
            let (kind, provider) = add(&used.filter, &tools)?;
            let (name, filter) = (Arc::clone(&used.name), used.filter.clone());
            providers.push(AgentServer { server: name, kind, filter, provider });
        }
        Ok(providers)
    }

    /// Shuts down all servers concurrently, and waits for their ends.
    pub(in crate::agent) async fn shutdown(&self) {
        join_all(self.servers.iter().map(|(name, server)| async move {
            if caught_async(async { server.shutdown().await }).await.is_err() {
                tracing::error!(server = &**name, "a server panicked when it was shut down");
            }
        }))
        .await;
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        // The last agent can be dropped during unwinding, when a second panic would abort the process.
        for (name, server) in &self.servers {
            if caught(|| server.kill()).is_err() {
                tracing::error!(server = &**name, "a server panicked when it was killed");
            }
        }
    }
}
