//! What checks the calls of a tool, whatever hooks do.

use futures_util::future::BoxFuture;

use super::ToolContext;
use crate::args::Args;
use crate::error::ToolResult;

impl ToolContext {
    /// The guardrails around the call. A call from inside of the core, such as one of the tool's own hooks, is within them already.
    pub(crate) fn guards(&self) -> Option<&dyn Guards> {
        self.entry().guards.as_deref().filter(|_| !self.is_inside())
    }
}

/// The guardrails of an agent, inside its hooks. A hook that calls the original tool does not pass them.
pub(crate) trait Guards: Send + Sync {
    /// Checks the arguments, and can change them.
    fn admit<'a>(&'a self, cx: &'a ToolContext, args: &'a mut Args) -> BoxFuture<'a, ToolResult<()>>;

    /// Checks the result of a call with these arguments, and can change it.
    fn release<'a>(
        &'a self,
        cx: &'a ToolContext,
        args: &'a Args,
        result: ToolResult,
    ) -> BoxFuture<'a, ToolResult>;
}
