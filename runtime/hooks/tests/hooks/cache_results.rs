//! The hook `cache_results`.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use onionskin::declaration::AgentBuilder;
use onionskin::hooks::cache_results;
use onionskin::{
    AgentHandle, Args, Effect, Hook as _, Provided, ScriptedModel, ScriptedTurn, Session, State, ToolContext,
    ToolDefinition, agent, testing, tool,
};
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::time::advance;

use crate::inner::{Tool, done, failed};

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
    assert!(format!("{hook:?}").contains("kept: 1"), "{hook:?}");
}

#[tokio::test(start_paused = true)]
async fn h9_arguments_are_equal_in_any_order_and_spelling_and_their_numbers_are_never_rounded() {
    let (hook, tool, cx) =
        (cache_results::new(20, 10 * SECOND), Tool::new(Duration::ZERO, done), pure("look"));
    for (args, begun) in [
        (r#"{"iban": "DE89370400440532013000", "to": "Ada"}"#, 1),
        (r#"{"to":"\u0041da","iban":"DE89370400440532013000"}"#, 1),
        (r#"{"a": [1234567890.1234567891]}"#, 2),
        (r#"{"a": [1234567890.1234567892]}"#, 3),
        (r#"{"a": 1e-400}"#, 4),
        (r#"{"a": 2e-400}"#, 5),
    ] {
        cached(&hook, &tool, &cx, args).await;
        assert_eq!(tool.counts().0, begun, "{args}");
    }
    // What is too old leaves with the next result.
    advance(10 * SECOND).await;
    cached(&hook, &tool, &cx, "{}").await;
    assert!(format!("{hook:?}").contains("kept: 1"), "{hook:?}");
}

#[tokio::test(start_paused = true)]
async fn h9_results_that_are_too_old_leave_memory_at_the_next_call() {
    let (hook, tool, cx) = (cache(), Tool::new(Duration::ZERO, done), pure("look"));
    cached(&hook, &tool, &cx, "{}").await;
    advance(10 * SECOND).await;
    Tool::new(Duration::ZERO, failed).call(&hook, &pure("list")).await.unwrap_err();
    assert!(format!("{hook:?}").contains("kept: 0"), "{hook:?}");
}

#[tokio::test]
async fn h9_the_bytes_of_cached_results_and_their_arguments_are_bounded_and_the_oldest_leave() {
    const MIB: usize = 1 << 20;
    let (hook, cx) = (cache_results::new(100, 600 * SECOND), pure("look"));
    let long = async |arg: &str, answer: &str, bytes: usize| {
        let output = || Ok(format!("{answer}{}", "a".repeat(bytes)).into());
        let mut args = Args::from(json!({ "arg": arg }).to_string());
        let output = hook.call(&cx, &mut args, testing::next(|_| output())).await.unwrap();
        output.to_text().chars().next().unwrap().to_string()
    };
    for arg in ["1", "2", "3", "4"] {
        assert_eq!(long(arg, "x", 16 * MIB - 1024).await, "x");
    }
    assert!(format!("{hook:?}").contains("kept: 4"), "{hook:?}");
    assert_eq!((long("5", "x", 1).await, long("1", "y", 1).await), ("x".into(), "x".into()));
    // The arguments count too.
    assert_eq!(long(&"5".repeat(8 * MIB), "x", 1).await, "x");
    assert_eq!((long("2", "y", 1).await, long("1", "y", 1).await), ("x".into(), "y".into()));
    // A result that has no place takes none from others.
    assert_eq!(long("6", "x", 64 * MIB).await, "x");
    assert_eq!((long("6", "y", 1).await, long("2", "y", 1).await), ("y".into(), "x".into()));
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

/// Where the user is.
#[derive(Clone, Serialize, Deserialize)]
struct Place {
    city: String,
}

/// Moves the user.
#[tool]
fn go_to(city: String, place: State<Place>, cx: &ToolContext) {
    cx.run().session_state().set("user.city", city.clone());
    place.update(|place| place.city = city);
}

/// Tells the weather of the typed state.
#[tool(effect = pure, state = Place)]
fn weather_here(#[bind(city)] city: String, looks: Provided<AtomicU32>) -> String {
    format!("{city} {}", looks.fetch_add(1, Ordering::Relaxed))
}

/// Tells the weather of a value of the session.
#[tool(effect = pure, blocking)]
fn weather_there(#[bind("user.city", default = "Ys")] city: String, looks: Provided<AtomicU32>) -> String {
    format!("{city} {}", looks.fetch_add(1, Ordering::Relaxed))
}

/// Tells the weather of a city.
#[tool(effect = pure)]
fn weather(city: String, looks: Provided<AtomicU32>) -> String {
    format!("{city} {}", looks.fetch_add(1, Ordering::Relaxed))
}

agent! {
    Guide {
        instruction: "Guide.",
        state: Place,
        function_tools: [go_to, weather_here, weather_there, weather],
        tool_hooks: [cache_results(10, Duration::from_secs(600)) for [weather_here, weather_there, weather]],
    }
}

fn guide(turns: &[(&str, serde_json::Value)]) -> AgentBuilder<Guide> {
    let turns = turns.iter().map(|(tool, args)| ScriptedTurn::call(*tool, args.clone()));
    Guide::builder()
        .model(ScriptedModel::turns(turns.chain([ScriptedTurn::say("Done.")])))
        .state(Place { city: "Ys".to_owned() })
        .provide(AtomicU32::default())
}

async fn weathers(guide: AgentBuilder<Guide>) -> Vec<String> {
    let output = guide.run("Go.").await.unwrap();
    let calls = output.tool_calls.iter().filter(|call| &*call.tool != "go_to");
    calls.map(|call| call.to_text().into_owned()).collect()
}

#[tokio::test]
async fn h9_a_result_is_not_given_to_a_call_that_would_read_other_states() {
    let go_to = |city: &str| ("go_to", json!({ "city": city }));
    for tool in ["weather_here", "weather_there"] {
        let look = || (tool, json!({}));
        let turns = [look(), look(), go_to("Rome"), look(), look()];
        assert_eq!(weathers(guide(&turns)).await, ["Ys 0", "Ys 0", "Rome 1", "Rome 1"], "{tool}");
    }
    // The result of a tool without states stays.
    let look = || ("weather", json!({ "city": "Oslo" }));
    assert_eq!(weathers(guide(&[look(), go_to("Rome"), look()])).await, ["Oslo 0", "Oslo 0"]);
}

#[tokio::test]
async fn h9_results_of_tool_values_with_bound_parameters_are_not_cached() {
    agent! { Open { instruction: "Guide." } }
    let mut tool = weather::spec();
    tool.bind("city", None, None).unwrap();
    tool.state().set("city", "Ys");
    let state = tool.state().clone();
    let turns = [ScriptedTurn::call("weather", json!({})), ScriptedTurn::say("{last}")];
    let open = Open::builder()
        .model(ScriptedModel::turns(turns.clone().into_iter().chain(turns)))
        .tool(tool)
        .provide(AtomicU32::default())
        .hook(cache())
        .build()
        .await
        .unwrap();
    let session = open.session();
    let mut shown = Vec::new();
    for city in ["Ys", "Rome"] {
        state.set("city", city);
        shown.push(open.request("Go.").session(&session).run().await.unwrap().text);
    }
    assert_eq!(shown, ["Ys 0", "Rome 1"]);
}
