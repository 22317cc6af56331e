//! Names that are keywords.
use onionskin::{Agent, agent, tool, tool_hook};

/// Tries.
#[tool]
fn r#try(x: i64) -> i64 {
    x
}

#[tool_hook]
fn r#match() {}

agent! {
    r#type { description: "Helps.", instruction: "Help.", function_tools: [r#try], tool_hooks: [r#match for [r#try]] }
    Boss { instruction: "Lead.", agents: [r#type], r#default: true }
}

pub(crate) fn main() {
    assert_eq!(r#type::NAME, "type");
    let _ = Boss::builder();
}
