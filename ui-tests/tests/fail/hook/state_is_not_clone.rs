use onionskin::{Args, Next, State, ToolResult, tool_hook};

struct Ledger {
    lines: u32,
}

#[tool_hook]
async fn audit(ledger: State<Ledger>, args: &mut Args, next: impl Next) -> ToolResult {
    let _ = ledger.lines;
    next.run(args).await
}

fn main() {}
