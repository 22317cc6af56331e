//! The three exits of a tool call: a tool error, a stop, an abort.

use std::borrow::Cow;
use std::error::Error;
use std::fmt;
use std::sync::Arc;

use super::tool_error::ToolError;
use crate::output::ToolOutput;
use crate::secret::{Redact, Redactor};

/// The result of a tool call: a value, or one of the three [`Exit`]s.
///
/// The `?` operator converts any error into a tool error:
///
/// ```
/// use onionskin::{ToolOutput, ToolResult};
/// fn parse(text: &str) -> ToolResult {
///     let number: i64 = text.parse()?;
///     Ok(ToolOutput::text((number + 1).to_string()))
/// }
/// assert!(parse("one").is_err());
/// ```
pub type ToolResult<T = ToolOutput> = Result<T, Exit>;

/// The three ways in which a tool call can end without a plain result.
///
/// - [`Exit::Tool`]: the call failed. The run continues and the model gets the error.
/// - [`Exit::Stop`]: the run ends successfully, with this result.
/// - [`Exit::Abort`]: the run ends at once and its other calls are cancelled. No hook can undo it.
///
/// `Exit`, [`Stop`] and [`Abort`] are not [`Error`]s: if they were, `?` could turn an abort into a tool
/// error.
#[derive(Debug, Clone)]
pub enum Exit {
    /// The call failed. The model gets the error, and the run continues.
    Tool(ToolError),
    /// The run ends with this result.
    Stop(Stop),
    /// The run ends at once and fails.
    Abort(Abort),
}

impl Exit {
    /// Creates a tool error with this text for the model.
    pub fn tool(text: impl Into<String>) -> Self {
        Self::Tool(ToolError::new(text))
    }

    /// Creates a refusal by a hook or a tool, of kind [`ErrorKind::Denied`](crate::ErrorKind::Denied). The
    /// model gets the text, and the run continues.
    ///
    /// ```
    /// use onionskin::{Args, Exit, Next, ToolResult, tool_hook};
    ///
    /// #[tool_hook]
    /// async fn no_shell(name: &str, args: &mut Args, next: impl Next) -> ToolResult {
    ///     if name == "shell.execute" {
    ///         return Err(Exit::denied("the shell is off"));
    ///     }
    ///     next.run(args).await
    /// }
    /// ```
    pub fn denied(text: impl Into<String>) -> Self {
        Self::Tool(ToolError::denied(text))
    }

    /// Asks the model to call again with other arguments; see [`ToolError::retry`].
    pub fn retry(text: impl Into<String>) -> Self {
        Self::Tool(ToolError::retry(text))
    }

    /// Creates an exit that ends the run successfully. `output` is the result of the call, and its text is
    /// the answer of the run. The other calls of the turn finish first.
    ///
    /// ```
    /// use onionskin::{Exit, ScriptedModel, ScriptedTurn, ToolResult, agent, tool};
    /// use serde_json::json;
    ///
    /// /// Hands in the answer.
    /// #[tool]
    /// fn hand_in(answer: String) -> ToolResult {
    ///     Err(Exit::stop(answer))
    /// }
    ///
    /// agent! { Clerk { instruction: "Hand in an answer.", function_tools: [hand_in] } }
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let model = ScriptedModel::turns([ScriptedTurn::call("hand_in", json!({ "answer": "42" }))]);
    /// assert_eq!(Clerk::builder().model(model).run("6 * 7?").await.unwrap().text, "42");
    /// # });
    /// ```
    pub fn stop(output: impl Into<ToolOutput>) -> Self {
        Self::Stop(Stop { output: Box::new(output.into()) })
    }

    /// Creates an exit that ends the run at once with `RunError::Aborted`. The other calls of the run are
    /// cancelled, and no outer hook can undo it.
    pub fn abort(reason: impl Into<Cow<'static, str>>) -> Self {
        Self::Abort(Abort::new(reason.into()))
    }

    /// The tool error; `None` for a stop or an abort.
    pub fn as_tool_error(&self) -> Option<&ToolError> {
        match self {
            Self::Tool(error) => Some(error),
            Self::Stop(_) | Self::Abort(_) => None,
        }
    }

