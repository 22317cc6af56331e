//! Descriptions of agents: their tools, and the hooks around each.

use onionskin::declaration::AppDescription;
use onionskin::run_hooks::RunInput;
use onionskin::turn_hooks::TurnRequest;
use onionskin::typed::{ArgsOf, OutputOf, TypedNext};
use onionskin::{
    App, Args, Next, ScriptedModel, ToolResult, agent, hooks, run_hook, tool, tool_hook, toolbox, turn_hook,
};
use serde_json::json;

/// Adds one.
#[tool]
fn add_one(
    /// The number | to add to.
    x: i64,
    /// How often.
    times: Option<u32>,
) -> i64 {
    x + i64::from(times.unwrap_or(1))
}

/// Tells the unit.
#[tool(effect = pure)]
fn unit(kind: Kind) -> String {
    format!("{kind:?}")
}

#[derive(Debug, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
enum Kind {
    Length,
    Weight,
}

struct Notes;

#[toolbox]
impl Notes {
    /// Reads the notes.
    #[tool(effect = pure)]
    fn read(&self) -> String {
        String::new()
    }
}

#[tool_hook]
async fn audit(args: &mut Args, next: impl Next) -> ToolResult {
    next.run(args).await
}

#[tool_hook]
async fn outer(args: &mut Args, next: impl Next) -> ToolResult {
    next.run(args).await
}

#[tool_hook]
async fn late(args: &mut Args, next: impl Next) -> ToolResult {
    next.run(args).await
}

#[tool_hook(tool = add_one)]
async fn on_add(args: ArgsOf<add_one>, next: impl TypedNext<add_one>) -> ToolResult<OutputOf<add_one>> {
    next.run(args).await
}

#[run_hook(pre)]
fn check(input: &mut RunInput) {
    _ = input;
}

#[turn_hook(before_llm_call)]
fn trim(request: &mut TurnRequest) {
    _ = request;
}

agent! {
    Helper { description: "Helps \"well\".", instruction: "Help.", state: u8 }

    Clerk {
        instruction: "Work.",
        default: true,
        model: "gpt-5",
        state: u8,
        function_tools: [add_one, unit],
        toolboxes: [Notes, old: Notes],
        agents: [Helper],
        tool_hooks: [
            outer for [add_one, Helper],
            ..,
            audit except [source(agent), unit],
            hooks::retry(3) for [Notes::read],
            on_add,
        ],
        run_hooks: [check],
        turn_hooks: [trim],
    }
}

async fn described() -> AppDescription {
    let app = App::builder()
        .agent::<Helper>()
        .agent::<Clerk>()
        .state(0_u8)
        .toolbox(Notes)
        .toolbox_as("old", Notes)
        .for_agent("Clerk", |agent| agent.hook(late::default()))
        .model(ScriptedModel::turns([]))
        .build()
        .await
        .unwrap();
    app.describe().unwrap()
}

#[tokio::test]
async fn c5_each_tool_is_described_with_the_hooks_around_it() {
    let app = described().await;
    let [clerk, helper] = &app.agents[..] else { panic!("two agents: {app:?}") };
    assert_eq!((&*clerk.name, &*helper.name), ("Clerk", "Helper"));
    let hooks: Vec<_> = clerk.tools.iter().map(|tool| (&*tool.name, tool.hooks.join(" > "))).collect();
    let expected = [
        ("add_one", "outer > late > audit > on_add"),
        ("unit", "late"),
        ("agent__Helper", "outer > late"),
        ("read", "late > audit > retry"),
        ("old_read", "late > audit > retry"),
    ];
    assert_eq!(hooks, expected.map(|(tool, hooks)| (tool, hooks.to_owned())));
    assert_eq!(
        (&clerk.children[..], &clerk.run_hooks[..]),
        (&["Helper".to_owned()][..], &["check".to_owned()][..])
    );
    assert_eq!((clerk.turn_hooks.len(), clerk.model.as_deref()), (1, Some("gpt-5")));
    assert_eq!(helper.description.as_deref(), Some("Helps \"well\"."));
}

