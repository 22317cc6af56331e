//! A child may have paid before it failed: nothing asks it again by itself, unless it says that it may be asked again.

use onionskin::declaration::AgentDeclaration;
use onionskin::run::AgentRun;
use onionskin::{
    Agent, AgentTool, BuildError, Effect, RunError, ScriptedModel, ScriptedTurn, State, ToolSpec, agent,
    hooks::retry, tool, toolbox,
};
use serde_json::json;

use crate::support::Count;

/// Pays, and then fails.
#[tool(effect = once)]
fn pay(paid: State<Count>) -> Result<String, String> {
    paid.up();
    Err("the line broke".to_owned())
}

agent! {
    Payer { name: "payer", description: "Pays.", instruction: "Pay.", state: Count, function_tools: [pay], limits: { turns: 1 } }
    Repeatable {
        name: "repeatable",
        description: "Pays.",
        instruction: "Pay.",
        state: Count,
        function_tools: [pay],
        limits: { turns: 1 },
        effect: idempotent,
    }
    Careful { name: "careful", instruction: "Ask.", agents: [Payer, Repeatable], tool_hooks: [retry(3)] }
    Caller { name: "caller", instruction: "Ask.", tool_hooks: [retry(3)] }
}

fn script(tool: &str) -> ScriptedModel {
    let ask = [ScriptedTurn::call(tool, json!({ "input": "go" })), ScriptedTurn::say("{last}")];
    let pays = || [ScriptedTurn::call("pay", json!({}))];
    ScriptedModel::new()
        .agent("careful", ask.clone())
        .agent("caller", ask)
        .agent("payer", pays())
        .agent("repeatable", pays())
}

#[tokio::test(start_paused = true)]
async fn h9_a_child_that_failed_after_an_effect_is_not_asked_again() {
    let paid = Count::default();
    let model = script("agent__payer");
    let output = Careful::builder().state(paid.clone()).model(model).run("go").await.unwrap();
    assert_eq!((paid.get(), output.tool_calls[0].attempts), (1, 1), "{}", output.text);
}

#[tokio::test(start_paused = true)]
async fn h9_a_child_that_says_so_is_asked_again() {
    let paid = Count::default();
    let model = script("agent__repeatable");
    Careful::builder().state(paid.clone()).model(model).run("go").await.unwrap();
    assert_eq!(paid.get(), 3);
}

#[tokio::test(start_paused = true)]
async fn h9_an_agent_tool_is_not_asked_again_unless_it_says_so() {
    let asked = async |effect: Option<Effect>| {
        let paid = Count::default();
        let payer = Payer::builder().state(paid.clone()).model(script("agent__payer")).build().await.unwrap();
        let tool = AgentTool::new(&payer);
        let tool = match effect {
            Some(effect) => tool.effect(effect),
            None => tool,
        };
        assert_eq!(tool.clone().spec().definition().effect, effect.unwrap_or(Effect::Once));
        Caller::builder().tool(tool).model(script("agent__payer")).run("go").await.unwrap();
        paid.get()
    };
    assert_eq!(asked(None).await, 1);
    assert_eq!(asked(Some(Effect::Idempotent)).await, 3);
}

#[tokio::test]
async fn h9_an_agent_by_hand_says_what_its_effect_is() {
    struct Looks;
    impl Agent for Looks {
        const NAME: &'static str = "looks";
        type State = ();
        fn declare() -> AgentDeclaration {
            AgentDeclaration::new().effect(Effect::Pure)
        }
        async fn run(_: &AgentRun, _: String) -> Result<String, RunError> {
            Ok("seen".to_owned())
        }
    }
    let looks = Looks::builder().model(ScriptedModel::new()).build().await.unwrap();
    let spec = ToolSpec::from(AgentTool::new(&looks));
    assert_eq!(spec.definition().effect, Effect::Pure);
}

/// Sends a mail, and says nothing about a second one.
#[tool]
fn send(sent: State<Count>) -> Result<String, String> {
    sent.up();
    Err("the line broke".to_owned())
}

/// Looks.
#[tool(effect = pure)]
fn look() -> &'static str {
    "seen"
}

struct Desk;

#[toolbox]
impl Desk {
    /// Files a paper.
    #[tool(effect = once)]
    fn file(&self) -> &'static str {
        "filed"
    }
}

