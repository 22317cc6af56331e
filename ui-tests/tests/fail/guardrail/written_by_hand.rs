use onionskin::{Args, InputGuardrail, ToolContext, ToolResult};

#[derive(Default)]
struct NoSecrets;

impl InputGuardrail for NoSecrets {
    async fn check(&self, _cx: &ToolContext, _args: &mut Args) -> ToolResult<()> {
        Ok(())
    }
}

fn main() {}
