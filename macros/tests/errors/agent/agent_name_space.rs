use onionskin::agent;

agent! {
    Helper { name: "my helper", instruction: "Help." }
}

fn main() {}
