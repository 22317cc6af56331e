//! The dependency is renamed.
mod kit {
    pub use onionskin as onion;
}

use kit::onion::{agent, tool, tool_hook};

/// Adds one.
#[tool(crate = kit::onion)]
fn add_one(x: i64) -> i64 {
    x + 1
}

#[tool_hook(crate = kit::onion)]
fn watch() {}

agent! {
    Worker { crate: kit::onion, description: "Works.", instruction: "Work.", servers: [time], function_tools: [add_one], tool_hooks: [watch] }
    Boss { crate: crate::agent::crate_path::kit::onion, instruction: "Lead.", agents: [Worker] }
}

pub(crate) fn main() {
    let _ = Boss::builder();
}
