//! Failed tool calls.

use std::borrow::Cow;
use std::error::Error;
use std::fmt;
use std::iter::successors;
use std::sync::Arc;

use crate::content::ContentBlock;
use crate::output::ToolOutput;
use crate::secret::{Redact, Redactor};

/// The kind of a tool error, so that hooks need not parse its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ErrorKind {
    /// The tool or a hook returned an error.
    Failed,
    /// The arguments were invalid; the tool did not run.
    Arguments,
    /// The agent has no tool with this name; nothing ran.
    UnknownTool,
    /// The time limit of the tool, of a child or of a server passed. The tool may have taken effect.
    Timeout,
    /// A hook, a guardrail or an approver refused the call.
    Denied,
    /// The tool ran, and a guardrail or a hook withholds its result.
    Withheld,
    /// The tool panicked.
    Panic,
    /// A remote tool reported the error, or its server could not be reached.
    Remote,
    /// A remote tool's answer cannot be parsed. The tool ran, and would answer the same way again.
    Unreadable,
    /// The tool asks the model to try again with other arguments.
    Retry,
    /// A limit refused or ended the call, and the run continues: `tool_calls` of `Limits`, the tool's
    /// `max_calls`, the number of threads of an `AgentTool`, or a limit of a script. A limit that ends the
    /// run is a `RunError::Limit`.
    Limit,
    /// The call was cancelled before it finished.
    Cancelled,
    /// An earlier run ended while the tool was running, and its effect is [`Once`](crate::Effect::Once). The
    /// tool may have taken effect, and did not run again.
    InDoubt,
}

impl ErrorKind {
    /// The kind as one word, as in JSON.
    ///
    /// ```
    /// assert_eq!(onionskin::ErrorKind::UnknownTool.word(), "unknown_tool");
    /// ```
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Failed => "failed",
            Self::Arguments => "arguments",
            Self::UnknownTool => "unknown_tool",
            Self::Timeout => "timeout",
            Self::Denied => "denied",
            Self::Withheld => "withheld",
            Self::Panic => "panic",
            Self::Remote => "remote",
            Self::Unreadable => "unreadable",
            Self::Retry => "retry",
            Self::Limit => "limit",
            Self::Cancelled => "cancelled",
            Self::InDoubt => "in_doubt",
        }
    }

    /// The kind as the end of a sentence whose subject is the call: `timed out`.
    ///
    /// ```
    /// assert_eq!(onionskin::ErrorKind::Arguments.phrase(), "wrong arguments");
    /// ```
    #[must_use]
    pub const fn phrase(self) -> &'static str {
        match self {
            Self::Failed => "failed",
            Self::Arguments => "wrong arguments",
            Self::UnknownTool => "unknown tool",
            Self::Timeout => "timed out",
            Self::Denied => "denied",
            Self::Withheld => "ran, result withheld",
            Self::Panic => "panicked",
            Self::Remote => "failed at its server",
            Self::Unreadable => "unreadable answer",
            Self::Retry => "asks for another try",
            Self::Limit => "reached a limit",
            Self::Cancelled => "cancelled",
            Self::InDoubt => "in doubt",
        }
    }

    /// Whether the tool may have taken effect although the call has no result.
    ///
    /// ```
    /// use onionskin::ErrorKind;
    ///
    /// assert!(ErrorKind::Timeout.is_in_doubt() && !ErrorKind::Denied.is_in_doubt());
    /// ```
    #[must_use]
    pub const fn is_in_doubt(self) -> bool {
        match self {
            Self::Timeout | Self::Panic | Self::Unreadable | Self::Cancelled | Self::InDoubt => true,
            Self::Failed
            | Self::Arguments
            | Self::UnknownTool
            | Self::Denied
            | Self::Withheld
            | Self::Remote
            | Self::Retry
            | Self::Limit => false,
        }
    }
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

/// The text of an error without a text, which a model would read as success.
const NO_REASON: &str = "the tool failed and gave no reason";

impl ToolError {
    /// Creates an error of kind [`ErrorKind::Failed`] with this text for the model.
    pub fn new(text: impl Into<String>) -> Self {
        Self::from_output(ErrorKind::Failed, ToolOutput::text(text))
    }

