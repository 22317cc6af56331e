//! The name of a tool in an export.

use std::borrow::Cow;

use super::error::{ExportError, Site};
use crate::definition::{NameProblem, ToolDefinition, wire_name};
use crate::text::short;

/// Returns the tool's name, or the error that building an agent would report.
pub(super) fn name<'d>(site: &Site<'_>, definition: &'d ToolDefinition) -> Result<&'d str, ExportError> {
    match NameProblem::unless_of_server(&definition.name, definition.is_of_server) {
        None => Ok(&definition.name),
        Some(problem) => Err(ExportError::ToolName {
            tool: short(&definition.name, 100).into_owned(),
            provider: site.provider,
            problem,
        }),
    }
}

/// The tool's name for the model, as an agent would write it.
pub(super) fn name_for_model<'d>(
    site: &Site<'_>,
    definition: &'d ToolDefinition,
) -> Result<Cow<'d, str>, ExportError> {
    name(site, definition).map(wire_name)
}
