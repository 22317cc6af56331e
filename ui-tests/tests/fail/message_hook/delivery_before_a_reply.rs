use onionskin::message_hooks::{Delivery, message_hook};

#[message_hook(update_agent_state)]
fn note() -> Delivery {
    Delivery::Drop
}

fn main() {}