agent! {
    Mailer { name: "mailer", instruction: "Mail.", state: Count, function_tools: [send, look], tool_hooks: [retry(3)] }
    SaysNothing { instruction: "Mail.", state: Count, function_tools: [send], tool_hooks: [retry(3)] }
    NamesOnce { instruction: "Pay.", state: Count, function_tools: [pay, look], tool_hooks: [retry(3) for [look, pay]] }
    NamesUnstated { instruction: "Mail.", state: Count, function_tools: [send, look], tool_hooks: [retry(3) for [send]] }
    NamesGroup { instruction: "File.", toolboxes: [Desk], tool_hooks: [retry(3) for [Desk]] }
    NamesMixed { instruction: "Mail.", state: Count, function_tools: [pay, look], tool_hooks: [retry(3) except [pay]] }
    Added { instruction: "Mail.", state: Count, function_tools: [send] }
    Looking { description: "Looks.", instruction: "Look.", state: Count }
    Boss { instruction: "Ask.", state: Count, agents: [Looking], tool_hooks: [retry(3) for [everywhere]] }
    Alone { instruction: "Mail.", state: Count, function_tools: [send], tool_hooks: [retry(3) for [everywhere]] }
    OnlyOnce { instruction: "Pay.", state: Count, function_tools: [pay], tool_hooks: [retry(3)] }
}

#[tokio::test(start_paused = true)]
async fn h9_a_tool_without_an_effect_is_not_repeated() {
    let sent = Count::default();
    let turns = [ScriptedTurn::call("send", json!({})), ScriptedTurn::say("{last}")];
    let output =
        Mailer::builder().state(sent.clone()).model(ScriptedModel::turns(turns)).run("go").await.unwrap();
    assert_eq!((sent.get(), output.tool_calls[0].attempts), (1, 1));
    assert!(
        output.text.starts_with("the line broke\nIt was not called again: no `effect` of the tool"),
        "{}",
        output.text
    );
}

#[tokio::test]
async fn h9_a_retry_that_would_do_nothing_is_an_error() {
    let said = |error: BuildError| match error {
        BuildError::NotRepeated { hook, tool, effect, .. } => (hook, tool, effect),
        other => panic!("{other}"),
    };
    let state = Count::default;
    let model = ScriptedModel::new;
    let wrong = |tool: &str, effect| ("retry".to_owned(), tool.to_owned(), effect);
    let error = SaysNothing::builder().state(state()).model(model()).build().await.unwrap_err();
    assert!(
        error.to_string().contains("write `effect = pure`, `effect = idempotent` or `effect = once`"),
        "{error}"
    );
    assert_eq!(said(error), wrong("send", Effect::Unstated));
    let error = NamesOnce::builder().state(state()).model(model()).build().await.unwrap_err();
    assert!(
        error.to_string().ends_with(
            "which must not take effect twice: remove it from the filter, or the hook from the tool"
        ),
        "{error}"
    );
    assert_eq!(said(error), wrong("pay", Effect::Once));
    let error = NamesUnstated::builder().state(state()).model(model()).build().await.unwrap_err();
    assert_eq!(said(error), wrong("send", Effect::Unstated));
    let error = NamesGroup::builder().toolbox(Desk).model(model()).build().await.unwrap_err();
    assert_eq!(said(error), wrong("file", Effect::Once));
    let added = Added::builder().state(state()).model(model()).hook(retry::new(3));
    assert_eq!(said(added.build().await.unwrap_err()), wrong("send", Effect::Unstated));
    // Hooks of a tool's value.
    for (spec, effect) in [(send::spec(), Effect::Unstated), (pay::spec(), Effect::Once)] {
        let name = spec.name().to_owned();
        let added = Looking::builder().tool(spec.hook(retry::new(3))).state(state()).model(model());
        assert_eq!(said(added.build().await.unwrap_err()), wrong(&name, effect));
    }
    Looking::builder()
        .tool(look::spec().hook(retry::new(3)))
        .state(state())
        .model(model())
        .build()
        .await
        .unwrap();
    // A tool of an agent beneath may be one to repeat.
    Boss::builder().state(state()).model(model()).build().await.unwrap();
    let error = Alone::builder().state(state()).model(model()).build().await.unwrap_err();
    assert_eq!(said(error), wrong("send", Effect::Unstated));
    NamesMixed::builder().state(state()).model(model()).build().await.unwrap();
    OnlyOnce::builder().state(state()).model(model()).build().await.unwrap();
}
