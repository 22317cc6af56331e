//! T8: a tool value on another state than the agent's is refused when the agent is built.

use onionskin::declaration::AgentDeclaration;
use onionskin::{Agent, Args, BuildError, ToolResult};
use onionskin::{Next, ScriptedModel, ScriptedTurn, State, ToolContext, ToolSpec, agent, tool, tool_hook};

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

/// The same as a method.
struct Books;

#[onionskin::toolbox]
impl Books {
    /// Enters.
    #[tool]
    fn enter(&self, state: State<Ledger>) -> i64 {
        let _ = state;
        1
    }

    /// Enters behind a hook.
    #[tool(hooks = [watch])]
    fn watched(&self) -> i64 {
        1
    }
}

fn method(name: &str) -> ToolSpec {
    ToolSpec::from_toolbox(Books).remove(name).unwrap()
}

fn unknown_type_spec() -> ToolSpec {
    ToolSpec::from_dyn(std::sync::Arc::new(book::default()))
}

fn within_another() -> ToolSpec {
    ToolSpec::from_dyn(std::sync::Arc::new(unknown_type_spec()))
}

agent! { Booker { instruction: "Book.", state: Ledger } }
agent! { Stateless { instruction: "Do." } }
agent! { Elsewhere { instruction: "Do.", state: Other } }

fn model() -> ScriptedModel {
    ScriptedModel::turns([ScriptedTurn::say("done")])
}

#[tokio::test]
async fn t8_a_tool_value_on_another_state_is_refused_when_the_agent_is_built() {
    assert!(Booker::builder().model(model()).state(Ledger).tool(book::spec()).build().await.is_ok());
    let methods = [|| method("enter"), || method("watched")];
    for spec in [book::spec, count::spec, unknown_type_spec, within_another].into_iter().chain(methods) {
        assert!(Booker::builder().model(model()).state(Ledger).tool(spec()).build().await.is_ok());
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

#[tokio::test]
async fn t8_a_direct_call_without_its_state_says_how_to_give_it() {
    for spec in [book::spec(), book::spec().with_state(Other)] {
        let error = spec.call("{}").await.unwrap_err().to_string();
        assert!(error.contains("`book`") && error.contains("`.with_state(..)`"), "{error}");
        assert!(!error.contains("detached") && error.contains("Ledger"), "{error}");
    }
    assert_eq!(book::spec().with_state(Ledger).call("{}").await.unwrap(), 1);
}

/// An agent by hand with the state `S` and a tool on the state `Ledger`, which can be a built-in one.
struct ByHand<S, const BUILT_IN: bool>(std::marker::PhantomData<fn() -> S>);

impl<S: Clone + Send + Sync + 'static, const BUILT_IN: bool> Agent for ByHand<S, BUILT_IN> {
    const NAME: &'static str = "ByHand";
    type State = S;

    fn declare() -> AgentDeclaration {
        let declaration = AgentDeclaration::new().instruction("Book.");
        if BUILT_IN { declaration.runtime_tool(book::spec()) } else { declaration.tool(book::default()) }
    }
}

#[tokio::test]
async fn t8_a_tool_on_another_state_that_an_agent_by_hand_declares_is_refused_when_the_agent_is_built() {
    for built in [
        ByHand::<(), false>::builder().model(model()).build().await.map(|_| ()),
        ByHand::<(), true>::builder().model(model()).build().await.map(|_| ()),
    ] {
        let error = built.unwrap_err();
        assert!(
            matches!(&error, BuildError::ToolState { agent, tool, takes, state, .. }
                if agent == "ByHand" && tool == "book" && takes.ends_with("Ledger") && *state == "()"),
            "{error}"
        );
        assert!(error.to_string().contains("`type State = "), "{error}");
    }
    assert!(ByHand::<Ledger, false>::builder().model(model()).state(Ledger).build().await.is_ok());
    assert!(ByHand::<Ledger, true>::builder().model(model()).state(Ledger).build().await.is_ok());
}
