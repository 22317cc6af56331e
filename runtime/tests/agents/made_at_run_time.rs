//! Agents that are made at run time, among those of types.

use std::sync::Arc;

use onionskin::declaration::{AgentDeclaration, AppBuilder, DynAgent};
use onionskin::{
    App, Args, BuildError, Next, ScriptedModel, ScriptedTurn, State, ToolOutput, ToolResult, agent, tool,
    tool_hook,
};
use serde_json::json;

/// Adds one.
#[tool]
fn add_one(x: i64) -> i64 {
    x + 1
}

/// Counts the lamps in stock.
#[tool]
fn count(lamps: State<u32>) -> u32 {
    *lamps
}

/// Marks the results.
#[tool_hook]
async fn audit(args: &mut Args, next: impl Next) -> ToolResult {
    let output = next.run(args).await?;
    Ok(ToolOutput::text(format!("{} [audit]", output.to_text())))
}

agent! { Clerk { instruction: "Answer.", description: "Answers questions." } }

fn desk(name: &str) -> DynAgent {
    let name = name.to_owned();
    DynAgent::new(name.clone(), move || {
        AgentDeclaration::new()
            .instruction(format!("You are {name}."))
            .description("A desk.")
            .tool(add_one::default())
            .hook(audit::default())
    })
}

#[tokio::test]
async fn c3_an_agent_is_made_at_run_time() {
    let model = [ScriptedTurn::call("add_one", json!({ "x": 41 })), ScriptedTurn::say("{last}")];
    let model = Arc::new(ScriptedModel::new().agent("desk-7", model));
    let app = App::builder().dyn_agent(&desk("desk-7")).model(Arc::clone(&model)).build().await.unwrap();
    assert_eq!(app.run("41 + 1?").await.unwrap().text, "42 [audit]");
    assert_eq!(model.requests()[0].system.as_deref(), Some("A desk.\n\nYou are desk-7."));
}

#[tokio::test]
async fn c3_agents_of_types_and_made_ones_call_each_other() {
    let made = DynAgent::new("Made", || {
        AgentDeclaration::new().instruction("Ask.").description("Asks.").child::<Clerk>()
    });
    let both = DynAgent::from_type::<Clerk>();
    let top = DynAgent::new("Top", move || {
        AgentDeclaration::new().instruction("Ask.").dyn_child(&made).dyn_child(&both)
    });
    let ask = |agent: &str| ScriptedTurn::call(agent, json!({ "input": "Hello?" }));
    let model = ScriptedModel::new()
        .agent("Top", [ask("agent__Made"), ask("agent__Clerk"), ScriptedTurn::say("{last}")])
        .agent("Made", [ask("agent__Clerk"), ScriptedTurn::say("{last}")])
        .agent("Clerk", [ScriptedTurn::say("Good morning.")]);
    let app = App::builder().dyn_agent(&top).model(model).build().await.unwrap();
    let output = app.run("Go.").await.unwrap();
    assert_eq!((&*output.text, output.tool_calls.len()), ("Good morning.", 3));
}

#[tokio::test]
async fn c3_a_made_agent_has_a_state_of_a_type() {
    let stock = |agent: DynAgent| {
        let model = [ScriptedTurn::call("count", json!({})), ScriptedTurn::say("{last}")];
        App::builder().dyn_agent(&agent).model(ScriptedModel::turns(model))
    };
    let agent =
        || DynAgent::new("Stock", || AgentDeclaration::new().instruction("Count.").tool(count::default()));
    let app = stock(agent().with_state::<u32>()).state(3_u32).build().await.unwrap();
    assert_eq!(app.run("How many?").await.unwrap().text, "3");
    let error = stock(agent()).build().await.unwrap_err();
    assert!(matches!(error, BuildError::ToolState { .. }), "{error}");
}

#[tokio::test]
async fn c3_the_mistakes_of_made_agents_are_errors() {
    // A parent that finds its children by name can find itself.
    fn endless() -> AgentDeclaration {
        AgentDeclaration::new().instruction("Ask.").dyn_child(&DynAgent::new("endless", endless))
    }

    let build = async |agents: &[DynAgent]| {
        let app = agents.iter().fold(App::builder(), AppBuilder::dyn_agent);
        app.model(ScriptedModel::turns([])).build().await.unwrap_err().to_string()
    };
    let error = build(&[desk("New/York")]).await;
    assert!(error.contains("`New/York`"), "{error}");
    let error = build(&[desk("one"), desk("one")]).await;
    assert!(error.contains("`one`"), "{error}");
    let error = build(&[desk("one"), desk("two")]).await;
    assert!(error.contains("one, two"), "{error}");
    let error = build(&[DynAgent::new("one", || panic!("no declaration today"))]).await;
    assert!(error.contains("`one`") && error.contains("no declaration today"), "{error}");
    let error = build(&[DynAgent::new("endless", endless)]).await;
    assert!(error.contains("endless > endless"), "{error}");
    let unknown = || AgentDeclaration::new().instruction("Ask.").server("time".to_owned(), Some(&["get_*"]));
    let error = build(&[DynAgent::new("one", unknown)]).await;
    assert!(error.contains("`time`"), "{error}");
}

#[tokio::test]
async fn c3_settings_reach_a_made_agent_by_its_name() {
    let model = [ScriptedTurn::call("add_one", json!({ "x": 1 })), ScriptedTurn::say("{last}")];
    let app = App::builder()
        .dyn_agent(&desk("one"))
        .for_agent("one", |agent| agent.hook(audit::default()))
        .model(ScriptedModel::turns(model))
        .build()
        .await
        .unwrap();
    assert_eq!(app.run("1 + 1?").await.unwrap().text, "2 [audit] [audit]");
}

#[tokio::test]
async fn c3_an_agent_that_many_ways_lead_to_is_built_once() {
    let mut below: Vec<DynAgent> = Vec::new();
    for level in 0..40 {
        let children = below;
        below = ["a", "b"]
            .map(|side| {
                let children = children.clone();
                DynAgent::new(format!("{side}{level}"), move || {
                    let agent = AgentDeclaration::new()
                        .instruction("Ask.")
                        .description("Asks.")
                        .tool(count::default());
                    children.iter().fold(agent, AgentDeclaration::dyn_child)
                })
                .with_state::<u32>()
            })
            .into();
    }
    let asks = |level: u32| ScriptedTurn::call(format!("agent__a{level}"), json!({ "input": "go" }));
    let model = ScriptedModel::new()
        .agent("a39", [asks(38), ScriptedTurn::say("{last}")])
        .agent("a38", [ScriptedTurn::call("count", json!({})), ScriptedTurn::say("{last} lamps")]);
    let app = App::builder().dyn_agent(&below[0]).model(model).state(3_u32).build().await.unwrap();
    assert_eq!(app.run("go").await.unwrap().text, "3 lamps");
}
