//! Models: one trait for all providers.
//!
//! An agent asks a [`Model`] with a [`ModelRequest`], which contains the conversation as a [`History`] of [`Message`]s,
//! and gets a [`ModelResponse`]. [`ScriptedModel`] has prepared answers; with feature `genai`, `GenaiModel` asks real
//! providers.

mod deltas;
mod erased;
mod error;
mod history;
mod message;
mod options;
mod params;
mod redact;
mod redacted_request;
mod request;
mod scripted;
mod usage;

use std::borrow::Cow;
use std::future::Future;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

pub(crate) use deltas::RedactedDeltas;
pub use erased::BoxModel;
pub use error::{ModelError, ScriptedModelError};
pub use history::{History, HistoryIter};
pub use message::{Message, ToolCall, ToolResultMessage};
pub use options::{RequestOption, ResponseSchema, ResponseSchemaError, ToolChoice, ToolChoiceError};
pub use params::RequestParams;
pub(crate) use redact::redact_name;
pub(crate) use redacted_request::RedactedRequests;
pub use request::ModelRequest;
pub(crate) use request::RequestIds;
pub use scripted::{ScriptedCall, ScriptedModel, ScriptedTurn};
pub use usage::Usage;

pub use crate::definition::ToolDeclaration;

/// A language model.
///
/// ```
/// use onionskin::model::{Model, ModelDelta, ModelError, ModelRequest, ModelResponse};
///
/// /// Repeats the last message.
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
    /// Answers a conversation. Pieces of the answer are passed to `deltas` as they arrive; the whole answer is
    /// returned.
    ///
    /// The run asks again after a transient error ([`Limits::model_retries`](crate::declaration::Limits::model_retries)).
    /// A panic ends the run with [`RunError::Agent`](crate::RunError::Agent).
    ///
    /// Cancel safety: dropping the future ends the request. The run drops it when
    /// [`Limits::model_timeout`](crate::declaration::Limits::model_timeout) has passed, and when the run ends.
    ///
    /// # Errors
    /// Returns an error if there is no answer. [`ModelError::is_transient`] says whether a retry can succeed.
    fn respond(
        &self,
        request: &ModelRequest,
        deltas: &mut (dyn FnMut(ModelDelta) + Send),
    ) -> impl Future<Output = Result<ModelResponse, ModelError>> + Send;

    /// The provider's name, as OpenTelemetry's `gen_ai.provider.name`.
    fn provider(&self) -> Cow<'static, str> {
        Cow::Borrowed("onionskin")
    }

    /// Whether the model supports an option of a request. By default it supports none.
    ///
    /// An agent whose parameters have an option that its model does not support is not built
    /// ([`BuildError::RequestParams`](crate::BuildError::RequestParams)), and no request with it is made
    /// ([`ModelError::Unsupported`]). A model that knows only at the request whether it supports an option returns `true`, and
    /// [`ModelError::unsupported`] from [`respond`](Self::respond). A wrapper of a model forwards this method.
    fn supports(&self, option: RequestOption) -> bool {
        let _ = option;
        false
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

    fn provider(&self) -> Cow<'static, str> {
        (**self).provider()
    }

    fn supports(&self, option: RequestOption) -> bool {
        (**self).supports(option)
    }
}

/// A piece of an answer.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum ModelDelta {
    /// A piece of the text.
    Text(String),
    /// A piece of the reasoning.
    Reasoning(String),
}

/// A model's answer: text, tool calls, or both.
///
/// ```
/// use onionskin::model::{ModelResponse, StopReason, ToolCall, Usage};
///
/// let mut answer = ModelResponse::text("It is 42.");
/// answer.usage = Usage::new(12, 4);
/// assert_eq!(answer.stop, StopReason::Done);
///
/// let calls = ModelResponse::tool_calls([ToolCall::new("call-1", "add_one", r#"{"x": 41}"#)]);
/// assert_eq!(calls.stop, StopReason::ToolCalls);
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ModelResponse {
    /// The text.
    pub text: String,
    /// The reasoning, if the provider shows it.
    pub reasoning: Option<String>,
    /// The tool calls, in order.
    pub tool_calls: Vec<ToolCall>,
    /// The tokens of the request and the answer.
    pub usage: Usage,
    /// Why the model stopped.
    pub stop: StopReason,
    /// Data of the provider to send back unchanged in the next turn, such as signatures of its reasoning.
    pub provider_data: Option<serde_json::Value>,
}

impl ModelResponse {
    /// An answer with text only.
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// An answer with tool calls only.
    pub fn tool_calls(calls: impl IntoIterator<Item = ToolCall>) -> Self {
        Self { tool_calls: calls.into_iter().collect(), stop: StopReason::ToolCalls, ..Self::default() }
    }
}

/// Why a model stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum StopReason {
    /// The answer is complete.
    #[default]
    Done,
    /// The model calls tools.
    ToolCalls,
    /// The answer reached the token limit.
    Length,
    /// The provider filtered the answer.
    ContentFilter,
    /// Another reason.
    Other,
}
