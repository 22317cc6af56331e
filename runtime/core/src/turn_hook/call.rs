//! A call of the model, as turn hooks see it.

use std::sync::Arc;

use serde_json::Value;

use crate::args::Args;
use crate::model::ToolCall;

/// A call that the model made, before it runs or after it.
///
/// ```
/// use onionskin::model::ToolCall;
/// use onionskin::turn_hooks::TurnToolCall;
/// use serde_json::json;
///
/// let mut call = TurnToolCall::new(1, ToolCall::new("call-1", "add_one", r#"{"x": 41}"#));
/// assert_eq!(call.args()["x"], 41);
/// call.set_arguments(&json!({ "x": 7 }));
/// assert_eq!((call.name(), call.arguments()), ("add_one", r#"{"x":7}"#));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnToolCall {
    turn: u32,
    call: ToolCall,
}

impl TurnToolCall {
    /// Makes a call of a turn, for tests of hooks.
    pub fn new(turn: u32, call: ToolCall) -> Self {
        Self { turn, call }
    }

    /// The turn, counted from 1; 0 for a call of a message that the program appended.
    pub fn turn(&self) -> u32 {
        self.turn
    }

    /// The id of the call.
    pub fn id(&self) -> &str {
        &self.call.id
    }

    /// The name of the tool as the model wrote it, or as a hook changed it.
    pub fn name(&self) -> &str {
        &self.call.name
    }

    /// Calls another tool. The conversation keeps the name that the model wrote. With a name that the agent does not have, the model
    /// gets an error with similar names.
    pub fn set_name(&mut self, name: impl Into<Arc<str>>) {
        self.call.name = name.into();
    }

    /// The arguments as JSON text.
    pub fn arguments(&self) -> &str {
        &self.call.arguments
    }

    /// The arguments as a tool hook gets them.
    pub fn args(&self) -> Args {
        Args::from(Arc::clone(&self.call.arguments))
    }

    /// Replaces the arguments. The conversation keeps those that the model wrote.
    pub fn set_arguments(&mut self, arguments: &Value) {
        self.call.arguments = arguments.to_string().into();
    }

    pub(crate) fn into_call(self) -> ToolCall {
        self.call
    }
}
