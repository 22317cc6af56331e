use onionskin::message_hooks::message_hook;
use onionskin::Next;

#[message_hook(process_message_before_send)]
async fn redact(next: impl Next) {
    todo!()
}

fn main() {}
