//! The tools of an agent: fixed tools, and the tools of its servers. A run can have its own list.

use std::error::Error;
use std::sync::{Arc, Mutex};

use futures_util::future::{BoxFuture, join_all};
use onionskin_definitions::definition::{ServerKind, ToolDefinition};
use onionskin_definitions::error::{BoxError, ErrorKind, ToolError};
use onionskin_definitions::lock::lock;
use onionskin_definitions::requirements::StateType;
use onionskin_definitions::text::{first_of, nearest, short};
use onionskin_tools::context::{Guards, RunContext, ToolEntry, ToolTable, definition_for_run};
use onionskin_tools::onion::{caught, caught_async};
use onionskin_tools::tool::{DynTool, Dynamic};

use crate::agent::error::build_error::BuildError;
use crate::agent::error::run_error::RunError;
use crate::agent::error::server_error::ServerError;
use crate::agent::parts::server_pool::{AgentServer, panicked};
use crate::agent::parts::servers::ToolProvider;
use crate::prompt::SystemPrompt;

use super::prompt::{AgentPrompt, TurnParts};
use super::services::ProvidedServices;
use super::tool_checks;

/// The tools of an agent, for all its runs or for one.
pub(crate) struct ToolList {
    owner: Owner,
    prompt: AgentPrompt,
    /// Tools that do not change: functions, children, built-in tools.
    fixed: Arc<[ToolEntry]>,
    pub(in crate::agent) servers: Vec<AgentServer>,
    current: Mutex<Option<TurnTools>>,
    /// The messages about the last list that no run has reported yet.
    unreported: Mutex<Vec<String>>,
}

/// The agent whose servers' tools are checked.
#[derive(Clone)]
pub(in crate::agent) struct Owner {
    pub(in crate::agent) agent: Arc<str>,
    /// The agent's state.
    pub(in crate::agent) state: StateType,
    /// The services provided for these tools.
    pub(in crate::agent) provided: ProvidedServices,
    /// The guardrails around all tools.
    pub(in crate::agent) guards: Option<Arc<dyn Guards>>,
}

/// The tools of an agent as one turn uses them.
#[derive(Clone)]
pub(crate) struct TurnTools {
    generation: u64,
    pub(crate) table: Arc<ToolTable>,
    /// The system prompt with the instructions of the tools, if it is the same in all runs.
    pub(crate) system: Option<SystemPrompt>,
    /// Whether a run needs its own table, because a definition depends on it.
    pub(in crate::agent) depends_on_run: bool,
}

/// The reason why the tools could not be listed.
pub(in crate::agent) enum ListError {
    /// A server panicked.
    Server(ServerError),
    /// A tool has no definition for the run.
    Definition { tool: Arc<str>, source: Arc<dyn Error + Send + Sync> },
}

impl ListError {
    /// The error of a list for all runs.
    pub(in crate::agent) fn into_server_error(self) -> ServerError {
        match self {
            Self::Server(error) => error,
            Self::Definition { source, .. } => ServerError::new(source.to_string().into()),
        }
    }

    /// The error of a call that a program makes.
    pub(in crate::agent) fn into_tool_error(self) -> ToolError {
        match self {
            Self::Server(error) => ToolError::new(error.to_string()).with_kind(ErrorKind::Panic),
            Self::Definition { tool, source } => {
                ToolError::new(format!("the tool `{tool}` has no definition for this run: {source}"))
            }
        }
    }

    /// The error of a run.
    pub(in crate::agent) fn into_run_error(self, agent: &Arc<str>) -> RunError {
        let agent = Arc::clone(agent);
        match self {
            Self::Server(error) => RunError::Agent { agent, reason: error.to_string() },
            Self::Definition { tool, source } => RunError::ToolDefinition { agent, tool, source },
        }
    }
}

impl From<ServerError> for ListError {
    fn from(error: ServerError) -> Self {
        Self::Server(error)
    }
}

impl AgentServer {
    /// The reason why the server leaves out the tools that match this pattern, if it does.
    fn left_out(&self, pattern: &str) -> Result<Option<String>, ServerError> {
        self.ask("was asked for a tool that it leaves out", || self.provider.left_out(pattern))
    }

