//! aisdk 0.5: its tools are sync functions; its loop calls them through `ToolList::execute`, which spawns.

use aisdk::core::tools::{Tool, ToolCallInfo, ToolList};
use aisdk::error::Error;
use aisdk::macros::tool;

use super::{Case, TEXT, calls};

#[tool]
/// Adds one.
#[allow(unused_braces)]
fn add_one(x: i64) -> Tool {
    Ok((x + 1).to_string())
}

async fn listed(tools: &ToolList, text: &str) -> Result<String, Error> {
    let mut call = ToolCallInfo::new("add_one");
    call.input(value(text)?);
    tools.execute(call).await.await.map_err(|error| Error::ToolCallError(error.to_string()))?
}

async fn direct(tool: &Tool, text: &str) -> Result<String, Error> {
    tool.execute.call(value(text)?)
}

fn value(text: &str) -> Result<serde_json::Value, Error> {
    serde_json::from_str(text).map_err(|error| Error::ToolCallError(error.to_string()))
}

pub(crate) fn cases() -> Vec<Case> {
    vec![
        calls!("aisdk", "aisdk 0.5, ToolExecute::call (sync)", add_one(), |it| {
            direct(&it, std::hint::black_box(TEXT))
        }),
        calls!("aisdk_list", "aisdk 0.5, ToolList::execute", ToolList::new(vec![add_one()]), |it| {
            listed(&it, std::hint::black_box(TEXT))
        }),
    ]
}
