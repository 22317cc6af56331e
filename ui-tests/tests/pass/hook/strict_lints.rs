//! Under every lint that a careful crate turns on.
#![deny(warnings, missing_docs, clippy::all, clippy::pedantic, unreachable_pub, unused_qualifications)]
#![deny(missing_debug_implementations, missing_copy_implementations, unused_results, single_use_lifetimes)]
#![forbid(unsafe_code, non_camel_case_types, non_snake_case)]
use onionskin::{Args, Next, ToolContext, ToolOutput, ToolResult, tool_hook};
use onionskin::run::Team;

/// Hooks of this program.
pub mod hooks {
    use super::{Args, Next, Team, ToolContext, ToolOutput, ToolResult, tool_hook};
    use onionskin::agent;

    /// Marks every result.
    ///
    /// # Errors
    /// As the call inside.
    #[tool_hook]
    pub async fn audit(_ctx: &ToolContext, args: &mut Args, next: impl Next) -> ToolResult {
        let mut output = next.run(args).await?;
        output.push_text("[audit]");
        Ok(output)
    }

    /// Repeats.
    ///
    /// # Errors
    /// As the call inside.
    #[tool_hook]
    pub async fn retry(#[config] times: u32, args: &mut Args, team: Team, next: impl Next) -> ToolResult {
        drop(team);
        for _ in 1..times {
            if let Ok(output) = next.run(args).await {
                return Ok(output);
            }
        }
        next.run(args).await
    }

    /// Looks.
    #[tool_hook]
    pub fn before(_args: &Args) {}

    /// Marks.
    #[tool_hook]
    pub fn after(output: &mut ToolOutput) {
        output.push_text("[after]");
    }

    /// Not for other crates.
    #[tool_hook]
    pub(crate) fn inner() {}

    #[tool_hook]
    fn private() {}

    agent! { Clerk { instruction: "Add." } }

    pub(crate) fn use_them() {
        drop(Clerk::builder().hook(retry::new(3)).hook(audit::new()).hook(inner::default()).hook(private::new()));
        inner();
        private();
    }
}

pub(crate) fn main() {
    hooks::use_them();
}
