//! Models: one trait for all providers.
//!
//! An agent asks a [`Model`] with a [`ModelRequest`], which contains the conversation as a [`History`] of [`Message`]s,
//! and gets a [`ModelResponse`]. [`ScriptedModel`] has prepared answers; with feature `genai`, `GenaiModel` asks real
//! providers.

pub use onionskin_tools::model::{
    BoxModel, Cost, History, HistoryError, HistoryIter, Message, Model, ModelDelta, ModelError,
    ModelIdentity, ModelRequest, ModelResponse, Price, Prices, ReasoningEffort, RequestOption, RequestParams,
    ResponseSchema, ResponseSchemaError, ScriptedCall, ScriptedModel, ScriptedModelError, ScriptedTurn,
    ServiceTier, StopReason, ToolCall, ToolCallDelta, ToolChoice, ToolChoiceError, ToolDeclaration,
    ToolResultMessage, UnpricedModel, Usage, UsageByModel, Verbosity, exact_json,
};
