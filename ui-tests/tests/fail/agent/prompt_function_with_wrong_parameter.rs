use onionskin::agent;

fn greeting(name: String) -> String {
    format!("Greet {name}.")
}

agent! {
    Host {
        instruction: greeting,
    }
}

fn main() {}
