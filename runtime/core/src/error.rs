//! The ways in which a tool call can end without a plain result: the three exits.

use std::borrow::Cow;
use std::error::Error;
use std::fmt;
use std::sync::Arc;

use crate::content::ContentBlock;
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
/// - [`Exit::Stop`]: the run ends well, with the result in it.
/// - [`Exit::Abort`]: the run ends at once and its other calls are cancelled. No hook can undo it.
///
/// `Exit`, [`Stop`] and [`Abort`] are not [`Error`]s: if they were, `?` could turn an abort into a tool error.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Exit {
    /// The call failed. The model gets the error, and the run continues.
    Tool(ToolError),
    /// The run ends with this result.
    Stop(Stop),
    /// The run ends at once and fails.
    Abort(Abort),
}

impl Exit {
    /// Makes a tool error with this text for the model.
    pub fn tool(text: impl Into<String>) -> Self {
        Self::Tool(ToolError::new(text))
    }

    /// Makes a refusal by a hook or a tool, of kind [`ErrorKind::Denied`]. The model gets the text, and the run
    /// continues.
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

    /// Makes an exit that ends the run well. `output` is the result of the call, and its text is the answer of the run.
    /// The other calls of the turn finish first.
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

    /// Makes an exit that ends the run at once with [`RunError::Aborted`](crate::RunError::Aborted). Its other calls are
    /// cancelled, and no hook outside can undo it.
    pub fn abort(reason: impl Into<Cow<'static, str>>) -> Self {
        Self::Abort(Abort::new(reason.into()))
    }

    /// The tool error; `None` for a stop or an abort.
    pub fn as_tool_error(&self) -> Option<&ToolError> {
        match self {
            Self::Tool(error) => Some(error),
            _ => None,
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

impl From<Stop> for Exit {
    fn from(stop: Stop) -> Self {
        Self::Stop(stop)
    }
}

impl From<Abort> for Exit {
    fn from(abort: Abort) -> Self {
        Self::Abort(abort)
    }
}

/// The end of a run with an answer: its output is the result of the call and the answer of the run. [`Exit::stop`]
/// makes it.
#[derive(Debug, Clone)]
pub struct Stop {
    output: Box<ToolOutput>,
}

impl Stop {
    /// The result that ends the run.
    pub fn output(&self) -> &ToolOutput {
        &self.output
    }

    /// Takes the result that ends the run.
    pub fn into_output(self) -> ToolOutput {
        *self.output
    }
}

/// The end of a run with an error. The other calls of the run are cancelled, and no hook outside can undo it.
/// [`Exit::abort`] makes it.
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
    pub(crate) fn new(reason: impl Into<Arc<str>>) -> Self {
        Self { reason: reason.into() }
    }

    /// The reason of the abort.
    pub fn reason(&self) -> &str {
        &self.reason
    }
}

/// The kind of a tool error, so that hooks need not parse its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ErrorKind {
    /// The tool or a hook returned an error.
    Failed,
    /// The arguments were invalid; the tool did not run.
    Arguments,
    /// The agent has no tool of this name; nothing ran.
    UnknownTool,
    /// The time limit of the tool, of a child or of a server passed. The tool may have taken effect.
    Timeout,
    /// A hook, a guardrail or an approver refused the call.
    Denied,
    /// The tool panicked.
    Panic,
    /// A remote tool reported the error, or its server could not be reached.
    Remote,
    /// A remote tool answered, and its answer cannot be read. The tool ran, and would answer the same way again.
    Unreadable,
    /// The tool asks the model to try again with other arguments.
    Retry,
    /// A limit refused or ended the call, and the run continues: the `tool_calls` of
    /// [`Limits`](crate::declaration::Limits), the tool's `max_calls`, the number of threads of an
    /// [`AgentTool`](crate::AgentTool), or a limit of a script. A limit that ends the run is
    /// [`RunError::Limit`](crate::RunError::Limit).
    Limit,
    /// The call was cancelled before it finished.
    Cancelled,
    /// An earlier run ended while the tool ran, and its effect is [`Once`](crate::Effect::Once). The tool may have
    /// taken effect, and did not run again.
    InDoubt,
}

/// A failed tool call: the content for the model, the kind of the error, and its source.
///
/// ```
/// use onionskin::{ErrorKind, ToolError};
/// let error = ToolError::new("no such city").with_kind(ErrorKind::Denied);
/// assert_eq!(error.to_text(), "no such city");
/// assert_eq!(error.kind(), ErrorKind::Denied);
/// ```
#[derive(Clone)]
pub struct ToolError(Box<Failure>);

#[derive(Clone)]
struct Failure {
    kind: ErrorKind,
    output: ToolOutput,
    source: Option<Arc<dyn Error + Send + Sync>>,
}

impl ToolError {
    /// Makes an error of kind [`ErrorKind::Failed`] with this text for the model.
    pub fn new(text: impl Into<String>) -> Self {
        Self::from_output(ErrorKind::Failed, ToolOutput::text(text))
    }

