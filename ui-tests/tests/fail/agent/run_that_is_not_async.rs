use onionskin::run::AgentRun;
use onionskin::{RunError, agent};

fn strategy(_: &AgentRun, input: String) -> Result<String, RunError> {
    Ok(input)
}

agent! {
    Desk {
        instruction: "Work.",
        run: strategy,
    }
}

fn main() {}
