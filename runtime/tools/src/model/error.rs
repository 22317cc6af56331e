//! Errors of models.

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

use onionskin_vocabulary::agent::Limit;

use super::{RequestOption, ToolChoiceError};
use onionskin_definitions::content::ContentBlock;
use onionskin_definitions::export::ExportError;

/// The reason why a model gave no answer.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// The provider answered with an error.
    #[error("the model's provider answered with status {status}: {message}{}", wait(*.retry_after))]
    #[non_exhaustive]
    Status {
        /// The HTTP status.
        status: u16,
        /// The provider's message.
        message: String,
        /// The delay that the provider requests. A run waits at most one minute (`Limits::model_retries`).
        retry_after: Option<Duration>,
        /// Whether the provider says that a retry will fail too, for example because the account has no
        /// credit.
        lasts: bool,
    },
    /// According to the provider, the conversation is too long for the model. A retry does not help: shorten
    /// the conversation, for example with `turn_hooks::last_tokens`.
    #[error(
        "the conversation is too long for the model: {0}; keep less of it (`turn_hooks::last_tokens`, `turn_hooks::summarize`), or ask \
         for a shorter answer (`max_tokens`)"
    )]
    TooLong(String),
    /// The provider could not be reached, or the connection broke.
    #[error("the model's provider could not be reached, or the connection broke: {0}")]
    Transport(String),
    /// The answer could not be read.
    #[error("the model's answer could not be read: {0}")]
    Malformed(String),
    /// The answer lacks something that it announced, or is empty for no reason.
    #[error("the model's answer is incomplete: {0}")]
    Incomplete(String),
    /// The model sent no answer and no further piece for this time.
    #[error("the model sent nothing for {0:?}")]
    Timeout(Duration),
    /// The model was still writing its answer after this time, which is ten times `Limits::model_timeout`. A
    /// retry would not help.
    #[error(
        "the model still wrote its answer after {0:?}: ask for less, limit its tokens (`max_tokens`), or allow more time \
         (`limits: {{ {limit}: .. }}`, a tenth of the whole time)",
        limit = Limit::ModelTimeout
    )]
    Unended(Duration),
    /// A wrapper of the model does not ask it now, because its requests keep failing or reached a limit. No request was sent.
    #[error("the model is not asked now: {reason}")]
    #[non_exhaustive]
    Unavailable {
        /// The reason.
        reason: String,
        /// The time until the model can be asked, if it is known. A run waits at most one minute (`Limits::model_retries`).
        retry_after: Option<Duration>,
    },
    /// The model is not configured correctly.
    #[error("the model is not set up: {0}")]
    Setup(String),
    /// The key of the model's provider is missing. No request was sent.
    #[error("no key for the model `{model}`: set the environment variable {variable}")]
    #[non_exhaustive]
    NoKey {
        /// The model.
        model: String,
        /// The environment variable of the key.
        variable: String,
    },
    /// The provider does not accept the agent's strict tools, and no option allows a fallback. No request was
    /// sent.
    #[error(
        "{}; `GenaiModel::strict_where_taken` sends such tools without `strict`",
        .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
    )]
    Tools(Vec<ExportError>),
    /// The model does not support an option of the request. No request was sent.
    #[error(
        "the model does not support `{option}`: {reason}; remove it from the request parameters, or use another model"
    )]
    #[non_exhaustive]
    Unsupported {
        /// The option.
        option: RequestOption,
        /// Why it is not supported.
        reason: String,
    },
    /// The model cannot read a part of the input ([`Model::reads`](super::Model::reads)). No request was
    /// sent.
    #[error("the model does not read {kind}: remove it from the input, or use another model")]
    #[non_exhaustive]
    UnreadContent {
        /// The kind and its media type: "images (`image/png`)".
        kind: String,
    },
    /// The request forces a call of a tool that it does not have. No request was sent.
    #[error(transparent)]
    ToolChoice(#[from] ToolChoiceError),
    /// A scripted model has no turn for this request, or another model for tests has no answer to it.
    #[error("{0}")]
    Script(ScriptedModelError),
}

impl ModelError {
    /// The error of a provider that answered with an HTTP status.
    ///
    /// ```
    /// use onionskin::model::ModelError;
    /// use std::time::Duration;
    ///
    /// let error = ModelError::status(429, "too many requests", Some(Duration::from_secs(2)));
    /// assert!(error.is_transient());
    /// ```
    pub fn status(status: u16, message: impl Into<String>, retry_after: Option<Duration>) -> Self {
        Self::Status { status, message: message.into(), retry_after, lasts: false }
    }

    /// The error of a provider that says that a retry will fail too, whatever the status.
    ///
    /// ```
    /// use onionskin::model::ModelError;
    ///
    /// assert!(!ModelError::status_that_lasts(429, "you have no money left").is_transient());
    /// ```
    pub fn status_that_lasts(status: u16, message: impl Into<String>) -> Self {
        Self::Status { status, message: message.into(), retry_after: None, lasts: true }
    }

