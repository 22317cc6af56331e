//! The pieces of an answer that a model streams.

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
    /// The tokens of the request and the answer so far, which replace earlier counts. A model passes them as
    /// soon as it knows them, so that the run's usage includes failed attempts. A count of zero says that the request
    /// waits and its model is not asked yet, so a model does not pass on zeros of its provider.
    Usage(Usage),
}

/// A piece of a tool call: a piece of the JSON text of its arguments.
///
/// A model passes the first piece of a call, which may be empty, once it knows the id and the name. The
/// pieces with one id add up to the arguments of that call in the answer. A model that receives whole calls
/// passes one piece for each, or none.
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
    /// The id of the call ([`ToolCall::id`](super::ToolCall::id)): not empty, and unique in the answer.
    pub id: Arc<str>,
    /// The name of the tool as the model sees it ([`ToolCall::name`](super::ToolCall::name)), the same in all
    /// pieces of a call.
    pub name: Arc<str>,
    /// The text to append to the arguments so far.
    pub arguments: String,
}

impl ToolCallDelta {
    /// Creates a piece of a call.
    pub fn new(id: impl Into<Arc<str>>, name: impl Into<Arc<str>>, arguments: impl Into<String>) -> Self {
        Self { id: id.into(), name: name.into(), arguments: arguments.into() }
    }
}
