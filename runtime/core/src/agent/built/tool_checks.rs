//! Checks of individual tools: their states and their definitions.

use std::sync::Arc;

use onionskin_definitions::definition::ToolDefinition;
use onionskin_definitions::requirements::StateType;
use onionskin_definitions::text::short;
use onionskin_tools::context::ToolEntry;
use onionskin_tools::onion::caught;
use onionskin_tools::spec::ToolSpec;
use onionskin_tools::tool::DynTool;

use crate::agent::error::build_error::BuildError;

/// The first state of a tool or a hook that differs from the agent's.
pub(in crate::agent) fn other_than(agent: StateType, states: &[StateType]) -> Option<StateType> {
    states.iter().copied().find(|state| *state != agent)
}

/// Checks that a tool works on the agent's state. For the lists of `agent!` the compiler does so.
pub(super) fn state(
    agent: &str,
    state: StateType,
    tool: &str,
    works_on: &[StateType],
) -> Result<(), BuildError> {
    match other_than(state, works_on) {
        None => Ok(()),
        Some(other) => Err(BuildError::ToolState {
            agent: agent.to_owned(),
            tool: short(tool, 100).into_owned(),
            takes: other.name(),
            state: state.name(),
        }),
    }
}

/// Checks that hand-written tools work on the agent's state.
pub(in crate::agent) fn states<'t>(
    agent: &str,
    agents: StateType,
    tools: impl IntoIterator<Item = &'t (&'static str, Arc<dyn DynTool>)>,
) -> Result<(), BuildError> {
    tools.into_iter().try_for_each(|(name, tool)| {
        let states = caught(|| tool.states())
            .map_err(|reason| BuildError::DeclarationPanicked { agent: agent.to_owned(), reason })?;
        state(agent, agents, name, &states)
    })
}

/// As [`states`], for the tools of a declaration. The names of built-in tools are in their definitions.
pub(in crate::agent) fn declared_states(
    agent: &str,
    agents: StateType,
    tools: &[(&'static str, Arc<dyn DynTool>)],
    built_in: &[Arc<dyn DynTool>],
) -> Result<(), BuildError> {
    states(agent, agents, tools)?;
    built_in.iter().try_for_each(|tool| {
        let (name, states) = caught(|| (Arc::clone(&tool.definition().name), tool.states()))
            .map_err(|reason| BuildError::DeclarationPanicked { agent: agent.to_owned(), reason })?;
        state(agent, agents, &name, &states)
    })
}

/// Checks that tool values work on the agent's state.
pub(in crate::agent) fn states_of_values(
    agent: &str,
    agents: StateType,
    tools: &[ToolSpec],
) -> Result<(), BuildError> {
    tools.iter().try_for_each(|tool| state(agent, agents, tool.name(), tool.state_types()))
}

/// Checks the limits, schemas and examples of definitions.
pub(in crate::agent) fn definitions<'e>(
    agent: &str,
    tools: impl IntoIterator<Item = &'e ToolEntry>,
) -> Result<(), BuildError> {
    tools.into_iter().try_for_each(|tool| definition(agent, &tool.definition))
}

/// As [`definitions`], for one tool.
pub(super) fn definition(agent: &str, definition: &ToolDefinition) -> Result<(), BuildError> {
    let tool = || short(&definition.name, 100).into_owned();
    if let Some(setting) = definition.zero() {
        return Err(BuildError::ZeroToolSetting { agent: agent.to_owned(), tool: tool(), setting });
    }
    if let Some(problem) = definition.no_object() {
        return Err(BuildError::InputSchema { agent: agent.to_owned(), tool: tool(), problem });
    }
    if let Some(problem) = definition.schema_mistake() {
        return Err(BuildError::SchemaMistake { agent: agent.to_owned(), tool: tool(), problem });
    }
    let examples = definition.check_examples();
    examples.map_err(|source| BuildError::Example { agent: agent.to_owned(), source })
}
