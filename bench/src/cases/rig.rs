//! rig 0.44: a `#[rig_tool]` in a `ToolSet`.

use rig::rig_tool;
use rig::tool::{ToolContext, ToolExecutionError, ToolSet};

use super::{Case, TEXT, calls};

/// Adds one.
#[rig_tool(description = "Adds one.", params(x = "The number"), required(x))]
async fn add_one(x: i64) -> Result<i64, ToolExecutionError> {
    Ok(super::add_one(x).await)
}

async fn call(tools: &ToolSet, text: &str) -> Result<String, ToolExecutionError> {
    let result = tools.execute("add_one", text, &mut ToolContext::new()).await;
    Ok(result.into_result()?.render())
}

fn tools() -> ToolSet {
    let mut tools = ToolSet::default();
    tools.add_tool(AddOne);
    tools
}

pub(crate) fn cases() -> Vec<Case> {
    vec![calls!("rig", "rig 0.44, ToolSet::execute", tools(), |it| call(&it, std::hint::black_box(TEXT)))]
}
