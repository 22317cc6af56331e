//! A tool call of the model, for turn hooks.

use std::sync::Arc;

use serde_json::Value;

use onionskin_definitions::args::Args;
use onionskin_definitions::debug_fields;
use onionskin_tools::context::ToolTable;
use onionskin_tools::model::ToolCall;

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
#[derive(Clone)]
pub struct TurnToolCall {
    turn: u32,
    call: ToolCall,
    /// The tools of the turn; none in a test of a hook.
    tools: Option<Arc<ToolTable>>,
}

impl TurnToolCall {
    /// Creates a call of a turn, for tests of hooks.
    pub fn new(turn: u32, call: ToolCall) -> Self {
        Self { turn, call, tools: None }
    }

    /// A call of a run.
    pub(crate) fn for_run(turn: u32, call: ToolCall, tools: &Arc<ToolTable>) -> Self {
        Self { turn, call, tools: Some(Arc::clone(tools)) }
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

    /// Sets another tool to call. The conversation keeps the name that the model wrote. If the agent has no
    /// tool of this name, the model gets an error with similar names.
    pub fn set_name(&mut self, name: impl Into<Arc<str>>) {
        self.call.name = name.into();
    }

    /// The arguments as JSON text.
    pub fn arguments(&self) -> &str {
        &self.call.arguments
    }

    /// The arguments, as tool hooks get them, with the schema of the called tool: reading an argument that
    /// the tool does not have panics, as documented at [`Args`]. There is no schema for an unknown tool, or
    /// for a call created with [`Self::new`].
    pub fn args(&self) -> Args {
        let mut args = Args::from(Arc::clone(&self.call.arguments));
        if let Some(tools) = &self.tools
            && let Some(index) = tools.find(&self.call.name)
        {
            tools.entry(index).definition.attach_to(&mut args);
        }
        args
    }

    /// Replaces the arguments. The conversation keeps the model's arguments.
    pub fn set_arguments(&mut self, arguments: &Value) {
        self.call.arguments = arguments.to_string().into();
    }

    pub(crate) fn into_call(self) -> ToolCall {
        self.call
    }
}

impl PartialEq for TurnToolCall {
    fn eq(&self, other: &Self) -> bool {
        (self.turn, &self.call) == (other.turn, &other.call)
    }
}

impl Eq for TurnToolCall {}

debug_fields!(TurnToolCall: this => turn: this.turn, call: this.call);
