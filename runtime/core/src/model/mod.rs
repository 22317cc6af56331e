//! Models: what answers a conversation, behind one trait of our own.

mod asked;
mod deltas;
mod history;
mod message;
mod redact;
mod scripted;

use std::borrow::Cow;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use serde::{Deserialize, Serialize};

pub(crate) use asked::Asked;
pub(crate) use deltas::RedactedDeltas;
pub use history::{History, HistoryIter};
pub use message::{Message, ToolCall, ToolResultMessage};
pub use scripted::{ScriptedCall, ScriptedModel, ScriptedModelError, ScriptedTurn};

pub use crate::definition::ToolDeclaration;
use crate::export::ExportError;

/// A language model.
///
/// ```
/// use onionskin::model::{Model, ModelDelta, ModelError, ModelRequest, ModelResponse};
///
/// /// Says what it was told.
/// struct Parrot;
///
/// impl Model for Parrot {
///     async fn respond(
///         &self,
///         request: &ModelRequest,
///         deltas: &mut (dyn FnMut(ModelDelta) + Send),
///     ) -> Result<ModelResponse, ModelError> {
///         let text = request.messages.last().map(|message| message.to_text().into_owned()).unwrap_or_default();
///         deltas(ModelDelta::Text(text.clone()));
///         Ok(ModelResponse::text(text))
///     }
/// }
/// ```
pub trait Model: Send + Sync + 'static {
    /// Answers a conversation. Pieces of the answer go to `deltas` as they come; the whole is returned.
    ///
    /// Cancel safety: dropping the future ends the request.
    ///
    /// # Errors
    /// If there is no answer; [`ModelError::is_transient`] says whether asking again may help.
    fn respond(
        &self,
        request: &ModelRequest,
        deltas: &mut (dyn FnMut(ModelDelta) + Send),
    ) -> impl Future<Output = Result<ModelResponse, ModelError>> + Send;

    /// The provider's name as OpenTelemetry's `gen_ai.provider.name`.
    fn provider(&self) -> Cow<'static, str> {
        Cow::Borrowed("onionskin")
    }
}

/// A [`Model`] behind a pointer.
pub(crate) trait DynModel: Send + Sync {
    fn respond_dyn<'a>(
        &'a self,
        request: &'a ModelRequest,
        deltas: &'a mut (dyn FnMut(ModelDelta) + Send),
    ) -> BoxFuture<'a, Result<ModelResponse, ModelError>>;
}

impl<M: Model> DynModel for M {
    fn respond_dyn<'a>(
        &'a self,
        request: &'a ModelRequest,
        deltas: &'a mut (dyn FnMut(ModelDelta) + Send),
    ) -> BoxFuture<'a, Result<ModelResponse, ModelError>> {
        Box::pin(self.respond(request, deltas))
    }
}

impl<M: Model> Model for Arc<M> {
    fn respond(
        &self,
        request: &ModelRequest,
        deltas: &mut (dyn FnMut(ModelDelta) + Send),
    ) -> impl Future<Output = Result<ModelResponse, ModelError>> + Send {
        (**self).respond(request, deltas)
    }
}

/// What a model is asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ModelRequest {
    /// The agent that asks.
    pub agent: Arc<str>,
    /// The model's name, where the agent names one.
    pub model: Option<Arc<str>>,
    /// The system prompt.
    pub system: Option<Arc<str>>,
    /// The conversation so far, which the request shares with the run.
    pub messages: History,
    /// The tools that it may call.
    pub tools: Arc<[ToolDeclaration]>,
    /// Sampling and the like.
    pub params: RequestParams,
}

impl ModelRequest {
    /// A request of one user message and no tools.
    pub fn new(agent: &str, input: impl Into<String>) -> Self {
        Self {
            agent: agent.into(),
            model: None,
            system: None,
            messages: History::from([Message::user(input)]),
            tools: Arc::new([]),
            params: RequestParams::default(),
        }
    }
}

/// Parameters of a request; what is not set is left to the provider.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct RequestParams {
    /// How freely the model samples.
    pub temperature: Option<f64>,
    /// Nucleus sampling.
    pub top_p: Option<f64>,
    /// At most so many tokens in one answer.
    pub max_tokens: Option<u32>,
    /// Sampling is repeatable with the same seed, where the provider can.
    pub seed: Option<u64>,
    /// Text that ends an answer.
    pub stop_sequences: Vec<String>,
}

/// A piece of an answer.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum ModelDelta {
    /// Of the text.
    Text(String),
    /// Of the reasoning.
    Reasoning(String),
}

/// A model's answer: text, tool calls, or both.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ModelResponse {
    /// The text.
    pub text: String,
    /// The reasoning, if the provider shows it.
    pub reasoning: Option<String>,
    /// The tool calls, in order.
    pub tool_calls: Vec<ToolCall>,
    /// What it cost.
    pub usage: Usage,
    /// Why it stopped.
    pub stop: StopReason,
    /// What the provider must get back unchanged in the next turn, such as signatures of its reasoning.
    pub provider_data: Option<serde_json::Value>,
}

impl ModelResponse {
    /// An answer of text only.
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// An answer of tool calls only.
    pub fn tool_calls(calls: impl IntoIterator<Item = ToolCall>) -> Self {
        Self { tool_calls: calls.into_iter().collect(), stop: StopReason::ToolCalls, ..Self::default() }
    }
}

/// Tokens that were used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Usage {
    /// Tokens read.
    pub input_tokens: u64,
    /// Tokens written.
    pub output_tokens: u64,
}

impl Usage {
    /// Tokens read and written.
    pub fn new(input_tokens: u64, output_tokens: u64) -> Self {
        Self { input_tokens, output_tokens }
    }

    /// All tokens.
    pub fn total(&self) -> u64 {
        self.input_tokens.saturating_add(self.output_tokens)
    }
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        self.input_tokens = self.input_tokens.saturating_add(other.input_tokens);
        self.output_tokens = self.output_tokens.saturating_add(other.output_tokens);
    }
}

/// Why a model stopped writing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum StopReason {
    /// It was done.
    #[default]
    Done,
    /// It wants tools called.
    ToolCalls,
    /// It ran into the token limit.
    Length,
    /// The provider held it back.
    ContentFilter,
    /// Something else.
    Other,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// The provider answered with an error.
    #[error("the model's provider answered with status {status}: {message}")]
    Status {
        /// The HTTP status.
        status: u16,
        /// What the provider said.
        message: String,
        /// How long it asks to wait.
        retry_after: Option<Duration>,
    },
    /// The provider could not be reached, or the connection broke.
    #[error("the model's provider could not be reached or broke off: {0}")]
    Transport(String),
    /// The answer could not be read.
    #[error("the model's answer could not be read: {0}")]
    Malformed(String),
    /// The answer did not come in time.
    #[error("the model did not answer within {0:?}")]
    Timeout(Duration),
    /// The model was set up wrongly.
    #[error("the model is not set up: {0}")]
    Setup(String),
    /// The provider cannot take strict tools of the agent so, and nobody asked to send them otherwise. There was no request.
    #[error(
        "{}; `GenaiModel::strict_where_taken` sends such tools without `strict`",
        .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
    )]
    Tools(Vec<ExportError>),
    /// A scripted model has no turn for this request.
    #[error("{0}")]
    Script(ScriptedModelError),
}

impl ModelError {
    /// Whether asking again may help: rate limits, overload, broken connections.
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Status { status, .. } => {
                matches!(status, 408 | 409 | 425 | 429 | 500 | 502 | 503 | 504 | 529)
            }
            Self::Transport(_) | Self::Timeout(_) => true,
            _ => false,
        }
    }
}
