use std::rc::Rc;

use onionskin::{Args, Next, ToolResult, run::Team, tool_hook};

#[tool_hook]
async fn audit(args: &mut Args, team: Team, next: impl Next) -> ToolResult {
    let seen = Rc::new(team);
    let output = next.run(args).await;
    drop(seen);
    output
}

fn main() {}
