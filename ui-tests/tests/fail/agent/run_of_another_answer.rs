use onionskin::run::AgentRun;
use onionskin::{RunError, agent};

async fn strategy(run: &AgentRun, input: String) -> Result<usize, RunError> {
    Ok(run.converse(input).await?.len())
}

agent! {
    Desk {
        instruction: "Work.",
        run: strategy,
    }
}

fn main() {}
