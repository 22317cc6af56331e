//! The pieces of an answer while a model writes it.

use std::sync::Arc;

use super::Usage;

/// A piece of an answer.
#[derive(Debug, Clone, PartialEq)]
pub enum ModelDelta {
    /// A piece of the text.
    Text(String),
    /// A piece of the reasoning.
    Reasoning(String),
    /// A piece of a tool call.
    ToolCall(ToolCallDelta),
    /// The tokens of the request and the answer so far, in place of those before. A model passes them once it knows them, so that an attempt that
    /// fails counts in the usage of its run.
    Usage(Usage),
}

/// A piece of a tool call: a piece of the JSON text of its arguments.
///
/// A model passes the first piece of a call, which may be empty, once it knows the id and the name. The pieces of one id add up to the
/// arguments of the call with this id in the answer. A model that gets whole calls passes each in one piece, or passes none.
///
/// ```
/// use onionskin::model::{ModelDelta, ModelResponse, ToolCall, ToolCallDelta};
///
/// /// What a model does that reads a call from a stream.
/// fn write(deltas: &mut (dyn FnMut(ModelDelta) + Send)) -> ModelResponse {
///     let mut arguments = String::new();
///     for piece in [r#"{"x": "#, "41}"] {
///         arguments.push_str(piece);
///         deltas(ModelDelta::ToolCall(ToolCallDelta::new("call_1", "add_one", piece)));
///     }
///     ModelResponse::tool_calls([ToolCall::new("call_1", "add_one", arguments)])
/// }
///
/// let mut pieces = String::new();
/// let answer = write(&mut |delta| {
///     if let ModelDelta::ToolCall(piece) = delta {
///         pieces.push_str(&piece.arguments);
///     }
/// });
/// assert_eq!(pieces, *answer.tool_calls[0].arguments);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolCallDelta {
    /// The id of the call ([`ToolCall::id`](super::ToolCall::id)): not empty, and not that of another call of the answer.
    pub id: Arc<str>,
    /// The name of the tool as the model sees it ([`ToolCall::name`](super::ToolCall::name)). All pieces of a call have it.
    pub name: Arc<str>,
    /// The text to append to the arguments before.
    pub arguments: String,
}

impl ToolCallDelta {
    /// Makes a piece of a call.
    pub fn new(id: impl Into<Arc<str>>, name: impl Into<Arc<str>>, arguments: impl Into<String>) -> Self {
        Self { id: id.into(), name: name.into(), arguments: arguments.into() }
    }
}
