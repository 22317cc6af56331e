//! H6: an abort cannot be swallowed, whatever way it takes outwards, and nothing runs after it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use onionskin::run::ToolCaller;
use onionskin::typed::{ArgsOf, OutputOf, TypedNext};
use onionskin::{
    Args, Exit, Next, RunError, ScriptedModel, ScriptedTurn, State, ToolContext, ToolResult, agent, tool,
    tool_hook,
};
use serde_json::json;

#[derive(Clone, Default)]
struct Runs(Arc<AtomicU32>);

/// Aborts the run.
#[tool]
fn aborts(runs: State<Runs>) -> ToolResult<String> {
    runs.0.fetch_add(1, Ordering::SeqCst);
    Err(Exit::abort("the house is on fire"))
}

#[tool_hook(tool = aborts)]
async fn swallows_typed(args: ArgsOf<aborts>, next: impl TypedNext<aborts>) -> ToolResult<OutputOf<aborts>> {
    Ok(next.run(args).await.unwrap_or_else(|_| Ok("all is well".to_owned())))
}

#[tool_hook(tool = aborts)]
async fn aborts_typed(
    _args: ArgsOf<aborts>,
    runs: State<Runs>,
    _next: impl TypedNext<aborts>,
) -> ToolResult<OutputOf<aborts>> {
    runs.0.fetch_add(1, Ordering::SeqCst);
    Err(Exit::abort("the house is on fire"))
}

#[tool_hook]
async fn swallows_original(ctx: &ToolContext, args: &mut Args, _next: impl Next) -> ToolResult {
    Ok(ctx.call_original(args).await.unwrap_or_else(|_| "all is well".into()))
}

#[tool_hook]
async fn swallows_forked(args: &mut Args, next: impl Next) -> ToolResult {
    Ok(next.fork(args.clone()).await.unwrap_or_else(|_| "all is well".into()))
}

#[tool_hook]
async fn tries_again_at_once(args: &mut Args, next: impl Next) -> ToolResult {
    for _ in 0..3 {
        if let Ok(output) = next.run(args).await {
            return Ok(output);
        }
    }
    Ok("all is well".into())
}

agent! {
    Typed {
        instruction: "Fail.",
        state: Runs,
        function_tools: [aborts],
        tool_hooks: [swallows_typed, aborts_typed],
    }
}
agent! { Original { instruction: "Fail.", state: Runs, function_tools: [aborts], tool_hooks: [swallows_original] } }
agent! { Forked { instruction: "Fail.", state: Runs, function_tools: [aborts], tool_hooks: [swallows_forked] } }
agent! { Again { instruction: "Fail.", state: Runs, function_tools: [aborts], tool_hooks: [tries_again_at_once] } }

macro_rules! ends_aborted {
    ($agent:ty) => {{
        let runs = Runs::default();
        let model = ScriptedModel::turns([ScriptedTurn::call("aborts", json!({})), ScriptedTurn::say("done")]);
        let end = <$agent>::builder().state(runs.clone()).model(model).run("go").await;
        assert!(matches!(&end, Err(RunError::Aborted(abort)) if abort.reason() == "the house is on fire"), "{end:?}");
        assert_eq!(runs.0.load(Ordering::SeqCst), 1, "nothing runs after an abort");

        let runs = Runs::default();
        let tools = ToolCaller::<$agent>::with_state(runs.clone());
        let cx = tools.context("aborts").unwrap();
        let end = tools.call(&cx, &mut Args::default()).await;
        assert!(matches!(&end, Err(exit) if exit.is_abort()), "{end:?}");
        assert_eq!(runs.0.load(Ordering::SeqCst), 1, "nothing runs after an abort");
    }};
}

#[tokio::test]
async fn h6_a_typed_hook_cannot_swallow_an_abort() {
    ends_aborted!(Typed);
}

#[tokio::test]
async fn h6_an_abort_past_the_hooks_cannot_be_swallowed() {
    ends_aborted!(Original);
}

