//! The three exits of a tool call, tool errors, and errors of any type.

mod boxed;
mod causes;
mod exit;
mod tool_error;

pub use boxed::BoxError;
pub use boxed::redact_error;
pub use causes::write_with_causes;
pub use exit::{Abort, Exit, Stop, ToolResult};
pub use tool_error::{ErrorKind, ToolError};
