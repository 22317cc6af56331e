use onionskin::message_hooks::message_hook;
use onionskin::RunContext;

#[message_hook(update_agent_state, process_last_received_message)]
fn note(run: &RunContext) {
    todo!()
}

fn main() {}
