use onionskin::{agent, turn_hook};

#[turn_hook(before_llm_call)]
fn trim() {}

agent! { Clerk { instruction: "Answer.", message_hooks: [trim] } }

fn main() {}
