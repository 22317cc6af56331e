//! The hooks `cache_results` and `dedupe`.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use onionskin::hooks::{cache_results, dedupe};
use onionskin::{
    AgentHandle, Args, Effect, ErrorKind, Exit, Hook as _, RunOutput, ScriptedModel, ScriptedTurn, Session,
    ToolContext, ToolDefinition, ToolError, agent, testing, tool,
};
use serde_json::json;
use tokio::time::advance;

use crate::inner::{Tool, done, error_of, failed};

const SECOND: Duration = Duration::from_secs(1);

fn cache() -> cache_results {
    cache_results::new(2, 10 * SECOND)
}

/// A call of a pure tool, in a session of its own.
fn pure(name: &str) -> ToolContext {
    let mut definition = ToolDefinition::new(name, "Looks.");
    definition.effect = Effect::Pure;
    testing::context(name).definition(definition).build()
}

async fn cached(hook: &cache_results, tool: &Tool, cx: &ToolContext, args: &str) {
    hook.call(cx, &mut Args::from(args), tool).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn h9_an_equal_call_of_a_pure_tool_is_answered_from_the_cache_until_it_is_too_old() {
    let (hook, tool, cx) = (cache(), Tool::new(Duration::ZERO, done), pure("look"));
    for (args, begun) in [
        (r#"{"a": 1, "b": [1.5]}"#, 1),
        (r#"{ "b": [1.5], "a": 1 }"#, 1),
        (r#"{"a": 2}"#, 2),
        (r#"{"a": 123456789012345678901234567890}"#, 3),
        (r#"{"a": 123456789012345678901234567891}"#, 4),
    ] {
        cached(&hook, &tool, &cx, args).await;
        assert_eq!(tool.counts().0, begun, "{args}");
    }
    cached(&hook, &tool, &pure("list"), r#"{"a": 2}"#).await;
    assert_eq!(tool.counts().0, 5);
    advance(10 * SECOND).await;
    cached(&hook, &tool, &cx, r#"{"a": 123456789012345678901234567891}"#).await;
    assert_eq!(tool.counts().0, 6);
    assert!(format!("{hook:?}").contains("kept: 2"), "{hook:?}");
}

#[tokio::test(start_paused = true)]
async fn h9_errors_and_tools_that_may_act_are_not_cached() {
    let (hook, broken, tool) = (cache(), Tool::new(Duration::ZERO, failed), Tool::new(Duration::ZERO, done));
    let cx = pure("look");
    for _ in 0..2 {
        broken.call(&hook, &cx).await.unwrap_err();
    }
    assert_eq!(broken.counts().0, 2);
    for effect in [Effect::Idempotent, Effect::Once, Effect::Unstated] {
        let mut definition = ToolDefinition::new("act", "Acts.");
        definition.effect = effect;
        let cx = testing::context("act").definition(definition).build();
        for _ in 0..2 {
            tool.call(&hook, &cx).await.unwrap();
        }
    }
    assert_eq!(tool.counts().0, 6);
}

/// Says who asks.
#[tool(effect = pure)]
fn who(ctx: &ToolContext) -> String {
    CALLS.fetch_add(1, Ordering::Relaxed);
    ctx.run().user().unwrap_or("nobody").to_owned()
}

static CALLS: AtomicU32 = AtomicU32::new(0);

agent! {
    Clerk { instruction: "Say.", function_tools: [who], tool_hooks: [cache_results(100, Duration::from_secs(60))] }
}

async fn ask(clerk: &AgentHandle, user: &str, session: &Session) -> String {
    clerk.request("?").user(user).session(session).run().await.unwrap().text
}

#[tokio::test]
async fn h9_users_and_sessions_never_get_the_cached_results_of_others() {
    let model = ScriptedModel::turns([
        ScriptedTurn::call("who", json!({})),
        ScriptedTurn::say("{last}"),
        ScriptedTurn::call("who", json!({})),
        ScriptedTurn::say("{last}"),
    ]);
    let clerk = Clerk::builder().model(model).build().await.unwrap();
    let (one, other) = (clerk.session(), clerk.session());
    assert_eq!(
        (ask(&clerk, "ada", &one).await, ask(&clerk, "bob", &other).await),
        ("ada".into(), "bob".into())
    );
    // The same session, and another user.
    assert_eq!(ask(&clerk, "bob", &one).await, "bob");
    assert_eq!(CALLS.load(Ordering::Relaxed), 3);
    assert_eq!(ask(&clerk, "bob", &other).await, "bob");
    assert_eq!(CALLS.load(Ordering::Relaxed), 3);
    // A session that ended gives its results to no later one.
    for _ in 0..10 {
        let session = clerk.session();
        assert_eq!(ask(&clerk, "bob", &session).await, "bob");
    }
    assert_eq!(CALLS.load(Ordering::Relaxed), 13);
}

#[test]
fn h9_a_cache_that_keeps_nothing_panics() {
    for make in [|| cache_results::new(0, SECOND), || cache_results::new(1, Duration::ZERO)] {
        std::panic::catch_unwind(make).unwrap_err();
    }
}

static PAYMENTS: AtomicU32 = AtomicU32::new(0);

/// Pays.
#[tool(effect = once)]
async fn pay(cents: u32) -> String {
    tokio::time::sleep(SECOND).await;
    format!("payment {}", PAYMENTS.fetch_add(1, Ordering::Relaxed) + cents)
}

agent! { Payer { instruction: "Pay.", function_tools: [pay], tool_hooks: [dedupe for [pay]] } }

async fn payer() -> AgentHandle {
    let pay = |cents: u32| ScriptedTurn::call("pay", json!({ "cents": cents }));
    let model = ScriptedModel::turns([
        pay(0).and_call("pay", json!({ "cents": 0 })),
        pay(0).and_call("pay", json!({ "cents": 100 })),
        ScriptedTurn::say("Done."),
    ]);
    Payer::builder().model(model).build().await.unwrap()
}

fn results(output: &RunOutput) -> Vec<String> {
    output.tool_calls.iter().map(|call| call.to_text().into_owned()).collect()
}

#[tokio::test(start_paused = true)]
async fn h9_equal_calls_of_a_run_take_effect_once_also_at_the_same_time() {
    let payer = payer().await;
    let first = results(&payer.run("Go.").await.unwrap());
    assert_eq!(first, ["payment 0", "payment 0", "payment 0", "payment 101"]);
    // Another run is another matter.
    assert_eq!(results(&payer.run("Go.").await.unwrap())[0], "payment 2");
}

fn once() -> ToolContext {
    let mut definition = ToolDefinition::new("pay", "Pays.");
    definition.effect = Effect::Once;
    testing::context("pay").definition(definition).build()
}

#[tokio::test(start_paused = true)]
async fn h9_a_plain_error_lets_an_equal_call_run_and_one_in_doubt_does_not() {
    let (hook, cx) = (dedupe::new(), once());
    let (broken, works) = (Tool::new(Duration::ZERO, failed), Tool::new(Duration::ZERO, done));
    broken.call(&hook, &cx).await.unwrap_err();
    works.call(&hook, &cx).await.unwrap();
    assert_eq!(broken.call(&hook, &cx).await.unwrap().to_text(), "done");

    let hook = dedupe::new();
    let late = || Err(Exit::Tool(ToolError::new("late").with_kind(ErrorKind::Timeout)));
    for tool in [&Tool::new(Duration::ZERO, late), &works] {
        assert_eq!(error_of(tool.call(&hook, &cx).await), (ErrorKind::Timeout, "late".to_owned()));
    }
    assert_eq!(works.counts(), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn h9_a_dropped_call_leaves_equal_ones_in_doubt_and_a_dropped_waiter_does_not() {
    let (hook, cx, slow) = (dedupe::new(), once(), Tool::new(10 * SECOND, done));
    let waiter = async { tokio::time::timeout(SECOND, slow.call(&hook, &cx)).await.unwrap_err() };
    let (first, _) = tokio::join!(slow.call(&hook, &cx), waiter);
    assert_eq!((first.unwrap().to_text().as_ref(), slow.counts()), ("done", (1, 1)));

    let hook = dedupe::new();
    tokio::time::timeout(SECOND, slow.call(&hook, &cx)).await.unwrap_err();
    let (kind, text) = error_of(slow.call(&hook, &cx).await);
    assert_eq!((kind, slow.counts()), (ErrorKind::InDoubt, (2, 1)));
    assert_eq!(text, "an equal call of `pay` was cancelled, and whether it took effect is not known");
    // What cannot take effect runs again.
    let (hook, cx) = (dedupe::new(), pure("look"));
    tokio::time::timeout(SECOND, slow.call(&hook, &cx)).await.unwrap_err();
    slow.call(&hook, &cx).await.unwrap();
}
