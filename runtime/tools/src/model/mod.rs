//! Models: one trait for all providers.

mod delta;
mod deltas;
mod digits;
mod erased;
mod error;
mod history;
mod history_check;
mod identity;
mod message;
mod options;
mod params;
mod redact;
mod redacted_request;
mod request;
mod scripted;
mod usage;

use std::borrow::Cow;
use std::fmt;
use std::future::Future;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

pub use delta::{ModelDelta, ToolCallDelta};
pub use deltas::RedactedDeltas;
pub use digits::exact_json;
pub use erased::BoxModel;
pub use error::{ModelError, ScriptedModelError};
pub use history::{History, HistoryIter};
pub use history_check::HistoryError;
pub use history_check::check as check_messages;
pub use identity::ModelIdentity;
pub use message::{Message, ToolCall, ToolResultMessage};
pub use options::{RequestOption, ResponseSchema, ResponseSchemaError, ToolChoice, ToolChoiceError};
pub use params::RequestParams;
pub use redact::redact_name;
pub use redacted_request::RedactedRequests;
pub use request::ModelRequest;
pub(crate) use request::RequestIds;
pub use scripted::{ScriptedCall, ScriptedModel, ScriptedTurn};
pub use usage::Usage;

use onionskin_definitions::content::ContentBlock;
pub use onionskin_definitions::definition::ToolDeclaration;
use onionskin_definitions::export::Dialect;

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
    /// The run asks again after a transient error (`Limits::model_retries`).
    /// A panic ends the run with `RunError::Agent`.
    ///
    /// Cancel safety: dropping the future ends the request. The run drops it when
    /// `Limits::model_timeout` has passed, and when the run ends.
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

    /// The provider and the name of the model that answers a request with this name of a model
    /// ([`ModelRequest::model`]). Spans have both. By default they are [`provider`](Self::provider) and the name of the request. A
    /// model that asks another one than the request names overrides this; a wrapper of a model forwards it.
    fn identity(&self, requested: Option<&str>) -> ModelIdentity {
        ModelIdentity::new(self.provider(), requested)
    }

    /// What the model asks its agents to write: a part of their system prompts
    /// (`PromptPart::ModelInstructions`). It is asked once for each agent that is built.
    fn instructions(&self) -> Option<Cow<'static, str>> {
        None
    }

    /// The model's own system message, behind the agent's parts of the system prompt
    /// (`PromptPart::ModelSystemMessage`). It is asked once for each agent that is built.
    fn system_message(&self) -> Option<Cow<'static, str>> {
        None
    }

    /// Whether the model supports an option of a request. By default it supports none.
    ///
    /// An agent whose parameters have an option that its model does not support is not built
    /// (`BuildError::RequestParams`), and no request with it is made
    /// ([`ModelError::Unsupported`]). A model that knows only at the request whether it supports an option returns `true`, and
    /// [`ModelError::unsupported`] from [`respond`](Self::respond). A wrapper of a model forwards this method.
    fn supports(&self, option: RequestOption) -> bool {
        let _ = option;
        false
    }

    /// Whether the model reads a part of the input of a run. By default it reads what has a form as text: texts, files with text, and
    /// links.
    ///
    /// A run whose input has another part ends before its first request, with [`ModelError::UnreadContent`]. A wrapper of a model forwards
    /// this method.
    fn reads(&self, content: &ContentBlock) -> bool {
        content.readable().is_some() || matches!(content, ContentBlock::ResourceLink(_))
    }

    /// The schema that the model's own structured output takes for an answer of this type beside the request; `None` if it takes
    /// none. The run then asks for the answer as a call of a tool. The schema is that of
    /// [`ResponseSchema::of`]; [`ResponseSchema::in_dialect`] writes it in the rules of a provider.
    ///
    /// By default it is the schema in `OpenAI`'s strict rules, if the model supports [`RequestOption::ResponseSchema`] and the rules have a
    /// form for the type. A wrapper of a model forwards this method.
    fn response_schema(&self, request: &ModelRequest, schema: &ResponseSchema) -> Option<ResponseSchema> {
        let _ = request;
        if !self.supports(RequestOption::ResponseSchema) {
            return None;
        }
        schema.in_dialect(&Dialect::OPENAI).ok()
    }

    /// Whether this request can force a call of a tool: an answer of a type that is a call is forced then, and else asked for in words. By default
    /// it can if the model supports [`RequestOption::ToolChoice`]. A model that refuses a forced call beside other parameters of the request says
    /// so here. A wrapper of a model forwards this method.
    fn can_force_call(&self, request: &ModelRequest) -> bool {
        let _ = request;
        self.supports(RequestOption::ToolChoice)
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

    fn identity(&self, requested: Option<&str>) -> ModelIdentity {
        (**self).identity(requested)
    }

    fn instructions(&self) -> Option<Cow<'static, str>> {
        (**self).instructions()
    }

    fn system_message(&self) -> Option<Cow<'static, str>> {
        (**self).system_message()
    }

    fn supports(&self, option: RequestOption) -> bool {
        (**self).supports(option)
    }

    fn reads(&self, content: &ContentBlock) -> bool {
        (**self).reads(content)
    }

    fn response_schema(&self, request: &ModelRequest, schema: &ResponseSchema) -> Option<ResponseSchema> {
        (**self).response_schema(request, schema)
    }

    fn can_force_call(&self, request: &ModelRequest) -> bool {
        (**self).can_force_call(request)
    }
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
    /// The model that answered, as the provider names it: often a version of the one that was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The provider's id of the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
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
    /// The model refused to answer. The text, if there is one, is the refusal.
    Refusal,
    /// The provider ended the answer before it was whole, for another reason than the token limit.
    Incomplete,
    /// Another reason, which does not say that the answer lacks something. A model gives it for a text that can be whole; an answer with calls and
    /// a reason that it does not know is [`ModelError::Incomplete`], because what broke off must not run.
    Other,
}

