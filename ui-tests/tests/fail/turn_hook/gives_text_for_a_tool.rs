use onionskin::turn_hooks::TurnToolCall;
use onionskin::turn_hook;

#[turn_hook(before_tool_call)]
fn trim(call: &TurnToolCall) -> Option<String> {
    Some(call.name().to_owned())
}

fn main() {}
