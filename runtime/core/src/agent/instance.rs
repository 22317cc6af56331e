//! A built agent: its declaration combined with a model, servers and dynamic hooks.

use std::sync::{Arc, Mutex, PoisonError};

use super::children::Children;
use super::limits::Limits;
use super::prompt;
use super::servers::Provided;
use super::state_type::StateType;
use crate::context::{AgentInfo, DynCall, Entry, NameClash, ToolTable};
use crate::definition::{Effect, ToolSource};
use crate::model::{DynModel, History, RequestParams};
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
    /// The states that a session must contain, each with the agent that needs it: this agent or one beneath it.
    pub(crate) needs: Vec<(Arc<str>, StateType)>,
    /// The initial messages that were set when the agent was built.
    pub(crate) messages: History,
    pub(crate) children: Children,
    /// Whether a failed call of the agent as a tool may be repeated.
    pub(crate) effect: Effect,
    /// Tools that do not change: functions, children, built-in tools.
    pub(crate) fixed: Vec<Entry>,
    pub(super) providers: Vec<Provided>,
    pub(crate) tools: Mutex<Option<TurnTools>>,
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
    /// The current tools.
    pub(super) fn entries(&self) -> Vec<Entry> {
        let entry = |tool: Arc<dyn DynTool>| {
            let definition = tool.definition().clone();
            let name = Arc::clone(&definition.name);
            Entry::new(name, ToolSource::Mcp, Some(self.server), definition, Dynamic::target(tool))
        };
        self.provider.tools().into_iter().map(entry).collect()
    }
}

impl Instance {
    /// The tools for one turn, and the tools that were left out because their names were taken.
    pub(crate) fn tools(&self) -> (TurnTools, Vec<NameClash>) {
        let generation = self.providers.iter().map(|provided| provided.provider.generation()).sum();
        let mut cached = self.tools.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(tools) = cached.as_ref().filter(|tools| tools.generation == generation) {
            return (tools.clone(), Vec::new());
        }
        let provided = self.providers.iter().flat_map(Provided::entries);
        let (table, clashes) = ToolTable::new(&self.name, self.fixed.iter().cloned().chain(provided));
        let system = prompt::system(&self.instruction, &table);
        let tools = TurnTools { generation, table: Arc::new(table), system };
        *cached = Some(tools.clone());
        (tools, clashes)
    }
}
