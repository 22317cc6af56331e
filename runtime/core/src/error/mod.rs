//! The ways in which a tool call can end without a plain result: the three exits, one of which is a tool error.

mod exit;
mod tool_error;

pub use exit::{Abort, Exit, Stop, ToolResult};
pub use tool_error::{ErrorKind, ToolError};
