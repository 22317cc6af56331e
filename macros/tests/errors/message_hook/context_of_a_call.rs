use onionskin::message_hooks::message_hook;
use onionskin::ToolContext;

#[message_hook(update_agent_state)]
fn note(ctx: &ToolContext) {
    todo!()
}

fn main() {}