#[tokio::test]
async fn h6_a_forked_run_cannot_swallow_an_abort() {
    ends_aborted!(Forked);
}

#[tokio::test]
async fn h6_a_tool_does_not_run_again_after_an_abort() {
    ends_aborted!(Again);
}

/// Aborts by what it returns.
#[tool]
async fn returns_abort() -> ToolResult<i64> {
    Err(Exit::abort("returned"))
}

#[tool_hook(tool = returns_abort)]
async fn swallows_what_is_returned(
    args: onionskin::typed::ArgsOf<returns_abort>,
    next: impl onionskin::typed::TypedNext<returns_abort>,
) -> ToolResult<ToolResult<i64>> {
    let _ = next.run(args).await;
    Ok(Ok(1))
}

agent! {
    ReturnsAbort {
        instruction: "Abort.",
        function_tools: [returns_abort],
        tool_hooks: [swallows_what_is_returned],
    }
}

#[tokio::test]
async fn h6_an_abort_that_a_function_returns_cannot_be_swallowed_by_a_typed_hook() {
    let model =
        ScriptedModel::turns([ScriptedTurn::call("returns_abort", json!({})), ScriptedTurn::say("fine")]);
    let error = ReturnsAbort::builder().model(model).run("go").await.unwrap_err();
    assert!(matches!(&error, RunError::Aborted(abort) if abort.reason() == "returned"), "{error}");
}

/// Has an effect, at once.
#[tool]
fn effect(runs: State<Runs>) -> u32 {
    runs.0.fetch_add(1, Ordering::SeqCst)
}

/// Has an effect, and goes on.
#[tool]
async fn goes_on(runs: State<Runs>) -> u32 {
    runs.0.fetch_add(1, Ordering::SeqCst);
    std::future::pending().await
}

agent! {
    Wide { instruction: "Go.", state: Runs, function_tools: [aborts, effect, goes_on] }
    Narrow { instruction: "Go.", state: Runs, function_tools: [aborts, effect, goes_on], max_parallel: 1 }
}

fn tool_results(session: &onionskin::Session) -> Vec<String> {
    let Some(onionskin::model::Message::Tool { results, .. }) = session.history().pop() else {
        panic!("results")
    };
    results.iter().map(|result| result.content[0].as_text().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn h6_of_an_abort_each_sibling_has_a_result_that_says_how_it_ended() {
    let turn = ScriptedTurn::call("effect", json!({}))
        .and_call("goes_on", json!({}))
        .and_call("aborts", json!({}))
        .and_call("effect", json!({}));
    let abort = "the run was aborted: the house is on fire";
    let (runs, model) = (Runs::default(), ScriptedModel::turns([turn]));
    let handle = Wide::builder().model(model).state(runs.clone()).build().await.unwrap();
    let session = handle.session();
    handle.request("go").session(&session).run().await.unwrap_err();
    let not_run = format!("cancelled before it began: it did not run; {abort}");
    assert_eq!(
        tool_results(&session),
        [
            "0",
            &format!("cancelled before it finished; whether it took effect is not known; {abort}"),
            abort,
            &not_run
        ],
    );
    assert_eq!(runs.0.load(Ordering::SeqCst), 3);

    let turn = ScriptedTurn::call("aborts", json!({})).and_call("effect", json!({}));
    let (runs, model) = (Runs::default(), ScriptedModel::turns([turn]));
    let handle = Narrow::builder().model(model).state(runs.clone()).build().await.unwrap();
    let session = handle.session();
    let mut stream = handle.request("go").session(&session).stream();
    let mut begun = Vec::new();
    while let Some(event) = stream.next().await {
        if let onionskin::event::EventKind::ToolStarted { tool, .. } = event.kind {
            begun.push(tool.to_string());
        }
    }
    assert_eq!(tool_results(&session), [abort, &not_run]);
    assert_eq!(begun, ["aborts"], "no event of a call that did not begin");
    assert_eq!(runs.0.load(Ordering::SeqCst), 1);
}
