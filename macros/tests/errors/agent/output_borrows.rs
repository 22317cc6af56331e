use onionskin::agent;

agent! {
    Desk {
        instruction: "Work.",
        output: &'static str,
    }
}

fn main() {}
