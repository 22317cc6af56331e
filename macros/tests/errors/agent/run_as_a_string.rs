use onionskin::agent;

agent! {
    Desk {
        instruction: "Work.",
        run: "strategy",
    }
}

fn main() {}
