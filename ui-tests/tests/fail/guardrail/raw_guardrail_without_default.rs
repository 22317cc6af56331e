use onionskin::{Args, ToolContext, ToolResult, guardrails::InputGuardrail, raw_guardrail};

struct NoSecrets;

impl InputGuardrail for NoSecrets {
    raw_guardrail!(default);

    async fn check(&self, _cx: &ToolContext, _args: &mut Args) -> ToolResult<()> {
        Ok(())
    }
}

fn main() {}
