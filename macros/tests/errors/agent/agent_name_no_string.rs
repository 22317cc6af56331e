use onionskin::agent;

agent! {
    Helper { name: helper, instruction: "Help." }
}

fn main() {}
