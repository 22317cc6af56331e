use onionskin::agent;

agent! {
    Helper { instruction: "Help." }
    Helper { instruction: "Help." }
}

fn main() {}
