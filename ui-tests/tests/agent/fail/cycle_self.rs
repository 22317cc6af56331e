use onionskin::agent;

agent! {
    Helper { instruction: "Help.", agents: [Helper] }
}

fn main() {}
