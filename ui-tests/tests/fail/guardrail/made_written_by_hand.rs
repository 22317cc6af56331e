use onionskin::{Args, ToolContext, ToolResult, guardrails::OutputGuardrail};

#[derive(Default)]
struct NoSecrets;

impl OutputGuardrail for NoSecrets {
    type Made = ();

    async fn check(&self, _cx: &ToolContext, _args: &Args, result: ToolResult) -> ToolResult {
        result
    }
}

fn main() {}
