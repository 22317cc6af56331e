//! Panics of hooks, wherever they stand, and what hooks see of a tool's.
#![allow(missing_docs, clippy::unwrap_used, reason = "tests say what they expect, and their tools are small")]

use onionskin::{
    Agent, AgentBuilder, Args, ArgsOf, ErrorKind, Exit, Next, RunError, Script, ScriptedTurn, ToolResult,
    TypedNext, agent, hooks, tool, tool_hook,
};
use serde_json::json;

/// Panics at 13.
#[tool]
fn unlucky(x: i64) -> i64 {
    assert_ne!(x, 13, "thirteen");
    x
}

/// Has a hook that panics.
#[tool(hooks = [passes, panics, passes])]
fn guarded(x: i64) -> i64 {
    x
}

/// Has a hook that looks.
#[tool(hooks = [answers])]
fn watched(x: i64) -> i64 {
    assert_ne!(x, 13, "thirteen");
    x
}

#[tool_hook]
async fn passes(args: &mut Args, next: impl Next) -> ToolResult {
    next.run(args).await
}

#[tool_hook]
async fn panics(args: &mut Args, next: impl Next) -> ToolResult {
    assert!(args["x"] != 7, "seven");
    next.run(args).await
}

#[tool_hook]
async fn answers(args: &mut Args, next: impl Next) -> ToolResult {
    match next.run(args).await {
        Err(Exit::Tool(error)) if error.kind() == ErrorKind::Panic => Ok(format!("saw: {error}").into()),
        other => other,
    }
}

#[tool_hook(tool = unlucky)]
async fn typed_panics(args: ArgsOf<unlucky>, next: impl TypedNext<unlucky>) -> ToolResult<i64> {
    assert_ne!(args.x, 7, "seven");
    next.run(args).await
}

#[tool_hook(tool = unlucky)]
async fn typed_answers(args: ArgsOf<unlucky>, next: impl TypedNext<unlucky>) -> ToolResult<i64> {
    match next.run(args).await {
        Err(Exit::Tool(error)) if error.kind() == ErrorKind::Panic => Ok(-1),
        other => other,
    }
}

agent! {
    Raw { instruction: "Go.", function_tools: [unlucky], tool_hooks: [hooks::retry(3), passes, panics] }
    Typed { instruction: "Go.", function_tools: [unlucky], tool_hooks: [hooks::retry(3), typed_answers, typed_panics] }
    TypedOutside { instruction: "Go.", function_tools: [unlucky], tool_hooks: [typed_panics, typed_answers] }
    Own { instruction: "Go.", function_tools: [guarded, watched], tool_hooks: [hooks::retry(3), answers] }
}

/// What came of one call, and of the run.
async fn call<A: Agent>(tool: &str, x: i64) -> Result<String, RunError> {
    let turns = [ScriptedTurn::call(tool, json!({ "x": x })), ScriptedTurn::say("{last}")];
    Ok(AgentBuilder::<A>::default().model(Script::turns(turns)).run("go").await?.text)
}

#[tokio::test]
async fn g_a_hook_that_panics_aborts_the_run_wherever_it_stands() {
    for aborted in [
        call::<Raw>("unlucky", 7).await,
        call::<Typed>("unlucky", 7).await,
        call::<TypedOutside>("unlucky", 7).await,
        call::<Own>("guarded", 7).await,
    ] {
        let error = aborted.unwrap_err();
        assert!(matches!(error, RunError::Aborted(_)), "{error}");
        assert!(error.to_string().contains("a hook around `"), "{error}");
        assert!(error.to_string().contains("panicked: ") && error.to_string().contains("seven"), "{error}");
    }
    assert_eq!(call::<Typed>("unlucky", 8).await.unwrap(), "8");
    assert_eq!(call::<Own>("guarded", 8).await.unwrap(), "8");
}

#[tokio::test]
async fn t11_hooks_of_every_kind_see_the_panic_of_a_tool_as_a_tool_error() {
    assert_eq!(call::<Typed>("unlucky", 13).await.unwrap(), "-1");
    assert_eq!(call::<TypedOutside>("unlucky", 13).await.unwrap(), "-1");
    let own = call::<Own>("watched", 13).await.unwrap();
    assert!(own.starts_with("saw: `watched` panicked: ") && own.contains("thirteen"), "{own}");
    let raw = call::<Raw>("unlucky", 13).await.unwrap();
    assert!(raw.starts_with("`unlucky` panicked: "), "{raw}");
}
