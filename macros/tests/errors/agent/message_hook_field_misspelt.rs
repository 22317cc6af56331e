use onionskin::agent;

agent! {
    Clerk {
        instruction: "Answer.",
        message_hook: [redact],
    }
}

fn main() {}
