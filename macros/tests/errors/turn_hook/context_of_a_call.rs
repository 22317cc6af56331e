use onionskin::turn_hooks::TurnToolCall;
use onionskin::{ToolContext, turn_hook};

#[turn_hook(before_tool_call)]
fn trim(ctx: &ToolContext, call: &TurnToolCall) {
    todo!()
}

fn main() {}
