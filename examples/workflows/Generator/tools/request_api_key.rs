//! A tool that shows a component to the user.

use onionskin::ToolContext;
use onionskin::question::AskError;
use onionskin::ui::ui_tool;
use serde_json::{Value, json};

/// Asks the user for the key of a service.
#[ui_tool(component = "APIKeyInput")]
pub async fn request_api_key(cx: &ToolContext, service: String) -> Result<Value, AskError> {
    cx.ui().use_ui_tool("api_key_input", "Generator", json!({ "service": service })).await
}
