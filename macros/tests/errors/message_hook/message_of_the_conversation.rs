use onionskin::message_hooks::message_hook;
use onionskin::model::Message;

#[message_hook(process_message_before_send)]
fn redact(message: &mut Message) {
    todo!()
}

fn main() {}
