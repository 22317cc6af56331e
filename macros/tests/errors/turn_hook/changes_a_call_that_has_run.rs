use onionskin::turn_hooks::TurnToolCall;
use onionskin::turn_hook;

#[turn_hook(after_tool_call)]
fn trim(call: &mut TurnToolCall) {
    todo!()
}

fn main() {}
