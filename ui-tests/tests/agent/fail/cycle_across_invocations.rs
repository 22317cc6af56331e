use onionskin::agent;

agent! {
    Boss { instruction: "Lead.", agents: [Worker] }
}

agent! {
    Worker { instruction: "Work.", agents: [Boss] }
}

fn main() {}
