//! Guardrails by hand: how they are made.
use onionskin::guardrails::{InputGuardrail, OutputGuardrail};
use onionskin::{Args, ToolContext, ToolResult};

//~ no `Default`
struct WithoutDefault;

impl InputGuardrail for WithoutDefault {
    type Made = onionskin::made::ByDefault;

    async fn check(&self, _cx: &ToolContext, _args: &mut Args) -> ToolResult<()> {
        Ok(())
    }
}

//~ a `Made` of another type
#[derive(Default)]
struct MadeByHand;

impl OutputGuardrail for MadeByHand {
    type Made = ();

    async fn check(&self, _cx: &ToolContext, _args: &Args, result: ToolResult) -> ToolResult {
        result
    }
}

//~ no `Made`
#[derive(Default)]
struct WithoutMade;

impl InputGuardrail for WithoutMade {
    async fn check(&self, _cx: &ToolContext, _args: &mut Args) -> ToolResult<()> {
        Ok(())
    }
}

fn main() {}
