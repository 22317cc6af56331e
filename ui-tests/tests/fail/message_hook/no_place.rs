use onionskin::message_hooks::message_hook;

#[message_hook]
fn redact() {}

fn main() {}
