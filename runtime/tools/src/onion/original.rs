//! Calls of the original tool, which skip the hooks.

use super::Latched;
use crate::context::{AtDepth, Depth, ToolContext};
use onionskin_definitions::args::Args;
use onionskin_definitions::error::{ErrorKind, Exit, ToolError, ToolResult};

impl ToolContext {
    /// Calls the tool and skips all hooks that have not run yet: the agent's hooks, typed hooks, and the
    /// tool's own hooks. Approval, cache and guardrails still run.
    ///
    /// Cancel safety: dropping the future cancels the call.
    ///
    /// # Errors
    /// Returns the errors of the tool, or an error if the caller is the tool, a guardrail or an error
    /// handler.
    pub async fn call_original(&self, args: &mut Args) -> ToolResult {
        if self.is_past_hooks() {
            return Err(Exit::Tool(ToolError::new(format!(
                "`call_original` was called by what it runs, so `{}` would never end: call it from a hook only",
                self.tool_name()
            ))));
        }
        match self.run().core() {
            Some(core) => {
                self.note_arguments(args);
                let call = AtDepth::new(self, Depth::Original, core.call_dyn(self, args));
                Latched::new(call, self).await
            }
            None => Err(Exit::Tool(
                ToolError::new("this context belongs to no run, so there is no tool to call")
                    .with_kind(ErrorKind::UnknownTool),
            )),
        }
    }
}
