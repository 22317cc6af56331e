use onionskin::agent;

#[derive(Clone)]
struct Visit {
    guest: (String,),
}

agent! {
    Host {
        instruction: "Greet {self}.",
        state: Visit,
    }
}

fn main() {}
