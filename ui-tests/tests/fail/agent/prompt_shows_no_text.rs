use onionskin::agent;

#[derive(Clone)]
struct Visit {
    guest: Option<String>,
}

agent! {
    Host {
        instruction: "Greet {guest}.",
        state: Visit,
    }
}

fn main() {}