    /// Calls the server's code. A panic becomes an error.
    fn ask<T>(&self, doing: &str, ask: impl FnOnce() -> T) -> Result<T, ServerError> {
        caught(ask).map_err(|reason| ServerError::new(panicked(&self.server, doing, &reason)))
    }

    /// The current tools that the agent selects. Reports a tool whose name does not begin with the server's
    /// name and, in the list for all runs, a pattern that matches no tool.
    fn entries(
        &self,
        owner: &Owner,
        for_all: bool,
        problems: &mut Vec<BuildError>,
    ) -> Result<Vec<ToolEntry>, ServerError> {
        let (agent, mut names) = (&*owner.agent, Vec::new());
        let entry = |tool: Arc<dyn DynTool>| {
            let mut definition = tool.definition().clone();
            definition.is_of_server = true;
            let name = Arc::clone(&definition.name);
            let own = name.strip_prefix(&*self.server).and_then(|rest| rest.strip_prefix("__"));
            let Some(own) = own.filter(|own| !own.is_empty()) else {
                problems.push(BuildError::ServerToolName {
                    agent: agent.to_owned(),
                    server: (*self.server).to_owned(),
                    tool: short(&name, 100).into_owned(),
                });
                return None;
            };
            names.push(own.to_owned());
            if !self.filter.takes(own) {
                return None;
            }
            // The program cannot correct the definitions of MCP servers.
            let is_own = self.kind != ServerKind::Mcp;
            let checked = tool_checks::state(agent, owner.state, &name, &tool.states())
                .and_then(|()| if is_own { tool_checks::definition(agent, &definition) } else { Ok(()) });
            if let Err(problem) = checked {
                problems.push(problem);
                return None;
            }
            let target = Dynamic::target(tool);
            Some(ToolEntry::new(name, self.kind.into(), Some(&self.server), definition, target))
        };
        let listed =
            self.ask("listed its tools", || self.provider.tools().into_iter().filter_map(entry).collect())?;
        if for_all {
            let names = || names.iter().map(String::as_str);
            for pattern in self.filter.unmatched(names()) {
                let server = (*self.server).to_owned();
                if let Some(reason) = self.left_out(pattern)? {
                    let names = format!("selects `{pattern}` from the server `{server}`");
                    problems.push(BuildError::UnavailableTool { agent: agent.to_owned(), names, reason });
                    continue;
                }
                problems.push(BuildError::NoServerTool {
                    agent: agent.to_owned(),
                    server,
                    pattern: pattern.to_owned(),
                    near: nearest(pattern, names())
                        .map(|near| format!("; did you mean `{near}`?"))
                        .unwrap_or_default(),
                    tools: match names().len() {
                        0 => "none".to_owned(),
                        _ => first_of(names().map(|name| format!("`{}`", short(name, 100))), ", "),
                    },
                });
            }
        }
        Ok(listed)
    }

    /// The provider of one run.
    async fn for_run(
        &self,
        own: BoxFuture<'_, Result<Arc<dyn ToolProvider>, BoxError>>,
    ) -> Result<Self, ServerError> {
        let provider = caught_async(own).await.unwrap_or_else(|reason| Err(self.panicked_for_run(&reason)));
        Ok(Self { provider: provider.map_err(ServerError::new)?, ..self.clone() })
    }

    fn panicked_for_run(&self, reason: &str) -> BoxError {
        panicked(&self.server, "listed the tools of a run", reason)
    }
}

impl ToolList {
    pub(in crate::agent) fn new(
        owner: Owner,
        prompt: AgentPrompt,
        fixed: Vec<ToolEntry>,
        servers: Vec<AgentServer>,
    ) -> Self {
        Self {
            owner,
            prompt,
            fixed: fixed.into(),
            servers,
            current: Mutex::default(),
            unreported: Mutex::default(),
        }
    }

