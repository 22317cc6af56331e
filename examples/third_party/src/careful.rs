//! `Careful` is a strategy for any agent.

use std::marker::PhantomData;

use onionskin_core::declaration::AgentDeclaration;
use onionskin_core::model::Message;
use onionskin_core::run::AgentRun;
use onionskin_core::{Agent, RunError};

/// Another agent that plans before it acts, and reviews what it did: it has the parts of `A` and another loop.
#[derive(Debug, Clone, Copy)]
pub struct Careful<A>(PhantomData<fn() -> A>);

impl<A: Agent> Agent for Careful<A> {
    const NAME: &'static str = A::NAME;
    type State = A::State;
    const AN_AGENT_MUST_NOT_CONTAIN_ITSELF: () = A::AN_AGENT_MUST_NOT_CONTAIN_ITSELF;
    const DESCRIBED: bool = A::DESCRIBED;

    fn declare() -> AgentDeclaration {
        A::declare()
    }

    async fn run(run: &AgentRun, input: String) -> Result<String, RunError> {
        run.append(Message::user(input))?;
        run.notice("plans");
        let names = run.tool_names()?.join(", ");
        let plan =
            format!("Write a plan in three lines. You can act in the next turn, with these tools: {names}.");
        run.ask().without_tools().instruction(plan).await?;

        run.append(Message::user("Follow the plan."))?;
        run.notice("acts");
        loop {
            let answer = run.ask().await?;
            if answer.tool_calls.is_empty() {
                break;
            }
            if let Some(stopped) = run.call_tools(&answer.tool_calls).await?.into_answer() {
                return Ok(stopped);
            }
        }

        run.append(Message::user("Compare what you did with the plan, and answer."))?;
        run.notice("reviews");
        Ok(run.ask().without_tools().await?.text)
    }
}
