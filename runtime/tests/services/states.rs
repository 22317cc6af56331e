//! States that the types of parameters take.

use onionskin::declaration::AgentBuilder;
use onionskin::run::InjectInRun;
use onionskin::run_hooks::BoxError;
use onionskin::services::ServiceTypes;
use onionskin::{
    Agent, Args, BuildError, Exit, Inject, Next, RunContext, RunError, ScriptedModel, ScriptedTurn, State,
    ToolContext, ToolResult, agent, guardrail, run_hook, tool, tool_hook,
};
use serde_json::json;

#[derive(Clone)]
struct Ledger {
    owner: String,
}

/// Says which state it takes.
struct Owner(String);

impl<'a> Inject<'a> for Owner {
    fn inject(cx: &'a ToolContext) -> Result<Self, Exit> {
        Ok(Self(State::<Ledger>::inject(cx)?.owner.clone()))
    }

    fn services(taken: &mut ServiceTypes) {
        taken.add_state::<Ledger>();
    }
}

impl<'a> InjectInRun<'a> for Owner {
    fn inject_in_run(run: &'a RunContext) -> Result<Self, BoxError> {
        Ok(Self(State::<Ledger>::inject_in_run(run)?.owner.clone()))
    }

    fn services(taken: &mut ServiceTypes) {
        <State<Ledger> as InjectInRun>::services(taken);
    }
}

/// Says nothing of its state.
struct Silent(String);

impl<'a> Inject<'a> for Silent {
    fn inject(cx: &'a ToolContext) -> Result<Self, Exit> {
        Ok(Self(State::<Ledger>::inject(cx)?.owner.clone()))
    }
}

/// Which the macro does not see.
type LedgerState = State<Ledger>;

/// Tells the owner.
#[tool]
fn owner(#[inject] owner: Owner) -> String {
    owner.0
}

/// Tells the owner.
#[tool]
fn silent_owner(#[inject] owner: Silent) -> String {
    owner.0
}

/// Adds one.
#[tool(input_guardrails = [guarded])]
fn add_one(x: i64) -> i64 {
    x + 1
}

/// Adds two.
#[tool]
fn add_two(x: i64) -> i64 {
    x + 2
}

#[guardrail(input)]
fn guarded(#[inject] owner: Owner) {
    drop(owner.0);
}

#[tool_hook]
async fn hooked(#[inject] owner: Owner, args: &mut Args, next: impl Next) -> ToolResult {
    drop(owner.0);
    next.run(args).await
}

#[tool_hook]
async fn aliased(#[inject] ledger: LedgerState, args: &mut Args, next: impl Next) -> ToolResult {
    drop(ledger);
    next.run(args).await
}

#[run_hook(pre)]
fn around(#[inject] owner: Owner) {
    drop(owner.0);
}

agent! {
    Tool { instruction: "Help.", function_tools: [owner], state: u32 }
    Without { instruction: "Help.", function_tools: [owner] }
    OwnGuardrail { instruction: "Help.", function_tools: [add_one], state: u32 }
    Hooked { instruction: "Help.", function_tools: [add_two], tool_hooks: [hooked], state: u32 }
    Aliased { instruction: "Help.", function_tools: [add_two], tool_hooks: [aliased], state: u32 }
    Around { instruction: "Help.", run_hooks: [around], state: u32 }
    Plain { instruction: "Help.", function_tools: [add_two], state: u32 }
    Undeclared { instruction: "Help.", function_tools: [silent_owner], state: u32 }
    Right { instruction: "Help.", function_tools: [owner, add_one], tool_hooks: [hooked, aliased], run_hooks: [around], state: Ledger }
}

async fn refused<A: Agent>(builder: AgentBuilder<A>) -> String {
    match builder.model(ScriptedModel::new()).build().await.unwrap_err() {
        error @ BuildError::OtherState { .. } => error.to_string(),
        other => panic!("{other}"),
    }
}

#[tokio::test]
async fn t5_a_parameter_of_another_state_is_not_built() {
    let says = |part: &str, state: &str| {
        format!(
            "{part} of the agent `{{}}` takes `State<services::states::Ledger>`, and the state of the agent is `{state}`: declare this state in \
             the agent (`state: ..` in `agent!`, `type State = ..` by hand), or remove {part}"
        )
    };
    let all = [
        ("Tool", says("the tool `owner`", "u32"), refused(Tool::builder().state(1_u32)).await),
        ("Without", says("the tool `owner`", "()"), refused(Without::builder()).await),
        (
            "OwnGuardrail",
            says("the tool `add_one`", "u32"),
            refused(OwnGuardrail::builder().state(1_u32)).await,
        ),
        ("Hooked", says("the hook `hooked`", "u32"), refused(Hooked::builder().state(1_u32)).await),
        ("Aliased", says("the hook `aliased`", "u32"), refused(Aliased::builder().state(1_u32)).await),
        ("Around", says("the run hook `around`", "u32"), refused(Around::builder().state(1_u32)).await),
        (
            "Plain",
            says("the hook `hooked`", "u32"),
            refused(Plain::builder().state(1_u32).hook(hooked::new())).await,
        ),
    ];
    for (agent, said, found) in all {
        assert_eq!(found, said.replace("{}", agent));
    }
}

#[tokio::test]
async fn t5_a_parameter_of_the_agents_state_is_built() {
    let turns = [ScriptedTurn::call("owner", json!({})), ScriptedTurn::say("{last}")];
    let right = Right::builder().model(ScriptedModel::turns(turns)).state(Ledger { owner: "Ada".to_owned() });
    assert_eq!(right.run("Who?").await.unwrap().text, "Ada");
}

/// What no list says is a mistake of the program all the same: the model does not read it.
#[tokio::test]
async fn t5_a_state_that_is_not_there_ends_the_run() {
    let turns = [ScriptedTurn::call("silent_owner", json!({})), ScriptedTurn::say("{last}")];
    let error =
        Undeclared::builder().model(ScriptedModel::turns(turns)).state(1_u32).run("Who?").await.unwrap_err();
    assert!(matches!(error, RunError::Aborted { .. }), "{error:?}");
    assert!(error.to_string().contains("has no state of type `services::states::Ledger`"), "{error}");
}
