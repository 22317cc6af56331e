use onionskin::turn_hooks::TurnToolCall;
use onionskin::{Next, turn_hook};

#[turn_hook(before_tool_call)]
fn trim(call: &TurnToolCall, next: impl Next) {
    todo!()
}

fn main() {}
