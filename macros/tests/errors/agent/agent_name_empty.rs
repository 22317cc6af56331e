use onionskin::agent;

agent! {
    Helper { name: "", instruction: "Help." }
}

fn main() {}
