use onionskin::agent;

agent! {
    Desk {
        instruction: "Work.",
        output: _,
    }
}

fn main() {}
