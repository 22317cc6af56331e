use onionskin::{Args, Next, ToolOutput, run::Team, tool_hook};

#[tool_hook]
async fn audit(args: &mut Args, team: Team, next: impl Next) -> ToolOutput {
    let _ = (next.run(args).await, team);
    ToolOutput::text("done")
}

fn main() {}
