//! A built agent: its declaration combined with a model, servers and dynamic hooks.

use std::sync::Arc;

use super::children::Children;
use super::limits::Limits;
use super::run_error::RunError;
use super::services::AgentServices;
use super::tool_list::ToolList;
use crate::context::{AgentInfo, DynCall, StateType};
use crate::definition::Effect;
use crate::model::{BoxModel, History, RequestParams};
use crate::services::Services;
use crate::state::StateCodec;

/// A built agent. All its runs share its tools, hooks and connections.
pub(crate) struct Instance {
    pub(crate) info: AgentInfo,
    pub(crate) name: Arc<str>,
    pub(crate) model: BoxModel,
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
    /// The services that the agent and those beneath it take.
    pub(crate) services: AgentServices,
    /// The initial messages that were set when the agent was built.
    pub(crate) messages: History,
    pub(crate) children: Children,
    /// Whether a failed call of the agent as a tool may be repeated.
    pub(crate) effect: Effect,
    /// The tools of all runs.
    pub(super) tools: ToolList,
}

impl Instance {
    /// The services of a run whose request provides some.
    pub(super) fn services_of(&self, request: &Services) -> Result<Services, RunError> {
        // A server's tool can be newer than the agent.
        let is_taken_else = |service| {
            let tools = self.tools.tools(None).map(|tools| tools.table);
            tools.is_ok_and(|table| table.entries().iter().any(|tool| tool.definition.services.has(service)))
        };
        self.services.of_request(&self.name, request, is_taken_else)
    }
}