    /// Asks the model to call again with other arguments; `text` says how. A run allows `max_retries` such requests for
    /// each tool ([`Limits`](crate::declaration::Limits)). Several requests in one turn count once.
    pub fn retry(text: impl Into<String>) -> Self {
        Self::from_output(ErrorKind::Retry, ToolOutput::text(text))
    }

    /// Makes a refusal by a hook, a guardrail or an approver, of kind [`ErrorKind::Denied`].
    pub fn denied(text: impl Into<String>) -> Self {
        Self::from_output(ErrorKind::Denied, ToolOutput::text(text))
    }

    /// Makes an error with content blocks, as remote tools report it.
    pub fn from_output(kind: ErrorKind, output: impl Into<ToolOutput>) -> Self {
        Self(Box::new(Failure { kind, output: output.into(), source: None }))
    }

    /// Makes an error of kind [`ErrorKind::Failed`] from any other error. The model gets its text, without its causes;
    /// [`source`](Error::source) returns it.
    pub fn from_source(source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        let source: Arc<dyn Error + Send + Sync> = source.into().into();
        let mut error = Self::new(source.to_string());
        error.0.source = Some(source);
        error
    }

    /// Changes the kind.
    #[must_use]
    pub fn with_kind(mut self, kind: ErrorKind) -> Self {
        self.0.kind = kind;
        self
    }

    /// Changes the cause, which [`source`](Error::source) returns. The model does not get it.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        self.0.source = Some(source.into().into());
        self
    }

    /// The kind of the error.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The content that the model sees.
    pub fn content(&self) -> &[ContentBlock] {
        self.0.output.content()
    }

    /// The content as an output: blocks, structured value, meta.
    pub fn output(&self) -> &ToolOutput {
        &self.0.output
    }

    /// The content as a mutable output.
    pub fn output_mut(&mut self) -> &mut ToolOutput {
        &mut self.0.output
    }

    pub(crate) fn set_cause(&mut self, cause: Option<Arc<dyn Error + Send + Sync>>) {
        self.0.source = cause;
    }

    /// All text of the content: the text blocks, joined.
    pub fn to_text(&self) -> Cow<'_, str> {
        self.0.output.to_text()
    }
}

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_text())
    }
}

impl fmt::Debug for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolError")
            .field("kind", &self.0.kind)
            .field("content", &self.content())
            .field("source", &self.0.source)
            .finish()
    }
}

impl Error for ToolError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0.source.as_deref().map(|source| source as _)
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

impl Redact for ToolError {
    /// A cause that shows a secret is replaced by its text, because its type could reveal the secret.
    fn redact(&mut self, redactor: &Redactor) {
        self.output_mut().redact(redactor);
        let links: Vec<&dyn Error> = std::iter::successors(self.source(), |&link| link.source()).collect();
        let shows =
            |error: &&dyn Error| redactor.shows(&error.to_string()) || redactor.shows(&format!("{error:?}"));
        if !links.iter().any(shows) {
            return;
        }
        let words = links.iter().rev().fold(None, |source, link| {
            Some(Arc::new(Words { text: redactor.redact(link.to_string()).into_owned(), source }))
        });
        self.set_cause(words.map(|words| words as _));
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

/// The text of an error, without its secrets.
struct Words {
    text: String,
    source: Option<Arc<Words>>,
}

impl fmt::Debug for Words {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.text)
    }
}

impl fmt::Display for Words {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Error for Words {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}

#[cfg(test)]
mod tests {
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
