//! O3: what a model is asked does not depend on the hooks around the tools.

use onionskin::declaration::AgentBuilder;
use onionskin::models::Cassette;
use onionskin::typed::{ArgsOf, TypedNext};
use onionskin::{Agent, Args, Next, ScriptedModel, ScriptedTurn, ToolResult, agent, tool, tool_hook};
use serde_json::json;

use super::support::Failure;

#[tool_hook]
async fn first(args: &mut Args, next: impl Next) -> ToolResult {
    next.run(args).await
}

#[tool_hook]
async fn second(args: &mut Args, next: impl Next) -> ToolResult {
    let _ = args.get("x");
    next.run(args).await
}

#[tool_hook]
fn third(result: &ToolResult) {
    let _ = result;
}

mod plain {
    use super::tool;

    /// Adds one.
    #[tool]
    pub(super) fn add_one(x: i64, note: Option<u8>) -> Result<i64, String> {
        if x < 0 { Err(format!("{x} is negative: {note:?}")) } else { Ok(x + 1) }
    }
}

mod hooked {
    use super::{first, second, third, tool};

    /// Adds one.
    #[tool(hooks = [first, second, third])]
    pub(super) fn add_one(x: i64, note: Option<u8>) -> Result<i64, String> {
        if x < 0 { Err(format!("{x} is negative: {note:?}")) } else { Ok(x + 1) }
    }
}

macro_rules! passes {
    ($($name:ident in $module:ident;)*) => {$(
        #[tool_hook(tool = $module::add_one)]
        async fn $name(args: ArgsOf<$module::add_one>, next: impl TypedNext<$module::add_one>) -> ToolResult<Result<i64, String>> {
            next.run(args).await
        }
    )*};
}

passes! {
    typed_1 in plain;
    typed_2 in plain;
    typed_3 in plain;
    outside_1 in hooked;
    outside_2 in hooked;
    outside_3 in hooked;
}

agent! {
    Without { name: "clerk", instruction: "Count.", function_tools: [plain::add_one] }
    Agents { name: "clerk", instruction: "Count.", function_tools: [plain::add_one], tool_hooks: [first, second, third] }
    Own { name: "clerk", instruction: "Count.", function_tools: [hooked::add_one] }
    Typed { name: "clerk", instruction: "Count.", function_tools: [plain::add_one], tool_hooks: [typed_1, typed_2, typed_3] }
    All {
        name: "clerk", instruction: "Count.", function_tools: [hooked::add_one],
        tool_hooks: [first, second, third, outside_1, outside_2, outside_3],
    }
}

/// The conversation of a clerk without hooks.
const FILE: &str = "tests/data/same_requests.yaml";

/// Runs a clerk with the recorded model, which answers only if each request is the recorded one.
async fn replays<A: Agent>(add_hooks: impl FnOnce(AgentBuilder<A>) -> AgentBuilder<A>) {
    let turns = [
        ScriptedTurn::call("add_one", json!({ "x": 41 })).and_call("add_one", json!({ "x": -1, "note": 4 })),
        // In words that are coerced, and in wrong ones.
        ScriptedTurn::call("add_one", json!({ "x": "7" }))
            .and_call("add_one", json!({ "x": "many", "y": 1 })),
        ScriptedTurn::say("done"),
    ];
    let replay = Cassette::new(ScriptedModel::turns(turns), FILE).run(async |model| {
        let output = add_hooks(A::builder().model(model)).run("go").await?;
        assert_eq!((output.text.as_str(), output.turns), ("done", 3));
        Ok::<_, Failure>(())
    });
    if let Err(error) = replay.await {
        panic!("{error}");
    }
}

#[tokio::test]
async fn o3_requests_with_and_without_hooks_are_identical() {
    replays::<Without>(|builder| builder).await;
    replays::<Agents>(|builder| builder).await;
    replays::<Own>(|builder| builder).await;
    replays::<Typed>(|builder| builder).await;
    replays::<All>(|builder| builder).await;
    replays::<Without>(|builder| builder.hook(first::new()).hook(second::new()).hook(third::new())).await;
    let recorded = std::fs::read_to_string(FILE).unwrap();
    assert!(recorded.contains("\"42\"") && recorded.contains("-1 is negative: Some(4)"), "{recorded}");
}
