use onionskin::agent;

agent! {
    Helper {
        instruction: "Help.",
        state: "Ledger",
    }
}

fn main() {}