    /// The conversation is too long for the model, in the words of its provider.
    ///
    /// ```
    /// use onionskin::model::ModelError;
    ///
    /// let error = ModelError::too_long("prompt is too long: 210000 tokens > 200000 maximum");
    /// assert!(!error.is_transient());
    /// ```
    pub fn too_long(reason: impl Into<String>) -> Self {
        Self::TooLong(reason.into())
    }

    /// The provider could not be reached, or the connection broke. Another attempt can succeed.
    pub fn transport(reason: impl Into<String>) -> Self {
        Self::Transport(reason.into())
    }

    /// The answer could not be read.
    pub fn malformed(reason: impl Into<String>) -> Self {
        Self::Malformed(reason.into())
    }

    /// The answer lacks something that it announced, or is empty for no reason. Another attempt can succeed.
    pub fn incomplete(reason: impl Into<String>) -> Self {
        Self::Incomplete(reason.into())
    }

    /// The model sent nothing for this time. Another attempt can succeed.
    pub fn timeout(time: Duration) -> Self {
        Self::Timeout(time)
    }

    /// A wrapper does not ask the model now. Another attempt can succeed, after `retry_after` if that is known.
    pub fn unavailable(reason: impl Into<String>, retry_after: Option<Duration>) -> Self {
        Self::Unavailable { reason: reason.into(), retry_after }
    }

    /// The model is not configured correctly.
    pub fn setup(reason: impl Into<String>) -> Self {
        Self::Setup(reason.into())
    }

    /// A mistake in a test: a model for tests has no answer to the request. As a fault in a script, it ends the run and all its
    /// parent runs, and no hook can suppress it.
    ///
    /// ```
    /// use onionskin::model::ModelError;
    ///
    /// let error = ModelError::script("the recording has no answer to this request");
    /// assert!(!error.is_transient());
    /// ```
    pub fn script(reason: impl Into<String>) -> Self {
        Self::Script(ScriptedModelError::Unanswered(reason.into()))
    }

    /// The environment variable with the key of the model's provider is empty or not set.
    pub fn no_key(model: impl Into<String>, variable: impl Into<String>) -> Self {
        Self::NoKey { model: model.into(), variable: variable.into() }
    }

    /// The model does not support an option of the request. The reason continues a sentence, for example "the
    /// protocol has no form for it".
    pub fn unsupported(option: RequestOption, reason: impl Into<String>) -> Self {
        Self::Unsupported { option, reason: reason.into() }
    }

    /// The model cannot read content of this kind.
    ///
    /// ```
    /// use onionskin::content::{Image, Media};
    /// use onionskin::model::ModelError;
    ///
    /// let error = ModelError::unread_content(&Image(Media::new("iVBORw0KGgo=", "image/png")).into());
    /// assert!(error.to_string().starts_with("the model does not read images (`image/png`)"));
    /// ```
    pub fn unread_content(content: &ContentBlock) -> Self {
        let (kind, media_type) = match content {
            ContentBlock::Text(_) => ("texts", None),
            ContentBlock::Image(media) => ("images", Some(media.mime_type())),
            ContentBlock::Audio(media) => ("audio", Some(media.mime_type())),
            ContentBlock::Resource(resource) => ("files", resource.mime_type()),
            ContentBlock::ResourceLink(_) => ("links", None),
        };
        let mut kind =
            media_type.map_or_else(|| kind.to_owned(), |media_type| format!("{kind} (`{media_type}`)"));
        if !content.is_valid() {
            kind.push_str(" whose data are no base64");
        }
        Self::UnreadContent { kind }
    }

    /// Whether a retry can succeed: after rate limits, overload, timeouts, broken connections and incomplete
    /// answers.
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Status { status, lasts, .. } => {
                !lasts && matches!(status, 408 | 409 | 425 | 429 | 500 | 502 | 503 | 504 | 529)
            }
            Self::Transport(_) | Self::Incomplete(_) | Self::Timeout(_) | Self::Unavailable { .. } => true,
            Self::TooLong(_)
            | Self::Unended(_)
            | Self::Malformed(_)
            | Self::Setup(_)
            | Self::NoKey { .. }
            | Self::Tools(_)
            | Self::Unsupported { .. }
            | Self::UnreadContent { .. }
            | Self::ToolChoice(_)
            | Self::Script(_) => false,
        }
    }
}