#[tokio::test]
async fn c5_a_description_is_json_a_page_and_a_graph() {
    let app = described().await;
    let json = serde_json::to_value(&app).unwrap();
    assert_eq!(json["agents"][0]["tools"][1]["effect"], json!("pure"));
    assert_eq!(json["agents"][0]["tools"][0]["input_schema"]["required"], json!(["x"]));

    let page = app.to_markdown();
    for part in [
        "## Clerk\n\n| | |\n|---|---|\n| model | `gpt-5` |\n| children | `Helper` |\n| hooks around runs | `check` |\n",
        "### `add_one`\n\nTool of the program.\n\nAdds one.\n\n| parameter | type | |\n|---|---|---|\n\
         | `x` | integer | The number \\| to add to. |\n| `times` | integer or null, optional | How often. |\n",
        "```text\nouter\n└ late\n  └ audit\n    └ on_add\n      └ add_one\n```\n",
        "Tool of the program. It changes nothing.",
        "| `kind` | `Length` or `Weight` |",
        "## Helper\n\nHelps \"well\".\n",
    ] {
        assert!(page.contains(part), "{part}\nin\n{page}");
    }

    let graph = app.to_mermaid();
    assert!(page.contains(&graph));
    assert_eq!(
        graph,
        "graph TD\n    agent0[\"Clerk\"]\n    agent1[\"Helper\"]\n    agent0 --> agent1\n    tool0([\"add_one\"])\n    agent0 --> tool0\n\
         \x20   tool1([\"unit\"])\n    agent0 --> tool1\n    tool2([\"read\"])\n    agent0 --> tool2\n    tool3([\"old_read\"])\n    agent0 --> tool3\n"
    );
}

/// Pays.
#[tool(approval, effect = once)]
fn pay(cents: u32) -> u32 {
    cents
}

/// Asks for a key.
#[onionskin::ui::ui_tool(component = "KeyInput", mode = artifact)]
async fn key(cx: &onionskin::ToolContext) -> Result<String, onionskin::question::AskError> {
    cx.ui().use_ui_tool("key", "Cashier", json!({})).await
}

/// A bill.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
struct Bill {
    cents: u32,
}

agent! { Cashier { instruction: "Pay.", function_tools: [pay, key], output: Bill } }

#[tokio::test]
async fn c5_the_page_shows_approval_components_and_answers() {
    let app = App::builder().agent::<Cashier>().model(ScriptedModel::turns([])).build().await.unwrap();
    let page = app.describe().unwrap().to_markdown();
    for part in [
        "\n| answers | `Bill`: object with `cents` |\n",
        "\n### `pay`\n\nTool of the program. Its effect must not occur twice. A call can need approval.\n",
        "\n### `key`\n\nTool of the program. A call can ask a person. It shows `KeyInput` in a panel.\n",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
}

/// Looks at a page.
#[tool(
    hooks = [audit],
    input_guardrails = [onionskin::guardrails::MaskPii],
    output_guardrails = [onionskin::guardrails::RejectInjection],
    cache(ttl = "60s"),
    effect = pure
)]
async fn look(url: String) -> String {
    url
}

agent! {
    Reader {
        instruction: "Read.",
        function_tools: [look],
        tool_hooks: [outer],
        input_guardrails: [onionskin::guardrails::RejectPii],
        output_guardrails: [onionskin::guardrails::MaskPii],
    }
}

#[tokio::test]
async fn c5_the_page_shows_a_tools_own_hooks_guardrails_and_cache() {
    let app = App::builder().agent::<Reader>().model(ScriptedModel::turns([])).build().await.unwrap();
    let app = app.describe().unwrap();
    let look = &app.agents[0].tools[0];
    assert_eq!(look.hooks, ["outer", "audit"]);
    assert_eq!(look.input_guardrails, ["RejectPii", "MaskPii"]);
    assert_eq!(look.output_guardrails, ["RejectInjection", "MaskPii"]);
    let page = app.to_markdown();
    for part in [
        "Tool of the program. It changes nothing. Its results are cached.\n",
        "Its arguments pass `RejectPii`, `MaskPii`.\n",
        "Its results pass `RejectInjection`, `MaskPii`.\n",
        "```text\nouter\n└ audit\n  └ look\n```\n",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
}
