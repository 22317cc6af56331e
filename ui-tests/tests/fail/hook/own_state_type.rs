use onionskin::{Args, Next, ToolResult, tool_hook};

#[derive(Clone)]
enum State {
    On,
}

#[tool_hook]
async fn audit(state: State, args: &mut Args, next: impl Next) -> ToolResult {
    let State::On = state;
    next.run(args).await
}

fn main() {}
