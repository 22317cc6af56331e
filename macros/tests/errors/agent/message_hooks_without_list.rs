use onionskin::agent;

agent! {
    Clerk {
        instruction: "Answer.",
        message_hooks: redact,
    }
}

fn main() {}
