use onionskin::message_hooks::message_hook;
use onionskin::model::Message;

#[message_hook(process_all_messages_before_reply)]
fn trim(messages: &mut Vec<Message>) {
    todo!()
}

fn main() {}
