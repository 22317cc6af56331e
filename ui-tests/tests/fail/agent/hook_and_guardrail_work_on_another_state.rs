use onionskin::{Args, Next, State, ToolResult, agent, guardrail, tool, tool_hook};

#[derive(Clone)]
struct Ledger;

#[guardrail(input)]
fn check(_args: &Args, _ledger: State<Ledger>) {}

#[tool_hook]
async fn audit(_ledger: State<Ledger>, args: &mut Args, next: impl Next) -> ToolResult {
    next.run(args).await
}

/// Adds one.
#[tool(hooks = [audit], input_guardrails = [check])]
fn add_one(x: i64) -> i64 {
    x + 1
}

agent! {
    Adder {
        instruction: "Add.",
        function_tools: [add_one],
    }
}

fn main() {}
