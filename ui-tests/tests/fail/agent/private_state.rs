use onionskin::agent;

#[derive(Clone)]
struct Ledger;

agent! {
    pub Helper { instruction: "Help.", state: Ledger }
}

fn main() {}
