//! `agent!`: what it declares, and how its onion is put together.

use onionskin::run::ToolCaller;
use onionskin::{Args, Next, ToolResult, agent, tool_hook};

#[tool_hook]
async fn audit(args: &mut Args, next: impl Next) -> ToolResult {
    let mut result = next.run(args).await?;
    result.push_text("[audit]");
    Ok(result)
}

#[tool_hook]
async fn again(#[config] times: u32, args: &mut Args, next: impl Next) -> ToolResult {
    for _ in 1..times {
        let _ = next.run(args).await;
    }
    next.run(args).await
}

agent! {
    /// Adds.
    pub Adder {
        name: "adder",
        description: "Adds.",
        instruction: "Add.",
        tool_hooks: [audit, again(3), ..],
        max_parallel: 3,
        request_params: { temperature: 0.5 },
        limits: { turns: 3, time_sec: 2.5 },
    }
    Boss { instruction: "Boss.", agents: [Adder], default: true, tool_hooks: [audit for [Adder]] }
}

#[tokio::test]
async fn a1_a_parent_calls_its_child() {
    use onionskin::{ScriptedModel, ScriptedTurn};
    let script = ScriptedModel::new()
        .agent(
            "Boss",
            [
                ScriptedTurn::call("agent__adder", serde_json::json!({"input": "1 + 1"})),
                ScriptedTurn::say("It is {last}."),
            ],
        )
        .agent("adder", [ScriptedTurn::say("2")]);
    let output = Boss::builder().model(script).run("1 + 1?").await.unwrap();
    assert_eq!(output.text, "It is 2[audit].");
    let _ = ToolCaller::<Adder>::new();
}
