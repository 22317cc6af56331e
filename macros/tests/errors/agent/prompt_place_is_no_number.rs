use onionskin::agent;

#[derive(Clone)]
struct Visit {
    guest: (String,),
}

agent! {
    Host {
        instruction: "Greet {guest.99999999999999999999}.",
        state: Visit,
    }
}

fn main() {}
