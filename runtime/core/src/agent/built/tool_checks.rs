//! Checks of individual tools: their states and their definitions.

use std::sync::Arc;

use onionskin_definitions::definition::ToolDefinition;
use onionskin_definitions::requirements::StateType;
use onionskin_definitions::text::short;
use onionskin_tools::onion::caught;
use onionskin_tools::tool::DynTool;

use crate::agent::error::build_error::BuildError;

/// The first state of a tool or a hook that differs from the agent's.
pub(in crate::agent) fn other_than(agent: StateType, states: &[StateType]) -> Option<StateType> {
    states.iter().copied().find(|state| *state != agent)
}

/// Checks that a tool works on the agent's state. For the lists of `agent!` the compiler does so.
pub(in crate::agent) fn state(
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
        let states = caught(|| tool.states()).map_err(|reason| BuildError::declaring(agent, reason))?;
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
            .map_err(|reason| BuildError::declaring(agent, reason))?;
        state(agent, agents, &name, &states)
    })
}

/// The error for a mistake in the definition of a tool.
pub(in crate::agent) fn mistake(agent: &str, tool: &str, mistake: String) -> BuildError {
    BuildError::ToolDefinition { agent: agent.to_owned(), tool: tool.to_owned(), mistake }
}

/// Checks the limits, schemas and examples of a definition.
pub(in crate::agent) fn definition(agent: &str, definition: &ToolDefinition) -> Result<(), BuildError> {
    let tool = &*short(&definition.name, 100);
    if let Some(setting) = definition.zero() {
        let text =
            format!("the tool `{tool}` of the agent `{agent}` sets `{setting}` to 0: remove it for no limit");
        return Err(mistake(agent, tool, text));
    }
    if let Some(problem) = definition.no_object() {
        let text = format!(
            "the arguments of the tool `{tool}` of the agent `{agent}` need the schema of an object, but {problem}: write \
             `\"type\": \"object\"` with `properties`, or derive the schema from a struct with named fields"
        );
        return Err(mistake(agent, tool, text));
    }
    if let Some(problem) = definition.schema_mistake() {
        let text = format!(
            "the schema of the arguments of the tool `{tool}` of the agent `{agent}` has a mistake: {problem}"
        );
        return Err(mistake(agent, tool, text));
    }
    let examples = definition.check_examples();
    examples.map_err(|source| BuildError::Example { agent: agent.to_owned(), source })
}