    /// The list for one run, if a server has special tools for the run or a definition depends on it.
    pub(in crate::agent) fn for_run<'a>(
        &'a self,
        run: &'a RunContext,
    ) -> Option<BoxFuture<'a, Result<Self, RunError>>> {
        if self.servers.is_empty() && !self.fixed.iter().any(|entry| entry.definition.depends_on_run()) {
            return None;
        }
        let of_run = |server: &'a AgentServer| (server, caught(|| server.provider.for_run(run)));
        let servers: Vec<_> = self.servers.iter().map(of_run).collect();
        let shares = servers.iter().all(|(_, own)| matches!(own, Ok(None)));
        let depends = lock(&self.current).as_ref().is_some_and(|current| current.depends_on_run);
        if shares && !depends {
            return None;
        }
        Some(Box::pin(async move {
            let servers = servers.into_iter().map(|(server, own)| async move {
                let listed = match own {
                    Ok(None) => Ok(server.clone()),
                    Ok(Some(own)) => server.for_run(own).await,
                    Err(reason) => Err(ServerError::new(server.panicked_for_run(&reason))),
                };
                listed.map_err(|source| RunError::ServerTools {
                    agent: Arc::clone(&self.owner.agent),
                    server: Arc::clone(&server.server),
                    source,
                })
            });
            let servers: Result<Vec<_>, _> = join_all(servers).await.into_iter().collect();
            let list = self.with(servers?);
            list.tools(Some(run)).map_err(|error| error.into_run_error(&self.owner.agent))?;
            Ok(list)
        }))
    }

    /// This list for a run that began before a server's definition depended on runs.
    pub(in crate::agent) fn late(&self) -> Self {
        self.with(self.servers.clone())
    }

    fn with(&self, servers: Vec<AgentServer>) -> Self {
        Self {
            owner: self.owner.clone(),
            prompt: self.prompt.clone(),
            fixed: Arc::clone(&self.fixed),
            servers,
            current: Mutex::default(),
            unreported: Mutex::default(),
        }
    }

    /// The current table of tools for all runs or for one, and the reasons why tools are missing. The tools of the table `before` keep
    /// their order.
    fn table(
        &self,
        run: Option<&RunContext>,
        before: Option<&ToolTable>,
    ) -> Result<(ToolTable, Vec<BuildError>), ListError> {
        let mut problems = Vec::new();
        let mut all = self.fixed.to_vec();
        for server in &self.servers {
            for tool in server.entries(&self.owner, run.is_none(), &mut problems)? {
                match self.owner.provided.missing_for(&self.owner.agent, self.owner.state, &tool, run) {
                    None => all.push(tool),
                    Some(problem) => problems.push(problem),
                }
            }
        }
        if let Some(before) = before {
            // Providers cache a prompt up to its first change, so new tools are behind the others.
            all.sort_by_key(|entry| before.find(&entry.name).unwrap_or(usize::MAX));
        }
        if let Some(run) = run {
            for entry in all.iter_mut().filter(|entry| entry.definition.depends_on_run()) {
                entry.definition = definition_of_run(&entry.definition, run)?;
            }
        }
        if let Some(guards) = &self.owner.guards {
            for entry in &mut all {
                entry.guard(guards);
            }
        }
        let (table, clashes) = ToolTable::new(&self.owner.agent, all);
        problems.extend(clashes.into_iter().map(BuildError::from));
        Ok((table, problems))
    }

    /// The table for all runs.
    ///
    /// # Errors
    /// Returns an error if a tool cannot be in it, or a server panics.
    pub(in crate::agent) fn first_table(&self) -> Result<ToolTable, BuildError> {
        let (table, problems) =
            self.table(None, None).map_err(|error| BuildError::Server(error.into_server_error()))?;
        match problems.into_iter().next() {
            Some(problem) => Err(problem),
            None => Ok(table),
        }
    }

    /// The reason why a server leaves out the tool of this name, if it does.
    pub(in crate::agent) fn left_out(&self, name: &str) -> Result<Option<String>, BuildError> {
        for server in &self.servers {
            let own = name.strip_prefix(&*server.server).and_then(|rest| rest.strip_prefix("__"));
            let reason = own.map_or(Ok(None), |own| server.left_out(own)).map_err(BuildError::Server)?;
            if reason.is_some() {
                return Ok(reason);
            }
        }
        Ok(None)
    }

    /// Whether it has servers of another kind than MCP.
    pub(in crate::agent) fn has_other_servers(&self) -> bool {
        self.servers.iter().any(|server| server.kind != ServerKind::Mcp)
    }

    /// The system prompt of the agent.
    pub(in crate::agent) fn prompt(&self) -> &AgentPrompt {
        &self.prompt
    }

    /// Takes the messages about omitted tools, and the notices of servers.
    pub(in crate::agent) fn take_notices(&self) -> Result<Vec<String>, ListError> {
        let mut of_servers = Vec::new();
        for server in &self.servers {
            of_servers.extend(server.ask("gave its notices", || server.provider.notices())?);
        }
        let mut notices = std::mem::take(&mut *lock(&self.unreported));
        notices.append(&mut of_servers);
        Ok(notices)
    }

    /// Waits for the lists that servers announced; `None` if there are none.
    pub(in crate::agent) fn pending(&self) -> Option<BoxFuture<'_, Result<(), ListError>>> {
        let lists: Vec<_> = self
            .servers
            .iter()
            .filter_map(|server| {
                server.ask("was asked for its next list", || server.provider.pending_list()).transpose()
            })
            .collect();
        if lists.is_empty() {
            return None;
        }
        Some(Box::pin(async move {
            let lists: Vec<_> = lists.into_iter().collect::<Result<_, _>>()?;
            let waits = lists.into_iter().map(caught_async);
            match join_all(waits).await.into_iter().find_map(Result::err) {
                Some(reason) => {
                    let text = format!("a server panicked before it gave its next list: {reason}");
                    Err(ServerError::new(text.into()).into())
                }
                None => Ok(()),
            }
        }))
    }

    /// The tools for one turn. [`Self::take_notices`] reports the omitted ones.
    pub(in crate::agent) fn tools(&self, run: Option<&RunContext>) -> Result<TurnTools, ListError> {
        let mut generation = 0_u64;
        for server in &self.servers {
            generation =
                generation.wrapping_add(server.ask("listed its tools", || server.provider.generation())?);
        }
        let mut current = lock(&self.current);
        if let Some(tools) = current.as_ref().filter(|tools| tools.generation == generation) {
            return Ok(tools.clone());
        }
        let (table, problems) = self.table(run, current.as_ref().map(|tools| &*tools.table))?;
        let system = self.prompt.is_fixed().then(|| self.prompt.fixed(&table, TurnParts::AGENTS));
        let depends_on_run = table.entries().iter().any(|entry| entry.definition.depends_on_run());
        let tools = TurnTools { generation, table: Arc::new(table), system, depends_on_run };
        *current = Some(tools.clone());
        *lock(&self.unreported) = problems.into_iter().map(notice).collect();
        Ok(tools)
    }
}

/// A problem of a later list, for people.
#[expect(clippy::wildcard_enum_match_arm, reason = "every other problem of a list is a problem of one tool")]
fn notice(problem: BuildError) -> String {
    match problem {
        BuildError::NameClash(clash) => format!("{clash}; the first one is used"),
        BuildError::NoServerTool { agent, server, pattern, .. } => format!(
            "the server `{server}` changed its tools: no tool matches `{pattern}` of the agent `{agent}` any more"
        ),
        problem @ BuildError::UnavailableTool { .. } => problem.to_string(),
        problem => format!("{problem}; the tool is left out"),
    }
}

/// The definition of a tool for a run. A panic of the program's function is an error.
fn definition_of_run(definition: &ToolDefinition, run: &RunContext) -> Result<ToolDefinition, ListError> {
    let made = caught(|| definition_for_run(definition, run));
    made.unwrap_or_else(|reason| Err(format!("it panicked: {reason}").into()))
        .map_err(|error| ListError::Definition { tool: Arc::clone(&definition.name), source: error.into() })
}
