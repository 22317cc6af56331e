//! Checks of one agent while it is built: its tool values, the definitions of its tools, the filters of its hooks.

use super::declaration::ChildLink;
use super::error::BuildError;
use crate::spec::ToolSpec;
use crate::tool::nearest;
use crate::tool::table::{Entry, ToolTable};

/// Whether tool values work on the agent's state. The compiler holds declared tools to it.
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

/// Bounds and examples, which a definition holds as values.
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

/// Whether each name that only the built agent can have is the name of one of its tools.
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