impl StopReason {
    /// Whether the answer is whole, and an answer to what was asked. A run ends with `RunError::Unfinished` at
    /// any other one.
    ///
    /// ```
    /// use onionskin::model::StopReason;
    ///
    /// assert!(StopReason::Done.is_whole());
    /// assert!(!StopReason::Length.is_whole());
    /// ```
    pub fn is_whole(self) -> bool {
        match self {
            Self::Done | Self::ToolCalls | Self::Other => true,
            Self::Length | Self::ContentFilter | Self::Refusal | Self::Incomplete => false,
        }
    }
}

/// For the crates of the runtime.
#[doc(hidden)]
impl StopReason {
    /// The word of OpenTelemetry's conventions.
    pub fn finish_reason(self) -> &'static str {
        match self {
            Self::Done => "stop",
            Self::ToolCalls => "tool_call",
            Self::Length => "length",
            Self::ContentFilter => "content_filter",
            Self::Refusal => "refusal",
            Self::Incomplete => "incomplete",
            Self::Other => "other",
        }
    }
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Done => "the answer is complete",
            Self::ToolCalls => "the model calls tools",
            Self::Length => "the answer reached the token limit",
            Self::ContentFilter => "the provider filtered the answer",
            Self::Refusal => "the model refused to answer",
            Self::Incomplete => "the provider ended the answer before it was whole",
            Self::Other => "the model stopped for another reason",
        })
    }
}

/// For the crates of the runtime.
#[doc(hidden)]
impl ModelResponse {
    /// Checks that the answer holds what it announces, whichever model gave it.
    ///
    /// # Errors
    /// Returns [`ModelError::Incomplete`], so the run asks again, if it announces calls and has none, or if it is empty and its reason to stop does
    /// not say why.
    pub fn check(&self) -> Result<(), ModelError> {
        if !self.tool_calls.is_empty() {
            return Ok(());
        }
        match self.stop {
            StopReason::ToolCalls => Err(ModelError::incomplete("it announces calls of tools, and has none")),
            stop if stop.is_whole() && self.text.trim().is_empty() => {
                Err(ModelError::incomplete("it has no text and no call of a tool, and no reason to be empty"))
            }
            _ => Ok(()),
        }
    }
}
