use onionskin::{RunContext, agent};

fn guests(_: &RunContext) -> u32 {
    7
}

agent! {
    Host {
        instruction: "Greet.",
        role: guests,
    }
}

fn main() {}
