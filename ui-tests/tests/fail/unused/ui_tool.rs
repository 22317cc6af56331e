//! What nothing lists or calls is a warning, as it is for a function.
#![deny(missing_docs, unused, clippy::pedantic)]

use onionskin::question::AskError;
use onionskin::ui::ui_tool;
use onionskin::{ToolContext, agent};
use serde_json::json;

/// Shows a chart.
#[ui_tool(component = "Chart")]
async fn listed(cx: &ToolContext, title: String) -> Result<String, AskError> {
    cx.ui().use_ui_tool("chart", "Desk", json!({ "title": title })).await
}

/// Shows a map.
#[ui_tool(component = "Map")]
async fn forgotten(cx: &ToolContext, title: String) -> Result<String, AskError> {
    cx.ui().use_ui_tool("map", "Desk", json!({ "title": title })).await
}

agent! {
    /// Helps.
    Helper { instruction: "Help.", function_tools: [listed] }
}

fn main() {
    let _ = Helper::builder();
}
