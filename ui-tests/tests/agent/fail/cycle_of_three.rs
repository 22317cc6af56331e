use onionskin::agent;

agent! {
    Boss { instruction: "Lead.", agents: [Lead] }
    Lead { instruction: "Lead.", agents: [Worker] }
    Worker { instruction: "Work.", agents: [Boss] }
}

fn main() {}
