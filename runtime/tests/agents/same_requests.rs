//! O3: what a model is asked does not depend on the hooks around the tools.

use std::sync::Arc;

use onionskin::declaration::AgentBuilder;
use onionskin::typed::{ArgsOf, TypedNext};
use onionskin::{Agent, Args, Next, ScriptedModel, ScriptedTurn, ToolResult, agent, tool, tool_hook};
use serde_json::json;

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

async fn requests<A: Agent>(add_hooks: impl FnOnce(AgentBuilder<A>) -> AgentBuilder<A>) -> Vec<String> {
    let model = Arc::new(ScriptedModel::turns([
        ScriptedTurn::call("add_one", json!({ "x": 41 })).and_call("add_one", json!({ "x": -1, "note": 4 })),
        // In words that are coerced, and in wrong ones.
        ScriptedTurn::call("add_one", json!({ "x": "7" }))
            .and_call("add_one", json!({ "x": "many", "y": 1 })),
        ScriptedTurn::say("done"),
    ]));
    let clerk = add_hooks(A::builder().model(Arc::clone(&model))).build().await.unwrap();
    clerk.run("go").await.unwrap();
    model.requests().iter().map(|request| serde_json::to_string(request).unwrap()).collect()
}

#[tokio::test]
async fn o3_requests_with_and_without_hooks_are_identical() {
    let without = requests::<Without>(|builder| builder).await;
    assert_eq!(without.len(), 3);
    assert!(without[2].contains("42") && without[2].contains("-1 is negative"), "{}", without[2]);
    assert_eq!(requests::<Agents>(|builder| builder).await, without);
    assert_eq!(requests::<Own>(|builder| builder).await, without);
    assert_eq!(requests::<Typed>(|builder| builder).await, without);
    assert_eq!(requests::<All>(|builder| builder).await, without);
    let added =
        requests::<Without>(|builder| builder.hook(first::new()).hook(second::new()).hook(third::new()));
    assert_eq!(added.await, without);
}
