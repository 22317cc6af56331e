//! The error of a call whose arguments are wrong. Its sentences are in `schema`, with [`Problem`].

use super::definition::ToolDefinition;
use crate::args::Args;
use crate::error::{ErrorKind, Exit, ToolError, ToolResult};
use crate::output::ToolOutput;
use crate::schema::{Problem, refusal_text};

/// Refuses arguments whose changes were lost, for a tool that may not read them.
#[inline]
pub(crate) fn refuse_lost(tool: &str, args: &Args) -> ToolResult<()> {
    match args.refused() {
        None => Ok(()),
        Some(error) => Err(Exit::Tool(arguments_error(tool, &[Problem::root(error.to_string())]))),
    }
}

/// The error of a call that did not run because of its arguments.
pub(crate) fn arguments_error(tool: &str, problems: &[Problem]) -> ToolError {
    let mut output = ToolOutput::text(refusal_text(tool, problems));
    output.insert_meta(Refused { tool: tool.into(), problems: problems.into() });
    ToolError::from_output(ErrorKind::Arguments, output)
}

/// The problems of a tool with its arguments, stored beside the text for layers that renamed parameters.
struct Refused {
    tool: Box<str>,
    problems: Box<[Problem]>,
}

/// The problems of a tool with its arguments, if the call ended with them.
pub(crate) fn refused_by<'e>(tool: &str, exit: &'e Exit) -> Option<&'e [Problem]> {
    let Exit::Tool(error) = exit else { return None };
    let refused = error.output().meta::<Refused>()?;
    (error.kind() == ErrorKind::Arguments && *refused.tool == *tool).then_some(&*refused.problems)
}

impl ToolDefinition {
    /// The error of a call that did not run because of its arguments. It lists all problems, so that the model can
    /// correct all of them at once.
    pub fn refuse(&self, problems: &[Problem]) -> ToolError {
        arguments_error(&self.name, problems)
    }
}
