//! The function with which a script shows its component to a person.

use std::sync::Arc;

use onionskin_core::{Exit, ToolContext, ToolError, ToolResult};
use serde_json::Value;

use super::calls::USE_UI_TOOL;
use super::env::Function;
use super::waiting::Asks;

/// The arguments of `use_ui_tool`.
pub(super) struct Shown {
    tool_id: String,
    workflow: String,
    payload: Value,
}

/// `use_ui_tool` of one call.
pub(super) fn use_ui_tool(asks: Asks<Shown>) -> Function {
    let call = move |values: Vec<Value>| match <[Value; 3]>::try_from(values) {
        Ok([Value::String(tool_id), Value::String(workflow), payload]) => {
            asks.ask(Shown { tool_id, workflow, payload })
        }
        _ => Err(Exit::tool("it takes the id of the tool, the name of the workflow, and a payload")),
    };
    Function { name: USE_UI_TOOL.to_owned(), params: 3, call: Arc::new(call) }
}

/// Shows the component, and waits for the answer.
pub(super) async fn answer(cx: &ToolContext, shown: Shown) -> ToolResult<Value> {
    let Shown { tool_id, workflow, payload } = shown;
    let answer = cx.ui().use_ui_tool(&tool_id, &workflow, payload).await;
    answer.map_err(|error| Exit::Tool(ToolError::from_source(error)))
}