    /// Asks the model to call again with other arguments, as `text` describes. A run allows `max_retries`
    /// such requests for each tool (`Limits`). Several requests in one turn count once.
    pub fn retry(text: impl Into<String>) -> Self {
        Self::from_output(ErrorKind::Retry, ToolOutput::text(text))
    }

    /// Creates a refusal by a hook, a guardrail or an approver, of kind [`ErrorKind::Denied`].
    pub fn denied(text: impl Into<String>) -> Self {
        Self::from_output(ErrorKind::Denied, ToolOutput::text(text))
    }

    /// Creates an error with content blocks, as remote tools report it. If it has no text, a text says that
    /// the tool gave no reason, because a model would read the error as success.
    ///
    /// ```
    /// use onionskin::{ErrorKind, ToolError, ToolOutput};
    /// let error = ToolError::from_output(ErrorKind::Remote, ToolOutput::empty());
    /// assert_eq!(error.to_text(), "the tool failed and gave no reason");
    /// ```
    pub fn from_output(kind: ErrorKind, output: impl Into<ToolOutput>) -> Self {
        let mut error = Self(Box::new(Failure { kind, output: output.into(), source: None }));
        error.give_reason();
        error
    }

    /// Creates an error of kind [`ErrorKind::Failed`] from any other error. The model gets its text, without
    /// its causes; [`source`](Error::source) returns it.
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

    /// Changes the texts that the model sees, as [`ToolOutput::map_text`] does. The cause is unchanged.
    pub fn map_text(&mut self, change: impl FnMut(&str) -> String) {
        self.0.output.map_text(change);
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

    /// The causes, outermost first.
    pub fn causes(&self) -> impl Iterator<Item = &(dyn Error + 'static)> {
        successors(self.source(), |&cause| cause.source())
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

impl Redact for ToolError {
    /// The redacted text replaces a cause that shows a secret, because its type could reveal the secret.
    fn redact(&mut self, redactor: &Redactor) {
        self.output_mut().redact(redactor);
        let shows = |error: &(dyn Error + 'static)| {
            redactor.shows(&error.to_string()) || redactor.shows(&format!("{error:?}"))
        };
        if !self.causes().any(shows) {
            return;
        }
        let texts: Vec<_> =
            self.causes().map(|cause| redactor.redact(cause.to_string()).into_owned()).collect();
        self.set_cause_texts(texts.into_iter());
    }
}

/// The text of an error whose type is dropped, because it could reveal a secret or is not recorded.
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

/// For the crates of the runtime.
#[doc(hidden)]
impl ToolError {
    /// Adds a text if no block has one.
    pub fn give_reason(&mut self) {
        if self.content().iter().all(|block| block.as_text().is_none_or(|text| text.trim().is_empty())) {
            let blocks = self.0.output.content_only_mut();
            blocks.retain(|block| block.as_text().is_none());
            blocks.insert(0, ContentBlock::Text(NO_REASON.to_owned()));
        }
    }

    /// Sets the kind.
    pub fn set_kind(&mut self, kind: ErrorKind) {
        self.0.kind = kind;
    }

    /// Adds text before and after the error's text.
    pub fn put_around(&mut self, before: &str, behind: &str) {
        if before.is_empty() && behind.is_empty() {
            return;
        }
        self.give_reason();
        let mut texts: Vec<_> = self
            .0
            .output
            .content_only_mut()
            .iter_mut()
            .filter_map(|block| match block {
                ContentBlock::Text(text) => Some(text),
                ContentBlock::Image(_)
                | ContentBlock::Audio(_)
                | ContentBlock::Resource(_)
                | ContentBlock::ResourceLink(_) => None,
            })
            .collect();
        if let Some(first) = texts.first_mut() {
            first.insert_str(0, before);
        }
        if let Some(last) = texts.last_mut() {
            last.push_str(behind);
        }
    }

    /// Replaces the causes with these texts, outermost first.
    pub fn set_cause_texts(&mut self, texts: impl DoubleEndedIterator<Item = String>) {
        let words = texts.rev().fold(None, |source, text| Some(Arc::new(Words { text, source })));
        self.0.source = words.map(|words| words as _);
    }
}
