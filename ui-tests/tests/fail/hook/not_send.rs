//! Futures of hooks and guardrails that cannot be sent to another thread.
use std::rc::Rc;

use onionskin::run::Team;
use onionskin::{Args, Next, ToolResult, guardrail, run_hook, tool_hook};

//~ a hook around
#[tool_hook]
async fn audit(args: &mut Args, next: impl Next) -> ToolResult {
    let seen = Rc::new(1);
    let output = next.run(args).await;
    drop(seen);
    output
}

//~ a hook before
#[tool_hook]
async fn not_send_before(args: &mut Args) {
    let seen = Rc::new(args.get("x").is_none());
    std::future::ready(()).await;
    drop(seen);
}

//~ a hook around with the team
#[tool_hook]
async fn not_send_injecting(args: &mut Args, team: Team, next: impl Next) -> ToolResult {
    let seen = Rc::new(team);
    let output = next.run(args).await;
    drop(seen);
    output
}

//~ a guardrail
#[guardrail(input)]
async fn check(args: &Args) {
    let held = Rc::new(args.text().len());
    std::future::ready(()).await;
    drop(held);
}

//~ a run hook
#[run_hook(pre)]
async fn not_send(input: &str) {
    let text = Rc::new(input.to_owned());
    std::future::ready(()).await;
    drop(text);
}

fn main() {}
