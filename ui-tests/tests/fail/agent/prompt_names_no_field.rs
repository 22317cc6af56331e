use onionskin::agent;

#[derive(Clone)]
struct Visit {
    guest: String,
}

agent! {
    Host {
        instruction: "Greet {gest}.",
        state: Visit,
    }
}

fn main() {}
