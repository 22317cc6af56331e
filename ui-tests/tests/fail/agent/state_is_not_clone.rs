use onionskin::agent;

struct Ledger;

agent! {
    Helper {
        instruction: "Help.",
        state: Ledger,
    }
}

fn main() {}
