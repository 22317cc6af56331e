use onionskin::agent;

agent! {
    Boss { description: "Leads.", instruction: "Lead.", agents: [Lead] }
    Lead { description: "Leads.", instruction: "Lead.", agents: [Worker] }
    Worker { description: "Works.", instruction: "Work.", agents: [Boss] }
}

fn main() {}
