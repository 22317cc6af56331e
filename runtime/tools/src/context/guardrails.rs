//! The guardrails of an agent around the calls of its tools.

use futures_util::future::BoxFuture;

use super::ToolContext;
use onionskin_definitions::args::Args;
use onionskin_definitions::definition::ToolDefinition;
use onionskin_definitions::error::{ErrorKind, Exit, ToolError, ToolResult};

impl ToolContext {
    /// The guardrails around the call; `None` inside the core, for example in the tool's own hooks, which run
    /// within the guardrails already.
    pub(crate) fn guards(&self) -> Option<&dyn Guards> {
        self.entry().guards.as_deref().filter(|_| !self.is_inside())
    }

    /// Runs the agent's input guardrails again on arguments that a person changed.
    ///
    /// # Errors
    /// Returns the refusal of a guardrail, or an error if the tool's own parameters differ from those that
    /// the guardrails know.
    pub(crate) async fn admit_again(&self, definition: &ToolDefinition, args: &mut Args) -> ToolResult<()> {
        let Some(guards) = self.entry().guards.as_deref() else { return Ok(()) };
        if definition.input_schema != self.definition().input_schema {
            let text = format!(
                "`{}` did not run: a person set other arguments, by the tool's own names of its parameters, and the guardrails of the \
                 agent cannot check them: add the approval to the tool value (`ToolSpec::approval`)",
                self.tool_name()
            );
            return Err(Exit::Tool(ToolError::new(text).with_kind(ErrorKind::Denied)));
        }
        guards.admit(self, args).await
    }
}

/// The guardrails of an agent, inside its hooks. A hook that calls the original tool does not pass them.
pub trait Guards: Send + Sync {
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
