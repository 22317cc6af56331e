use onionskin::agent;

agent! {
    Desk {
        instruction: "Work.",
        input: &'static str,
    }
}

fn main() {}