    /// Changes the texts that the model sees, of a tool error and of a stop, as [`ToolOutput::map_text`] does. A
    /// model does not see an abort.
    ///
    /// ```
    /// use onionskin::{ToolResult, tool_hook};
    ///
    /// /// Hides the name of a guest.
    /// #[tool_hook]
    /// fn no_names(result: &mut ToolResult) {
    ///     let hide = |text: &str| text.replace("Ada", "[name]");
    ///     match result {
    ///         Ok(output) => output.map_text(hide),
    ///         Err(exit) => exit.map_text(hide),
    ///     }
    /// }
    /// # let mut result = Err("Ada has no room".into());
    /// # no_names(&mut result);
    /// # assert_eq!(result.unwrap_err().to_string(), "[name] has no room");
    /// ```
    pub fn map_text(&mut self, change: impl FnMut(&str) -> String) {
        match self {
            Self::Tool(error) => error.map_text(change),
            Self::Stop(stop) => stop.output.map_text(change),
            Self::Abort(_) => {}
        }
    }

    /// Whether this is an abort.
    pub fn is_abort(&self) -> bool {
        matches!(self, Self::Abort(_))
    }
}

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tool(error) => error.fmt(f),
            Self::Stop(stop) => write!(f, "stopped with: {}", stop.output.to_text()),
            Self::Abort(abort) => write!(f, "aborted: {}", abort.reason),
        }
    }
}

impl<E: Into<Box<dyn Error + Send + Sync>>> From<E> for Exit {
    /// Converts any error into a tool error; a [`ToolError`] is kept unchanged.
    fn from(error: E) -> Self {
        Self::Tool(match error.into().downcast::<ToolError>() {
            Ok(error) => *error,
            Err(error) => ToolError::from_source(error),
        })
    }
}

from_each! { Exit,
    stop: Stop => Self::Stop(stop);
    abort: Abort => Self::Abort(abort);
}

/// The end of a run with an answer: its output is the result of the call and the answer of the run. Create it
/// with [`Exit::stop`].
/// ```
/// use onionskin::{Exit, ToolOutput};
///
/// let Exit::Stop(stop) = Exit::stop(ToolOutput::text("The order is placed.")) else { unreachable!() };
/// assert_eq!(stop.output().to_text(), "The order is placed.");
/// ```
#[derive(Debug, Clone)]
pub struct Stop {
    output: Box<ToolOutput>,
}

impl Stop {
    /// The result that ends the run.
    pub fn output(&self) -> &ToolOutput {
        &self.output
    }

    /// The result that ends the run, for changes.
    pub fn output_mut(&mut self) -> &mut ToolOutput {
        &mut self.output
    }

    /// Returns the owned result that ends the run.
    pub fn into_output(self) -> ToolOutput {
        *self.output
    }
}

/// The end of a run with an error. The other calls of the run are cancelled, and no outer hook can undo it.
/// Create it with [`Exit::abort`].
///
/// ```
/// use onionskin::Exit;
/// let Exit::Abort(abort) = Exit::abort("the budget is spent") else { unreachable!() };
/// assert_eq!(abort.reason(), "the budget is spent");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Abort {
    reason: Arc<str>,
}

impl Abort {
    /// Creates an abort for this reason.
    pub fn new(reason: impl Into<Arc<str>>) -> Self {
        Self { reason: reason.into() }
    }

    /// The reason of the abort.
    pub fn reason(&self) -> &str {
        &self.reason
    }
}

impl Redact for Exit {
    fn redact(&mut self, redactor: &Redactor) {
        match self {
            Self::Tool(error) => error.redact(redactor),
            Self::Stop(stop) => stop.output.redact(redactor),
            Self::Abort(abort) => abort.redact(redactor),
        }
    }
}

impl Redact for Abort {
    fn redact(&mut self, redactor: &Redactor) {
        self.reason.redact(redactor);
    }
}

impl<T: Redact> Redact for ToolResult<T> {
    fn redact(&mut self, redactor: &Redactor) {
        match self {
            Ok(output) => output.redact(redactor),
            Err(exit) => exit.redact(redactor),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::ErrorKind;
    use super::*;

    #[test]
    fn h6_refusals_and_requests_for_another_try_are_tool_errors_of_their_kind() {
        let kind = |exit: Exit| (exit.to_string(), exit.as_tool_error().map(ToolError::kind));
        assert_eq!(kind(Exit::tool("no")), ("no".to_owned(), Some(ErrorKind::Failed)));
        assert_eq!(kind(Exit::denied("off")), ("off".to_owned(), Some(ErrorKind::Denied)));
        assert_eq!(kind(Exit::retry("more")), ("more".to_owned(), Some(ErrorKind::Retry)));
        assert_eq!(kind(Exit::abort("out")), ("aborted: out".to_owned(), None));
    }
}
