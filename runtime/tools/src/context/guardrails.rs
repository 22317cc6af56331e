//! The guardrails of an agent around the calls of its tools.

use super::{Guards, ToolContext};
use onionskin_definitions::args::Args;
use onionskin_definitions::definition::ToolDefinition;
use onionskin_definitions::error::{ErrorKind, Exit, ToolError, ToolResult};

impl ToolContext {
    /// The guardrails around the call; `None` inside the core, for example in the tool's own hooks, which run
    /// within the guardrails already.
    pub(crate) fn guards(&self) -> Option<&dyn Guards> {
        self.entry().guards.as_deref().filter(|_| !self.is_inside())
    }

    /// Whether the agent or a hook has rules for approval of the call.
    pub(crate) fn has_outer_rules(&self) -> bool {
        !self.entry().approval.is_empty() || self.has_hook_rules()
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
