// Agents of one invocation are compared by the macro. Across invocations only rustc sees the cycle, as one of
// constants; the constant's name says what is wrong.
use onionskin::agent;

agent! {
    Boss { description: "Leads.", instruction: "Lead.", agents: [Worker] }
}

agent! {
    Worker { description: "Works.", instruction: "Work.", agents: [Boss] }
}

fn main() {}
