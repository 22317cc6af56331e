use onionskin::{Args, Next, State, ToolResult, tool, tool_hook};

#[derive(Clone)]
struct Ledger;
#[derive(Clone)]
struct Notes;

#[tool_hook]
async fn audit(args: &mut Args, state: State<Notes>, next: impl Next) -> ToolResult {
    let _ = state;
    next.run(args).await
}

/// Adds one.
#[tool(hooks = [audit])]
fn add_one(x: i64, state: State<Ledger>) -> i64 {
    let _ = state;
    x + 1
}

onionskin::agent! { Helper { instruction: "Help.", state: Ledger, function_tools: [add_one] } }

fn main() {}
