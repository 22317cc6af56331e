use onionskin::{Args, ToolContext, ToolResult, guardrails::InputGuardrail};

#[derive(Default)]
struct NoSecrets;

impl InputGuardrail for NoSecrets {
    async fn check(&self, _cx: &ToolContext, _args: &mut Args) -> ToolResult<()> {
        Ok(())
    }
}

fn main() {}
