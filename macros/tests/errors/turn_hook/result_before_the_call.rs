use onionskin::model::ToolResultMessage;
use onionskin::turn_hooks::TurnToolCall;
use onionskin::turn_hook;

#[turn_hook(before_tool_call)]
fn trim(call: &mut TurnToolCall, result: &mut ToolResultMessage) {
    todo!()
}

fn main() {}
