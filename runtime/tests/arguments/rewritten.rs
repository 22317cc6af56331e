//! What one hook writes is seen by the hooks inside of it as the tool gets it.

use onionskin::run::ToolCaller;
use onionskin::spec::Transform;
use onionskin::{Args, Next, ScriptedModel, ScriptedTurn, ToolResult, agent, tool, tool_hook};
use serde_json::json;

#[tool_hook]
async fn sets(args: &mut Args, next: impl Next) -> ToolResult {
    args["cents"] = "41".into();
    next.run(args).await
}

#[tool_hook]
async fn inserts(args: &mut Args, next: impl Next) -> ToolResult {
    args.insert("cents", " 41 ").expect("an object");
    next.run(args).await
}

#[tool_hook]
async fn replaces(args: &mut Args, next: impl Next) -> ToolResult {
    *args = Args::from(r#"{"cents": "41"}"#);
    next.run(args).await
}

#[tool_hook]
async fn hands_on_others(_: &mut Args, next: impl Next) -> ToolResult {
    next.run(&mut Args::from(json!({ "cents": 41.0 }))).await
}

#[tool_hook]
async fn forks(_: &mut Args, next: impl Next) -> ToolResult {
    next.fork(Args::from(r#"{"cents": "41"}"#)).await
}

#[tool_hook]
async fn at_most_ten(args: &mut Args, next: impl Next) -> ToolResult {
    if let Some(cents) = args["cents"].as_i64() {
        args["cents"] = cents.min(10).into();
    }
    next.run(args).await
}

/// Pays.
#[tool]
async fn pay(cents: i64) -> String {
    format!("paid {cents}")
}

macro_rules! through {
    ($agent:ident) => {
        let tools = ToolCaller::<$agent>::new();
        let cx = tools.context("pay").unwrap();
        holds(&tools.call(&cx, &mut Args::from(r#"{"cents": "41"}"#)).await, stringify!($agent));
    };
}

macro_rules! written_by {
    ($($hook:ident: $tool:ident $own:ident $agent:ident,)*) => {
        $(
            /// Pays, behind hooks of its own.
            #[tool(name = "pay", hooks = [$hook, at_most_ten])]
            async fn $tool(cents: i64) -> String {
                format!("paid {cents}")
            }

            agent! {
                $agent { instruction: "Pay.", function_tools: [pay], tool_hooks: [$hook, at_most_ten] }
                $own { instruction: "Pay.", function_tools: [$tool] }
            }
        )*

        #[tokio::test]
        async fn h1_hooks_see_what_the_tool_gets_also_of_what_a_hook_outside_wrote() {
            $(
                through!($agent);
            )*
        }

        #[tokio::test]
        async fn h1_a_tools_own_hooks_see_it_too() {
            $(
                through!($own);
                let mut renamed = $tool::spec();
                holds(&renamed.exec(r#"{"cents": "41"}"#).await.result, stringify!($own));
                renamed.transform(Transform::new().rename("cents", "amount")).unwrap();
                holds(&renamed.exec(r#"{"amount": "41"}"#).await.result, stringify!($own));
            )*
        }

        #[tokio::test]
        async fn h1_hooks_of_values_and_of_a_run_see_it_too() {
            $(
                let spec = pay::spec().hook($hook::new()).hook(at_most_ten::new());
                holds(&spec.exec(r#"{"cents": "41"}"#).await.result, stringify!($hook));

                let turns = [ScriptedTurn::call("pay", json!({ "cents": 41 })), ScriptedTurn::say("{last}")];
                let agent = Bare::builder().model(ScriptedModel::turns(turns)).tool(pay::spec());
                let agent = agent.hook($hook::new()).hook(at_most_ten::new()).build().await.unwrap();
                assert_eq!(agent.run("go").await.unwrap().text, "paid 10", "{}", stringify!($hook));
            )*
        }
    };
}

written_by! {
    sets: pay_sets OwnSets Sets,
    inserts: pay_inserts OwnInserts Inserts,
    replaces: pay_replaces OwnReplaces Replaces,
    hands_on_others: pay_hands_on_others OwnHandsOnOthers HandsOnOthers,
    forks: pay_forks OwnForks Forks,
}

agent! { Bare { instruction: "Pay." } }

fn holds(result: &ToolResult, what: &str) {
    assert_eq!(
        result.as_ref().map(|output| output.to_text().into_owned()).ok(),
        Some("paid 10".into()),
        "{what}"
    );
}
