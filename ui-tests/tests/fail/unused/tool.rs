//! What nothing lists or calls is a warning, as it is for a function.
#![deny(missing_docs, unused, clippy::pedantic)]

use onionskin::{agent, tool};

/// Listed by an agent.
#[tool]
fn listed() -> &'static str {
    "listed"
}

/// Called.
#[tool]
fn called() -> &'static str {
    "called"
}

/// Used as a value.
#[tool(name = "exported")]
fn as_a_value(x: i64) -> i64 {
    x
}

/// Forgotten.
#[tool]
fn forgotten(x: i64) -> i64 {
    x
}

/// Forgotten, with all that a tool can have.
#[tool(effect = once, timeout = 5)]
pub(crate) async fn forgotten_too(ctx: &onionskin::ToolContext, name: &str) -> Result<String, String> {
    Ok(format!("{name} {}", ctx.agent_name()))
}

agent! {
    /// Helps.
    Helper { instruction: "Help.", function_tools: [listed] }
}

fn main() {
    let _ = (Helper::builder(), called(), as_a_value::spec());
}
