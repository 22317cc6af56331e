//! A built agent: its declaration combined with a model, servers and dynamic hooks.

use std::sync::{Arc, Mutex};

use super::build_error::{BuildError, ServerError};
use super::children::Children;
use super::limits::Limits;
use super::prompt;
use super::servers::{Provided, panicked};
use crate::context::{AgentInfo, DynCall, StateType, ToolEntry, ToolTable};
use crate::definition::{Effect, ToolSource};
use crate::lock::lock;
use crate::model::{DynModel, History, RequestParams};
use crate::onion::caught;
use crate::state::StateCodec;
use crate::text::short;
use crate::tool::{DynTool, Dynamic};

/// A built agent. All its runs share its tools, hooks and connections.
pub(crate) struct Instance {
    pub(crate) info: AgentInfo,
    pub(crate) name: Arc<str>,
    pub(crate) instruction: Arc<str>,
    pub(crate) model: Arc<dyn DynModel>,
    pub(crate) model_name: Option<Arc<str>>,
    pub(crate) params: RequestParams,
    pub(crate) limits: Limits,
    pub(crate) onion: Arc<dyn DynCall>,
    pub(crate) core: Arc<dyn DynCall>,
    pub(crate) state: StateType,
    /// Writes the state for a journal.
    pub(crate) codec: Option<StateCodec>,
    /// The states that a session must contain, each with the agent that needs it: this agent or one beneath it.
    pub(crate) needs: Vec<(Arc<str>, StateType)>,
    /// The initial messages that were set when the agent was built.
    pub(crate) messages: History,
    pub(crate) children: Children,
    /// Whether a failed call of the agent as a tool may be repeated.
    pub(crate) effect: Effect,
    /// Tools that do not change: functions, children, built-in tools.
    pub(crate) fixed: Vec<ToolEntry>,
    pub(super) providers: Vec<Provided>,
    pub(crate) tools: Mutex<Option<TurnTools>>,
    /// The messages about the last list that no run has reported.
    pub(super) unreported: Mutex<Vec<String>>,
}

/// The tools of an agent as one turn uses them.
#[derive(Clone)]
pub(crate) struct TurnTools {
    generation: u64,
    pub(crate) table: Arc<ToolTable>,
    /// The system prompt, with the instructions of the tools.
    pub(crate) system: Option<Arc<str>>,
}

impl Provided {
    /// The number of the current list of tools.
    fn generation(&self) -> Result<u64, ServerError> {
        self.ask("listed its tools", || self.provider.generation())
    }

    /// Messages for people.
    fn notices(&self) -> Result<Vec<String>, ServerError> {
        self.ask("gave its notices", || self.provider.notices())
    }

    /// Calls the server's code. A panic is an error.
    fn ask<T>(&self, doing: &str, ask: impl FnOnce() -> T) -> Result<T, ServerError> {
        caught(ask).map_err(|reason| ServerError::new(panicked(self.server, doing, &reason)))
    }

    /// The current tools. A tool whose name does not begin with the server's name is reported.
    fn entries(&self, agent: &str, problems: &mut Vec<BuildError>) -> Result<Vec<ToolEntry>, ServerError> {
        let entry = |tool: Arc<dyn DynTool>| {
            let mut definition = tool.definition().clone();
            definition.is_of_server = true;
            let name = Arc::clone(&definition.name);
            let own = name.strip_prefix(self.server).and_then(|rest| rest.strip_prefix("__"));
            if own.is_none_or(str::is_empty) {
                problems.push(BuildError::ServerToolName {
                    agent: agent.to_owned(),
                    server: self.server.to_owned(),
                    tool: short(&name, 100).into_owned(),
                });
                return None;
            }
            Some(ToolEntry::new(name, ToolSource::Mcp, Some(self.server), definition, Dynamic::target(tool)))
        };
        self.ask("listed its tools", || self.provider.tools().into_iter().filter_map(entry).collect())
    }
}

impl Instance {
    /// The current table of tools, and the reasons why tools are not in it.
    pub(super) fn table(&self) -> Result<(ToolTable, Vec<BuildError>), ServerError> {
        let mut problems = Vec::new();
        let mut all = self.fixed.clone();
        for provided in &self.providers {
            all.extend(provided.entries(&self.name, &mut problems)?);
        }
        let (table, clashes) = ToolTable::new(&self.name, all);
        problems.extend(clashes.into_iter().map(BuildError::from));
        Ok((table, problems))
    }

    /// The messages about tools that were left out, once, and those of servers.
    pub(super) fn take_notices(&self) -> Result<Vec<String>, ServerError> {
        let mut of_servers = Vec::new();
        for provided in &self.providers {
            of_servers.extend(provided.notices()?);
        }
        let mut notices = std::mem::take(&mut *lock(&self.unreported));
        notices.append(&mut of_servers);
        Ok(notices)
    }

    /// The tools for one turn. [`Self::take_notices`] says which ones were left out.
    pub(super) fn tools(&self) -> Result<TurnTools, ServerError> {
        let mut generation = 0_u64;
        for provided in &self.providers {
            generation = generation.wrapping_add(provided.generation()?);
        }
        let mut cached = lock(&self.tools);
        if let Some(tools) = cached.as_ref().filter(|tools| tools.generation == generation) {
            return Ok(tools.clone());
        }
        let (table, problems) = self.table()?;
        let system = prompt::system(&self.instruction, &table);
        let tools = TurnTools { generation, table: Arc::new(table), system };
        *cached = Some(tools.clone());
        let notice = |problem: BuildError| match problem {
            BuildError::NameClash(clash) => format!("{clash}; the first one is used"),
            problem => format!("{problem}; the tool is left out"),
        };
        *lock(&self.unreported) = problems.into_iter().map(notice).collect();
        Ok(tools)
    }
}
