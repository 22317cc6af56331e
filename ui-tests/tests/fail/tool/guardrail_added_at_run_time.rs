use onionskin::{Args, ToolContext, ToolResult, guardrails::InputGuardrail, tool};

struct Check;

impl InputGuardrail for Check {
    type Made = onionskin::made::AtRunTime;

    async fn check(&self, _: &ToolContext, _: &mut Args) -> ToolResult<()> {
        Ok(())
    }
}

/// Adds one.
#[tool(input_guardrails = [Check])]
fn add_one(x: i64) -> i64 {
    x + 1
}

fn main() {}
