//! Executions of direct calls.

use std::borrow::Cow;
use std::time::Duration;

use serde_json::Value;

use crate::event::{HookExit, error_chain};
use onionskin_definitions::content::ContentBlock;
use onionskin_definitions::error::{Exit, ToolResult};
use onionskin_definitions::output::ToolOutput;

/// The outcome of a call of a [`ToolSpec`](crate::ToolSpec).
/// ```
/// use onionskin::tool;
///
/// /// Divides two numbers.
/// #[tool]
/// fn divide(a: i64, b: i64) -> Result<i64, String> {
///     a.checked_div(b).ok_or_else(|| "`b` is zero".to_owned())
/// }
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let called = divide::spec().exec(r#"{"a": 1, "b": 0}"#).await;
/// assert_eq!(called.attempts, 1);
/// assert_eq!(called.output().unwrap_err().to_string(), "`b` is zero");
/// let refused = divide::spec().exec(r#"{"a": "one"}"#).await;
/// assert_eq!(refused.attempts, 0);
/// # });
/// ```
#[derive(Debug)]
#[non_exhaustive]
#[must_use = "a call may have failed"]
pub struct Execution {
    /// The result of the call.
    pub result: ToolResult,
    /// The time of the call, with hooks, approval and retries.
    pub duration: Duration,
    /// The number of starts of the tool itself: more than 1 if one of its own hooks retried, and 0 if a hook,
    /// a guardrail, a cache or an approver answered in its place, or if the arguments were invalid.
    pub attempts: u32,
    /// How each of the tool's own hooks left the call, the innermost first.
    pub hook_exits: Vec<HookExit>,
}

impl Execution {
    /// A call that did not start.
    pub(super) fn refused(exit: Exit) -> Self {
        Self { result: Err(exit), duration: Duration::ZERO, attempts: 0, hook_exits: Vec::new() }
    }

    /// The output, also of a stop.
    ///
    /// # Errors
    /// Returns the tool error or the abort that ended the call.
    pub fn output(&self) -> Result<&ToolOutput, &Exit> {
        match &self.result {
            Ok(output) => Ok(output),
            Err(Exit::Stop(stop)) => Ok(stop.output()),
            Err(exit) => Err(exit),
        }
    }

    /// The content for a model: the content blocks of the output or of the error.
    pub fn content(&self) -> &[ContentBlock] {
        match (self.output(), &self.result) {
            (Ok(output), _) => output.content(),
            (_, Err(Exit::Tool(error))) => error.content(),
            _ => &[],
        }
    }

    /// The structured value of the output or of the error.
    pub fn structured_content(&self) -> Option<Cow<'_, Value>> {
        match (self.output(), &self.result) {
            (Ok(output), _) => output.structured_content(),
            (_, Err(Exit::Tool(error))) => error.output().structured_content(),
            _ => None,
        }
    }

    /// Whether the call ended with a tool error or an abort.
    pub fn is_error(&self) -> bool {
        self.output().is_err()
    }

    /// The error and its causes, outermost first; empty if the call did not fail.
    pub fn error_chain(&self) -> Vec<String> {
        self.output().err().map(error_chain).unwrap_or_default()
    }
}
