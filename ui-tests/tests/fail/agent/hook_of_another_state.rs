use onionskin::{Args, Next, State, ToolResult, agent, tool_hook};

#[derive(Clone)]
struct Ledger;

#[tool_hook]
async fn book(ledger: State<Ledger>, args: &mut Args, next: impl Next) -> ToolResult {
    let _ = ledger;
    next.run(args).await
}

agent! {
    Helper {
        instruction: "Help.",
        tool_hooks: [book],
    }
}

fn main() {}
