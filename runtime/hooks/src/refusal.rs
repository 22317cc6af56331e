//! Errors of calls that a hook did not let through.

use std::error::Error;

use onionskin_core::{ErrorKind, Exit, ToolContext, ToolError};

/// The error of a call that a limit refused before its tool ran. The limit's error is its source.
pub(crate) fn not_called(cx: &ToolContext, error: impl Error + Send + Sync + 'static) -> Exit {
    let text = format!("`{}` was not called: {error}", cx.tool_name());
    Exit::Tool(ToolError::new(text).with_kind(ErrorKind::Limit).with_source(error))
}