/// For the crates of the runtime.
#[doc(hidden)]
impl ModelError {
    /// Whether the provider may bill tokens that it did not report: it may have answered, and the answer was lost.
    pub fn can_be_billed(&self) -> bool {
        match self {
            Self::Timeout(_)
            | Self::Unended(_)
            | Self::Transport(_)
            | Self::Incomplete(_)
            | Self::Malformed(_) => true,
            Self::Status { .. }
            | Self::TooLong(_)
            | Self::Unavailable { .. }
            | Self::Setup(_)
            | Self::NoKey { .. }
            | Self::Tools(_)
            | Self::Unsupported { .. }
            | Self::UnreadContent { .. }
            | Self::ToolChoice(_)
            | Self::Script(_) => false,
        }
    }
}

/// The reason why a script cannot be read, or has no turn for a request.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ScriptedModelError {
    /// The script has no turns for the agent.
    #[error("the script has no turns for the agent `{agent}`; it has: {known}")]
    #[non_exhaustive]
    NoAgent {
        /// The agent.
        agent: String,
        /// The agents in the script.
        known: String,
    },
    /// The conversation has as many answers as the agent has turns.
    #[error(
        "the script of the agent `{agent}` has no turn {requested} (it has {turns}): each model answer in the \
         conversation counts as a turn, also answers from before this run, and of another model of a fallback{}", advice(*shared, agent)
    )]
    #[non_exhaustive]
    Ended {
        /// The agent.
        agent: String,
        /// The number of its turns.
        turns: usize,
        /// The number of the requested turn.
        requested: usize,
        /// Whether another agent used the same turns, which all agents without their own turns share.
        shared: bool,
    },
    /// No request played these turns.
    #[error(
        "the script of the agent `{agent}` has turns that were not played: {}; the run ended sooner than the script expects, or the \
         turns can be removed",
        numbers(unplayed)
    )]
    #[non_exhaustive]
    Unplayed {
        /// The agent, or `*`.
        agent: String,
        /// The numbers of the turns; the first turn is 1.
        unplayed: Vec<usize>,
    },
    /// A turn calls a tool that the agent lacks.
    #[error(
        "the script of the agent `{agent}` calls the tool `{tool}`, which the agent does not have{near} It has: {known}. If the \
         call is intended, write `call_unknown`, or `unknown: true` in a file{}", advice(*shared, agent)
    )]
    #[non_exhaustive]
    UnknownTool {
        /// The agent.
        agent: String,
        /// The tool.
        tool: String,
        /// The most similar name, as a question.
        near: String,
        /// The tools of the request.
        known: String,
        /// Whether another agent used the same turns, which all agents without their own turns share.
        shared: bool,
    },
    /// A model for tests that is not a script has no answer to the request ([`ModelError::script`]).
    #[error("{0}")]
    Unanswered(String),
    /// The file could not be read.
    #[error("cannot read the script {file}: {reason}")]
    #[non_exhaustive]
    File {
        /// The file.
        file: String,
        /// The reason.
        reason: String,
    },
    /// The content of the file is not a script.
    #[error("{file}:{line}:{column}: {reason}")]
    #[non_exhaustive]
    Content {
        /// The file.
        file: String,
        /// The line, counted from 1.
        line: u64,
        /// The column, counted from 1.
        column: u64,
        /// The reason.
        reason: String,
    },
}

/// A test that returns the error shows it by `Debug`, so that is the text.
impl fmt::Debug for ScriptedModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The end of a sentence, with the delay that a provider requests.
fn wait(retry_after: Option<Duration>) -> String {
    retry_after.map(|wait| format!(" (it asks to wait {wait:?})")).unwrap_or_default()
}

fn numbers(turns: &[usize]) -> String {
    turns.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// Advice to give the agent its own turns, for a fault in turns that several agents share.
fn advice(shared: bool, agent: &str) -> String {
    if !shared {
        return String::new();
    }
    format!(
        ". `turns`, in a file `\"*\"`, is the script of each agent without a script of its own: give `{agent}` its own \
         with `ScriptedModel::agent`"
    )
}

/// For the crates of the runtime.
#[doc(hidden)]
impl ModelError {
    /// The `error.type` of a model request: the HTTP status if there is one.
    pub fn error_type(&self) -> Cow<'static, str> {
        Cow::Borrowed(match self {
            Self::Status { status, .. } => return status.to_string().into(),
            Self::TooLong(_) => "too_long",
            Self::Transport(_) => "transport",
            Self::Malformed(_) => "malformed",
            Self::Incomplete(_) => "incomplete",
            Self::Timeout(_) => "timeout",
            Self::Unended(_) => "unended",
            Self::Unavailable { .. } => "unavailable",
            Self::Setup(_) => "setup",
            Self::NoKey { .. } => "no_key",
            Self::Tools(_) => "tools",
            Self::Unsupported { .. } => "unsupported",
            Self::UnreadContent { .. } => "unread_content",
            Self::ToolChoice(_) => "tool_choice",
            Self::Script(_) => "script",
        })
    }
}
