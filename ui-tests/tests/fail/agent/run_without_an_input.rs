use onionskin::run::AgentRun;
use onionskin::{RunError, agent};

async fn strategy(run: &AgentRun) -> Result<String, RunError> {
    run.converse(String::new()).await
}

agent! {
    Desk {
        instruction: "Work.",
        run: strategy,
    }
}

fn main() {}
