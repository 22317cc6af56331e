//! The dependency is renamed.
mod kit {
    pub use onionskin as onion;
}

use crate::parts::are_hooks;
use kit::onion::{Args, Next, ToolOutput, ToolResult, tool_hook};

#[tool_hook(crate = kit::onion)]
async fn around(args: &mut Args, next: impl Next) -> ToolResult {
    next.run(args).await
}

mod deep {
    #[onionskin::tool_hook(before, crate = crate::hook::crate_path::kit::onion)]
    pub fn before() {}
}

#[tool_hook(crate = kit::onion, after)]
fn after(_output: &ToolOutput) {}

pub(crate) fn main() {
    are_hooks!(around, deep::before, after);
}
