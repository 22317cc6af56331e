use onionskin::agent;

agent! {
    Clerk {
        instruction: "Answer.",
        message_hooks: [redact for [add_one]],
    }
}

fn main() {}
