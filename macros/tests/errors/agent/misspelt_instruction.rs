use onionskin::agent;

agent! {
    Helper { instructions: "Help." }
}

fn main() {}
