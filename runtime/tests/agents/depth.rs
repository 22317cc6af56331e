//! A7: agents that call each other come to an end before the stack does.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

use onionskin::declaration::Limits;
use onionskin::{
    AgentHandle, AgentTool, Args, BuildError, Next, RunError, ScriptedModel, ScriptedTurn, State,
    ToolContext, ToolOutput, ToolResult, agent, tool, tool_hook,
};
use serde_json::json;

/// How often agents were asked, and whom the tools ask.
#[derive(Clone, Default)]
struct Mirror {
    asked: Arc<AtomicU32>,
    handle: Arc<OnceLock<AgentHandle>>,
}

impl Mirror {
    async fn ask(&self) -> Result<String, RunError> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        Ok(self.handle.get().unwrap().run("go").await?.text)
    }
}

/// Asks its own agent.
#[tool]
async fn again(mirror: State<Mirror>) -> Result<String, RunError> {
    mirror.latest().ask().await
}

/// Asks its own agent from a thread.
#[tool(blocking)]
fn on_a_thread(mirror: State<Mirror>) -> Result<String, RunError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(mirror.latest().ask())
}

/// Is answered by the hook.
#[tool]
fn hooked() -> String {
    "never".to_owned()
}

#[tool_hook]
async fn asks_again(
    mirror: State<Mirror>,
    ctx: &ToolContext,
    args: &mut Args,
    next: impl Next,
) -> ToolResult {
    if ctx.tool_name() != "hooked" {
        return next.run(args).await;
    }
    Ok(ToolOutput::text(mirror.latest().ask().await?))
}

agent! {
    Echo {
        name: "echo", state: Mirror, instruction: "Go.", function_tools: [again, on_a_thread, hooked],
        tool_hooks: [asks_again],
    }
    Shallow { name: "shallow", state: Mirror, instruction: "Go.", function_tools: [again], limits: { depth: 3 } }
}

fn calls(tool: &str) -> ScriptedModel {
    ScriptedModel::turns([ScriptedTurn::call(tool, json!({})), ScriptedTurn::say("{last}")])
}

fn chain(names: usize) -> String {
    vec!["echo"; names].join(" > ")
}

/// A thread has 2 MiB. An eighth of it is for programs whose own frames are larger.
const STACK: usize = 7 << 18;

#[test]
fn a7_tools_and_hooks_that_ask_their_own_agent_end_at_a_depth() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let ask = || runtime.block_on(ask_their_own_agent());
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, ask).unwrap();
        thread.join().unwrap();
    });
}

async fn ask_their_own_agent() {
    for tool in ["again", "on_a_thread", "hooked"] {
        let mirror = Mirror::default();
        let handle = Echo::builder().model(calls(tool)).state(mirror.clone()).build().await.unwrap();
        mirror.handle.set(handle.clone()).unwrap();
        let text = handle.run("go").await.unwrap().text;
        assert!(text.contains("the agent `echo` was not run"), "{tool}: {text}");
        assert!(text.contains(&chain(17)) && !text.contains(&chain(18)), "{tool}: {text}");
        assert_eq!(mirror.asked.load(Ordering::SeqCst), 16, "{tool}");
        // Side by side is not inside each other.
        assert!(handle.run("go").await.is_ok());
    }
}

#[tokio::test]
async fn a7_the_depth_is_a_limit_of_the_agent() {
    let mirror = Mirror::default();
    let shallow = Shallow::builder().model(calls("again")).state(mirror.clone()).build().await.unwrap();
    mirror.handle.set(shallow.clone()).unwrap();
    let text = shallow.run("go").await.unwrap().text;
    assert!(
        text.ends_with("nested 3 deep (`limits: { depth: .. }`): shallow > shallow > shallow > shallow"),
        "{text}"
    );

    let mut limits = Limits::default();
    limits.depth = 0;
    let error = Echo::builder().model(calls("again")).state(mirror).limits(limits).build().await.unwrap_err();
    assert!(
        matches!(error, BuildError::ZeroSetting { .. }) && error.to_string().contains("limits.depth"),
        "{error}"
    );
}

#[tokio::test]
async fn a7_the_depth_of_a_request_holds_for_the_agents_below() {
    agent! {
        Top { name: "top", instruction: "Ask.", agents: [Middle] }
        Middle { name: "middle", description: "Asks.", instruction: "Ask.", agents: [Low] }
        Low { name: "low", description: "Answers.", instruction: "Answer." }
    }
    let asks = |child: &str| {
        [ScriptedTurn::call(format!("agent__{child}"), json!({ "input": "go" })), ScriptedTurn::say("{last}")]
    };
    let model = ScriptedModel::new()
        .agent("top", asks("middle"))
        .agent("middle", asks("low"))
        .agent("low", [ScriptedTurn::say("done")]);
    let top = Top::builder().model(model).build().await.unwrap();
    for (depth, answer) in [(3, "done"), (2, "nested 2 deep (`limits: { depth: .. }`): top > middle > low")] {
        let mut limits = Limits::default();
        limits.depth = depth;
        let text = top.request("go").limits(limits).run().await.unwrap().text;
        assert!(text.ends_with(answer), "{text}");
    }
}

/// An agent that is a tool, around one whose tool asks by a handle: one chain.
#[tokio::test]
async fn a7_a_chain_shows_agents_whoever_called_them() {
    agent! { Boss { name: "boss", instruction: "Ask." } }
    let mirror = Mirror::default();
    let shallow = Shallow::builder().model(calls("again")).state(mirror.clone()).build().await.unwrap();
    mirror.handle.set(shallow.clone()).unwrap();
    let model = ScriptedModel::turns([
        ScriptedTurn::call("ask", json!({ "input": "go" })),
        ScriptedTurn::say("{last}"),
    ]);
    let boss = Boss::builder().model(model).tool(AgentTool::new(&shallow).name("ask"));
    let text = boss.run("go").await.unwrap().text;
    assert!(text.ends_with("boss > shallow > shallow > shallow"), "{text}");
}
