use onionskin::run::AgentRun;
use onionskin::{RunError, agent};

async fn strategy(run: &AgentRun, input: String) -> Result<String, RunError> {
    let kept = std::rc::Rc::new(input);
    let answer = run.converse(kept.to_string()).await;
    drop(kept);
    answer
}

agent! {
    Desk {
        instruction: "Work.",
        run: strategy,
    }
}

fn main() {}
