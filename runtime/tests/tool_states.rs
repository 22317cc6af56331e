//! T8: a tool value on another state than the agent's is refused when the agent is built.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::needless_pass_by_value,
    reason = "tests say what they expect"
)]

use onionskin::{Args, BuildError, ToolResult};
use onionskin::{Next, Script, ScriptedTurn, State, ToolContext, ToolSpec, agent, tool, tool_hook};

#[derive(Clone)]
struct Ledger;

#[derive(Clone)]
struct Other;

/// Books.
#[tool]
fn book(state: State<Ledger>) -> i64 {
    let _ = state;
    1
}

#[tool_hook]
async fn watch(state: State<Ledger>, args: &mut Args, next: impl Next) -> ToolResult {
    let _ = state;
    next.run(args).await
}

/// Counts.
#[tool(hooks = [watch])]
fn count() -> i64 {
    1
}

agent! { Booker { instruction: "Book.", state: Ledger } }
agent! { Stateless { instruction: "Do." } }
agent! { Elsewhere { instruction: "Do.", state: Other } }

fn model() -> Script {
    Script::turns([ScriptedTurn::say("done")])
}

#[tokio::test]
async fn t8_a_tool_value_on_another_state_is_refused_when_the_agent_is_built() {
    assert!(Booker::builder().model(model()).state(Ledger).tool(book::spec()).build().await.is_ok());
    for spec in [book::spec, count::spec] {
        for error in [
            Stateless::builder().model(model()).tool(spec()).build().await.unwrap_err(),
            Elsewhere::builder().model(model()).state(Other).tool(spec().clone()).build().await.unwrap_err(),
        ] {
            let text = error.to_string();
            let BuildError::ToolState { agent, tool, takes, .. } = error else { panic!("{text}") };
            assert_eq!(tool, spec().name());
            assert!(takes.ends_with("Ledger") && text.contains(&agent), "{text}");
        }
    }
    let none = ToolSpec::from_fn("none", "Needs none.", |(): (), _: ToolContext| async { Ok(1) });
    assert!(Stateless::builder().model(model()).tool(none).build().await.is_ok());
}
