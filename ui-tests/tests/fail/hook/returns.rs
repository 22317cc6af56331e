//! What a hook returns.
use onionskin::run::Team;
use onionskin::{Args, Next, ToolOutput, tool_hook};

//~ after, where it takes the result by value
#[tool_hook]
async fn count(output: ToolOutput) -> usize { output.to_text().len() }

//~ after, where it borrows the result
#[tool_hook]
async fn after_returns_another_type(output: &mut ToolOutput) -> usize { output.to_text().len() }

//~ around, another error
#[tool_hook]
async fn audit(args: &mut Args, next: impl Next) -> Result<ToolOutput, String> {
    next.run(args).await.map_err(|_| "failed".to_owned())
}

//~ around, another type
#[tool_hook]
async fn around_returns_another_type(args: &mut Args, next: impl Next) -> String {
    match next.run(args).await {
        Ok(output) => output.to_text().into_owned(),
        Err(_) => String::new(),
    }
}

//~ before, another error
#[tool_hook]
fn allow(args: &Args) -> Result<(), u32> { args.get("x").map(|_| ()).ok_or(7) }

//~ before, another type
#[tool_hook]
async fn before_returns_another_type(args: &Args) -> bool { args.get("x").is_some() }

//~ around, with the team
#[tool_hook]
async fn injecting_around_returns_another_type(args: &mut Args, team: Team, next: impl Next) -> ToolOutput {
    let _ = (next.run(args).await, team);
    ToolOutput::text("done")
}

fn main() {}
