//! Models: one trait for all providers.

mod by_model;
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
mod prefix;
mod prices;
mod redact;
mod redacted_request;
mod request;
mod scripted;
mod usage;

use std::borrow::Cow;
use std::fmt;
use std::future::Future;

use serde::{Deserialize, Serialize};

pub use by_model::UsageByModel;
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
pub use prefix::{PrefixCause, PrefixChange, SentRequest};
pub use prices::{Cost, Price, Prices, UnpricedModel};
pub(crate) use redact::redact_message;
pub use redact::redact_name;
pub use redacted_request::RedactedRequests;
pub use request::ModelRequest;
pub(crate) use request::RequestIds;
pub use scripted::{ScriptedCall, ScriptedModel, ScriptedTurn};
pub use usage::Usage;

use onionskin_definitions::content::ContentBlock;
pub use onionskin_definitions::definition::ToolDeclaration;
use onionskin_definitions::export::Dialect;
pub use onionskin_vocabulary::agent::{ReasoningEffort, ServiceTier, Verbosity};

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
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a model",
    label = "not a model",
    note = "for the name of a model write `GenaiModel::new(\"gpt-4o-mini\")` (feature `genai`); a `ScriptedModel` answers from a script; a model of your own implements `Model`"
)]
pub trait Model: Send + Sync + 'static {
    /// Answers a conversation. It passes pieces of the answer to `deltas` as they arrive, and returns the
    /// whole answer.
    ///
    /// The run retries after a transient error (`Limits::model_retries`). A panic ends the run with
    /// `RunError::Agent`.
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
    ) -> impl Future<Output = Result<ModelResponse, ModelError>> + Send
    where
        Self: Sized;

    /// The provider's name, as OpenTelemetry's `gen_ai.provider.name`.
    fn provider(&self) -> Cow<'static, str> {
        Cow::Borrowed("onionskin")
    }

    /// The provider and the name of the model that answers a request for the model `requested`
    /// ([`ModelRequest::model`]), for spans. The default is [`provider`](Self::provider) and the requested
    /// name. Override it if another model answers. A wrapper of a model forwards it.
    fn identity(&self, requested: Option<&str>) -> ModelIdentity {
        ModelIdentity::new(self.provider(), requested)
    }

    /// Checks that the model can be asked for the model `requested` ([`ModelRequest::model`]), without a request: that its key
    /// is there, for example. It is called for each agent when it is built; an error fails the build (`BuildError::Model`).
    /// The default is that it can. A wrapper of a model forwards this method.
    ///
    /// # Errors
    /// Returns the error that a request would end with.
    fn check(&self, requested: Option<&str>) -> Result<(), ModelError> {
        let _ = requested;
        Ok(())
    }

    /// Instructions of the model for the system prompts of its agents (`PromptPart::ModelInstructions`). It
    /// is called once for each built agent.
    fn instructions(&self) -> Option<Cow<'static, str>> {
        None
    }

    /// The model's system message, which follows the agent's parts of the system prompt
    /// (`PromptPart::ModelSystemMessage`). It is called once for each built agent.
    fn system_message(&self) -> Option<Cow<'static, str>> {
        None
    }

    /// Whether the model supports an option of a request. The default is `false`.
    ///
    /// An unsupported option in an agent's parameters fails its build (`BuildError::RequestParams`), and a
    /// request with one fails before it is sent ([`ModelError::Unsupported`]). A model that knows only at the
    /// request whether it supports an option returns `true` here, and [`ModelError::unsupported`] from
    /// [`respond`](Self::respond). A wrapper of a model forwards this method.
    fn supports(&self, option: RequestOption) -> bool {
        let _ = option;
        false
    }

    /// Checks that the model `requested` ([`ModelRequest::model`]) supports an option of a request. By default,
    /// [`supports`](Self::supports) says it. A model that asks another one for each name says it for that one, so that
    /// an agent that names its model is not built with an option which that model does not support. A wrapper of a model
    /// forwards this method.
    ///
    /// # Errors
    /// Returns [`ModelError::Unsupported`] if it does not.
    fn check_option(&self, requested: Option<&str>, option: RequestOption) -> Result<(), ModelError> {
        let _ = requested;
        if self.supports(option) {
            return Ok(());
        }
        Err(ModelError::unsupported(option, "`Model::supports` says so"))
    }

    /// Whether the model can read a part of a run's input. By default it reads all content with a text form:
    /// texts, text files and links.
    ///
    /// A run whose input has an unreadable part ends before its first request, with
    /// [`ModelError::UnreadContent`]. A wrapper of a model forwards this method.
    fn reads(&self, content: &ContentBlock) -> bool {
        content.readable().is_some() || matches!(content, ContentBlock::ResourceLink(_))
    }

    /// The schema for the provider's structured output, for a typed answer to this request; `None` if the
    /// provider does not support it. The run then requests the answer as a tool call. `schema` is the one of
    /// [`ResponseSchema::from_type`]; [`ResponseSchema::in_dialect`] converts it to the rules of a provider.
    ///
    /// The default is the schema in `OpenAI`'s strict rules, if the model supports
    /// [`RequestOption::ResponseSchema`] and the rules can express the type. A wrapper of a model forwards
    /// this method.
    fn response_schema(&self, request: &ModelRequest, schema: &ResponseSchema) -> Option<ResponseSchema> {
        let _ = request;
        if !self.supports(RequestOption::ResponseSchema) {
            return None;
        }
        schema.in_dialect(&Dialect::OPENAI).ok()
    }

    /// Whether this request can force a tool call. If so, a typed answer that is a tool call is forced;
    /// otherwise the prompt asks for it. The default is whether the model supports
    /// [`RequestOption::ToolChoice`]. Override it for a model that rejects a forced call combined with other
    /// parameters. A wrapper of a model forwards this method.
    fn can_force_call(&self, request: &ModelRequest) -> bool {
        let _ = request;
        self.supports(RequestOption::ToolChoice)
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
    /// Provider data to send back unchanged in the next turn, such as signatures of its reasoning.
    pub provider_data: Option<serde_json::Value>,
    /// The model that answered, as the provider names it: often a version of the requested model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The name under which the tokens count in [`UsageByModel`], if it is not that of [`Model::identity`]. A model that asks
    /// one of several models sets it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub billed_as: Option<String>,
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
    /// The provider ended the answer early, for another reason than the token limit.
    Incomplete,
    /// Another reason, for an answer that may be complete. For an answer with calls and an unknown reason, a
    /// model returns [`ModelError::Incomplete`] instead, because a truncated call must not run.
    Other,
}

impl StopReason {
    /// Whether the answer is complete and not a refusal. A run with another answer ends with
    /// `RunError::Unfinished`.
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
    /// Checks that the answer contains what it announces.
    ///
    /// # Errors
    /// Returns [`ModelError::Incomplete`], so that the run retries, if the answer announces calls and has
    /// none, or if it is empty and its stop reason does not explain why.
    pub fn check(&self) -> Result<(), ModelError> {
        if !self.tool_calls.is_empty() {
            return Ok(());
        }
        if self.stop == StopReason::ToolCalls {
            return Err(ModelError::incomplete("it announces calls of tools, and has none"));
        }
        if self.stop.is_whole() && self.text.trim().is_empty() {
            return Err(ModelError::incomplete(
                "it has no text and no call of a tool, and no reason to be empty",
            ));
        }
        Ok(())
    }
}
