use onionskin::run::AgentRun;
use onionskin::{RunError, agent};

async fn strategy(run: &AgentRun, input: &str) -> Result<String, RunError> {
    run.converse(input.to_owned()).await
}

agent! {
    Desk {
        instruction: "Work.",
        run: strategy,
    }
}

fn main() {}
