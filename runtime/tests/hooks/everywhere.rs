//! Hooks that see the calls of their agent, and of all agents below it.

use std::sync::{Arc, Mutex};

use onionskin::declaration::{AgentDeclaration, CallFilter};
use onionskin::guardrails::MaskPii;
use onionskin::services::Provided;
use onionskin::{
    Agent, AgentTool, Args, Next, ScriptedModel, ScriptedTurn, State, ToolContext, ToolResult, agent, tool,
    tool_hook,
};
use serde_json::json;

#[derive(Default)]
struct Log(Mutex<Vec<String>>);

impl Log {
    fn push(&self, line: String) {
        self.0.lock().unwrap().push(line);
    }
}

/// Writes each call down.
#[tool_hook]
async fn audit(ctx: &ToolContext, log: Provided<Log>, args: &mut Args, next: impl Next) -> ToolResult {
    log.push(format!("> {} {}", ctx.agent_name(), ctx.tool_name()));
    let result = next.run(args).await;
    log.push(format!("< {}", ctx.tool_name()));
    result
}

/// As [`audit`], of one agent.
#[tool_hook]
fn audited(ctx: &ToolContext, log: Provided<Log>) {
    log.push(format!("audited {}", ctx.tool_name()));
}

/// Adds one.
#[tool]
fn add_one(x: i64) -> i64 {
    x + 1
}

agent! {
    Desk {
        instruction: "Ask the office.",
        agents: [Office],
        tool_hooks: [audit for [everywhere]],
    }
    /// In the middle.
    Office {
        instruction: "Ask the clerk.",
        description: "Asks.",
        agents: [Clerk],
        tool_hooks: [audited for [everywhere]],
    }
    Clerk {
        instruction: "Add.",
        description: "Adds.",
        function_tools: [add_one],
        tool_hooks: [audited],
    }
}

fn model() -> Arc<ScriptedModel> {
    let ask = |agent: &str| ScriptedTurn::call(format!("agent__{agent}"), json!({ "input": "1 + 1?" }));
    let model = ScriptedModel::new()
        .agent("Desk", [ask("Office"), ScriptedTurn::say("{last}")])
        .agent("Office", [ask("Clerk"), ScriptedTurn::say("{last}")])
        .agent(
            "Plain",
            [ScriptedTurn::call("ask", json!({ "input": "1 + 1?" })), ScriptedTurn::say("{last}")],
        )
        .agent("Clerk", [ScriptedTurn::call("add_one", json!({ "x": 1 })), ScriptedTurn::say("{last}")]);
    Arc::new(model)
}

/// What is written for the call of the tool, with the agents' hooks around it.
const ALL: [&str; 9] = [
    "> Desk agent__Office",
    "> Office agent__Clerk",
    "audited agent__Clerk",
    "> Clerk add_one",
    // That of the office, and that of the clerk.
    "audited add_one",
    "audited add_one",
    "< add_one",
    "< agent__Clerk",
    "< agent__Office",
];

#[tokio::test]
async fn h5_a_hook_everywhere_sees_the_calls_of_all_agents_below_its_own() {
    let log = Arc::new(Log::default());
    let desk = Desk::builder().model(model()).provide_shared(Arc::clone(&log)).build().await.unwrap();
    assert_eq!(desk.run("1 + 1?").await.unwrap().text, "2");
    assert_eq!(*log.0.lock().unwrap(), ALL);

    // The same agent under no other, or under another one, has the hooks of those above only.
    let log = Arc::new(Log::default());
    let clerk = Clerk::builder().model(model()).provide_shared(Arc::clone(&log)).build().await.unwrap();
    assert_eq!(clerk.run("1 + 1?").await.unwrap().text, "2");
    assert_eq!(*log.0.lock().unwrap(), ["audited add_one"]);
}

agent! {
    Plain { instruction: "Ask the office.", agents: [Office] }
}

#[tokio::test]
async fn h5_a_builder_adds_a_hook_everywhere_and_an_agent_that_a_tool_asks_is_below() {
    let log = Arc::new(Log::default());
    let clerk = Clerk::builder().model(model()).provide_shared(Arc::clone(&log)).build().await.unwrap();
    let plain = Plain::builder()
        .model(model())
        .provide_shared(Arc::clone(&log))
        .tool(AgentTool::new(&clerk).name("ask"))
        .hook_everywhere(audit::new())
        .build()
        .await
        .unwrap();
    assert_eq!(plain.run("1 + 1?").await.unwrap().text, "2");
    let log = log.0.lock().unwrap();
    assert_eq!(log[..2], ["> Plain ask", "> Clerk add_one"], "{log:?}");
}

struct ByHand;

impl Agent for ByHand {
    const NAME: &'static str = "ByHand";
    type State = u32;

    fn declare() -> AgentDeclaration {
        AgentDeclaration::new()
            .instruction("Ask.")
            .child::<Clerk>()
            .filtered_hook(counted::new(), CallFilter::everywhere())
            .output_guardrail(MaskPii::default(), Some(CallFilter::everywhere()))
    }
}

/// Takes the state of its agent.
#[tool_hook]
fn counted(count: State<u32>) {
    let _ = count;
}

#[tokio::test]
async fn h5_what_cannot_be_everywhere_is_not_built() {
    let built = ByHand::builder().model(model()).state(1_u32).provide(Log::default()).build().await;
    let text = built.map(|_| ()).unwrap_err().to_string();
    assert!(text.contains("has the filter `everywhere` and takes `State<u32>`"), "{text}");
    assert!(
        text.contains("the guardrail `MaskPii` of the agent `ByHand` has the filter `everywhere`"),
        "{text}"
    );
}
