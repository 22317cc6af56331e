//! A log that calls write into, and short forms.

use onionskin::{Args, DynTool, ErrorKind, Tool, ToolContext, ToolResult, testing};

pub(crate) use crate::log::Log;

/// A context with a log, and the log.
pub fn context(tool: &str) -> (ToolContext, Log) {
    let log = Log::default();
    (testing::context(tool).state(log.clone()).build(), log)
}

/// Calls a tool as an agent would, past its hooks.
pub async fn call<T: Tool + Default>(args: &str) -> ToolResult {
    let (cx, _) = context(T::NAME);
    DynTool::run_dyn(&T::default(), &cx, &mut Args::from(args)).await
}

/// The text of an output or of an error, and its kind.
pub fn text_and_kind(result: &ToolResult) -> (String, Option<ErrorKind>) {
    match result {
        Ok(output) => (output.to_text().into_owned(), None),
        Err(exit) => (exit.to_string(), exit.as_tool_error().map(onionskin::ToolError::kind)),
    }
}
