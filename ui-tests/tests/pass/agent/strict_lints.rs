//! Under every lint that a careful crate turns on.
#![deny(warnings, missing_docs, clippy::all, clippy::pedantic, unreachable_pub, unused_qualifications)]
#![deny(missing_debug_implementations, missing_copy_implementations, unused_results, single_use_lifetimes)]
#![forbid(unsafe_code, non_camel_case_types, non_snake_case, non_upper_case_globals)]
use onionskin::agent;

/// The parts.
pub mod parts {
    use onionskin::{Args, Next, ToolResult, agent, tool, tool_hook};

    /// Adds one.
    #[tool]
    #[must_use]
    pub fn add_one(x: i64) -> i64 { x + 1 }

    /// Goes on.
    ///
    /// # Errors
    /// As the call inside.
    #[tool_hook]
    pub async fn audit(args: &mut Args, next: impl Next) -> ToolResult { next.run(args).await }

    agent! {
        /// Works.
        pub Worker { description: "Works.", instruction: "Work.", function_tools: [add_one], tool_hooks: [audit, ..] }

        pub WithoutDocs { description: "Works.", instruction: "Work." }
    }
}

agent! {
    Boss { instruction: "Lead.", agents: [parts::Worker, parts::WithoutDocs], tool_hooks: [parts::audit for [parts::Worker]] }
}

pub(crate) fn main() {
    drop(Boss::builder());
    let _ = onionskin::run::ToolCaller::<Boss>::new();
}
