use onionskin::agent;

agent! {
    Helper { description: "Helps.", instruction: "Help.", agents: [Helper] }
}

fn main() {}
