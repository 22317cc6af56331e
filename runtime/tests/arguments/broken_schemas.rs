//! A tool whose schema cannot be made: the agent is not built, and the error says which tool it is.

use onionskin::declaration::AgentDeclaration;
use onionskin::run::ToolCaller;
use onionskin::{
    Agent, BuildError, ScriptedModel, Tool, ToolContext, ToolDefinition, ToolResult, agent, tool,
};

fn from_nowhere() -> u32 {
    panic!("PORT is not set")
}

/// Has a default that panics.
#[tool]
fn connects(#[arg(default = from_nowhere())] port: u32) -> u32 {
    port
}

#[derive(serde::Deserialize)]
struct Shapeless;

impl schemars::JsonSchema for Shapeless {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Shapeless".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        panic!("{} shapes", 0)
    }
}

/// Has a type whose schema panics.
#[tool]
fn shapes(it: &Shapeless) -> bool {
    matches!(it, Shapeless)
}

#[derive(Default)]
struct ByHand;

impl Tool for ByHand {
    const NAME: &'static str = "by_hand";
    type State = ();

    fn definition(&self) -> &ToolDefinition {
        panic!("no definition")
    }

    async fn run<'a>(&'a self, _: &'a ToolContext, _: &'a mut onionskin::Args) -> ToolResult {
        Ok("never".into())
    }
}

/// Is fine.
#[tool]
fn fine() {}

agent! {
    Connecting { description: "Connects.", instruction: "Connect.", function_tools: [fine, connects] }
    Shaping { instruction: "Shape.", function_tools: [shapes] }
    Compiled { instruction: "Call.", function_tools: [ByHand] }
    Parent { instruction: "Ask.", agents: [Connecting] }
}

struct AtRunTime;

impl Agent for AtRunTime {
    const NAME: &'static str = "at_run_time";
    type State = ();

    fn declare() -> AgentDeclaration {
        AgentDeclaration::new().tool(ByHand)
    }
}

async fn refused<A: Agent>() -> (String, String, String) {
    match A::builder().model(ScriptedModel::new()).build().await {
        Err(BuildError::Panicked { agent, what, reason, .. }) => (agent, what, reason),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a1_a_tool_whose_schema_panics_is_a_build_error_that_names_it() {
    let expected = |agent: &str, tool, reason: &str| {
        let what = format!("the schema of the tool `{tool}` of the agent `{agent}` panicked");
        (agent.to_owned(), what, reason.to_owned())
    };
    assert_eq!(refused::<Connecting>().await, expected("Connecting", "connects", "PORT is not set"));
    assert_eq!(refused::<Shaping>().await, expected("Shaping", "shapes", "0 shapes"));
    assert_eq!(refused::<Compiled>().await, expected("Compiled", "by_hand", "no definition"));
    assert_eq!(refused::<AtRunTime>().await, expected("at_run_time", "by_hand", "no definition"));
    assert_eq!(refused::<Parent>().await, expected("Connecting", "connects", "PORT is not set"));
}

#[test]
#[should_panic(expected = "the schema of the tool `connects` panicked: PORT is not set")]
fn a1_calling_without_a_run_names_the_tool_as_well() {
    drop(ToolCaller::<Connecting>::new());
}
