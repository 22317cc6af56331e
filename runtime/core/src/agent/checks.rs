//! Checks of one agent while it is built: its tool values, the definitions of its tools, the filters of its hooks.

use super::build_error::BuildError;
use super::declaration::ChildLink;
use crate::context::{Entry, ToolTable};
use crate::definition::{NameProblem, ToolSource};
use crate::onion::Undefined;
use crate::spec::ToolSpec;
use crate::text::{nearest, short};

/// Checks that tool values work on the agent's state. The compiler checks declared tools.
pub(super) fn states(agent: &str, link: &ChildLink, tools: &[ToolSpec]) -> Result<(), BuildError> {
    for tool in tools {
        if let Some(other) = tool.works_on().iter().find(|state| state.id != link.state.injected) {
            return Err(BuildError::ToolState {
                agent: agent.to_owned(),
                tool: tool.name().to_owned(),
                takes: other.name,
                state: link.state.name,
            });
        }
    }
    Ok(())
}

/// The error for a tool that could not return its definition.
pub(super) fn undefined(agent: &str, problem: Undefined) -> BuildError {
    let agent = agent.to_owned();
    match problem {
        Undefined::Panicked { tool, reason } => BuildError::ToolPanicked { agent, tool, reason },
        Undefined::Misnamed { tool, defined } => {
            BuildError::TwoNames { agent, tool, defined: short(&defined, 100).into_owned() }
        }
    }
}

/// Checks that the names of the program's own tools are unique and accepted by providers. Names of server tools are
/// adapted for the model. The macros check the names of agents and of the tools that they generate.
pub(super) fn names(agent: &str, declared: &[Entry], values: &[ToolSpec]) -> Result<(), BuildError> {
    let declared = declared.iter().filter(|tool| tool.source == ToolSource::Function);
    let own = values.iter().filter(|tool| tool.source() != ToolSource::Mcp);
    for name in declared.map(|tool| &*tool.name).chain(own.map(ToolSpec::name)) {
        if let Some(problem) = NameProblem::of_tool(name) {
            let tool = short(name, 100).into_owned();
            return Err(BuildError::ToolName { agent: agent.to_owned(), tool, problem });
        }
    }
    match values.iter().find_map(ToolSpec::misnamed) {
        None => Ok(()),
        Some(problem) => Err(undefined(agent, problem)),
    }
}

/// Checks bounds and examples, which a definition holds as values.
pub(super) fn definitions<'e>(
    agent: &str,
    tools: impl IntoIterator<Item = &'e Entry>,
) -> Result<(), BuildError> {
    for tool in tools {
        if let Some(setting) = tool.definition.zero() {
            return Err(BuildError::ZeroOfTool {
                agent: agent.to_owned(),
                tool: tool.name.to_string(),
                setting,
            });
        }
        let examples = tool.definition.check_examples();
        examples.map_err(|source| BuildError::Example { agent: agent.to_owned(), source })?;
    }
    Ok(())
}

/// Checks that each name of a hook's filter is the name of one of the built agent's tools.
pub(super) fn filters(
    agent: &str,
    names: &[(&'static str, &'static str)],
    table: &ToolTable,
) -> Result<(), BuildError> {
    let known = || table.entries().iter().map(|entry| &*entry.name);
    match names.iter().find(|(_, tool)| known().all(|name| name != *tool)) {
        None => Ok(()),
        Some(&(hook, tool)) => Err(BuildError::FilterNamesNoTool {
            agent: agent.to_owned(),
            hook,
            tool,
            near: nearest(tool, known()).map(|near| format!("; did you mean `{near}`?")).unwrap_or_default(),
        }),
    }
}
