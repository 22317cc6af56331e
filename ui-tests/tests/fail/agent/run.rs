//! Functions that cannot be the `run` of an agent.
use onionskin::run::AgentRun;
use onionskin::{RunError, agent};

//~ another answer
async fn another_answer(run: &AgentRun, input: String) -> Result<usize, RunError> {
    Ok(run.converse(input).await?.len())
}

agent! { Desk { instruction: "Work.", run: another_answer } }

//~ a future that cannot be sent
async fn not_sent(run: &AgentRun, input: String) -> Result<String, RunError> {
    let kept = std::rc::Rc::new(input);
    let answer = run.converse(kept.to_string()).await;
    drop(kept);
    answer
}

agent! { RunThatCannotBeSent { instruction: "Work.", run: not_sent } }

//~ a function that is not async
fn not_async(_: &AgentRun, input: String) -> Result<String, RunError> { Ok(input) }

agent! { RunThatIsNotAsync { instruction: "Work.", run: not_async } }

//~ a borrowed input
async fn borrowed_input(run: &AgentRun, input: &str) -> Result<String, RunError> {
    run.converse(input.to_owned()).await
}

agent! { RunWithABorrowedInput { instruction: "Work.", run: borrowed_input } }

//~ no input
async fn without_input(run: &AgentRun) -> Result<String, RunError> {
    run.converse(String::new()).await
}

agent! { RunWithoutAnInput { instruction: "Work.", run: without_input } }

fn main() {}
