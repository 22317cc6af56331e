// Agents of one invocation are compared by the macro. Across invocations only rustc sees the cycle, as one of
// constants; the constant's name says what is wrong.
use onionskin::agent;

agent! {
    Boss { instruction: "Lead.", agents: [Worker] }
}

agent! {
    Worker { instruction: "Work.", agents: [Boss] }
}

fn main() {}
