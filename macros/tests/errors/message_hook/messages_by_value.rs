use onionskin::message_hooks::message_hook;
use onionskin::model::History;

#[message_hook(process_all_messages_before_reply)]
fn trim(messages: History) {
    todo!()
}

fn main() {}
