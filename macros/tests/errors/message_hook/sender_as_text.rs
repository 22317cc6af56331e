use onionskin::message_hooks::message_hook;

#[message_hook(process_message_before_send)]
fn redact(sender: &str) {
    todo!()
}

fn main() {}
