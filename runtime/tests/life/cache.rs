//! `cache`: what is kept, for whom, and what is not.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::LazyLock;
use std::time::Duration;

use onionskin::{
    AgentHandle, AgentTool, Args, Cache, Effect, Next, ScriptedModel, ScriptedTurn, Session, State,
    ToolOutput, ToolResult, ToolSpec, agent, call, guardrail, tool, tool_hook,
};
use serde_json::json;

use crate::support::Log;

fn parity(args: &Args) -> &'static str {
    if args["x"].as_i64().unwrap_or(0) % 2 == 0 { "even" } else { "odd" }
}

/// Adds one, seldom.
#[tool(cache(ttl = "60s"))]
fn add_one(x: i64, log: State<Log>) -> Result<i64, String> {
    log.push(format!("ran {x}"));
    if x < 0 { Err("negative".to_owned()) } else { Ok(x + 1) }
}

/// Says whether it is even.
#[tool(cache(key = parity, capacity = 1))]
fn is_even(x: i64, log: State<Log>) -> bool {
    log.push(format!("ran {x}"));
    x % 2 == 0
}

#[tool_hook]
async fn twice(args: &mut Args, next: impl Next) -> ToolResult {
    next.run(args).await?;
    next.run(args).await
}

#[tool_hook]
fn instead(args: &Args) -> Option<ToolOutput> {
    (args["x"] == 7).then(|| ToolOutput::text("from a hook"))
}

#[tool_hook]
async fn record(log: State<Log>, args: &mut Args, next: impl Next) -> ToolResult {
    log.push("hook");
    next.run(args).await
}

/// Is tried twice by a hook of its own.
#[tool(hooks = [twice, record], cache)]
fn own_twice(x: i64, log: State<Log>) -> i64 {
    log.push(format!("ran {x}"));
    x
}

agent! {
    Clerk {
        instruction: "Count.",
        state: Log,
        function_tools: [add_one, is_even, own_twice],
        tool_hooks: [record, instead],
    }
    Twice {
        instruction: "Count.",
        state: Log,
        function_tools: [add_one],
        tool_hooks: [twice],
    }
}

async fn clerk(log: &Log, tool: &str, x: i64) -> AgentHandle {
    let script =
        ScriptedModel::turns([ScriptedTurn::call(tool, json!({ "x": x })), ScriptedTurn::say("{last}")]);
    Clerk::builder().model(script).state(log.clone()).build().await.unwrap()
}

/// Runs in a session without its history. A session of its own would hold its own log.
async fn run_again(clerk: &AgentHandle, session: &Session, user: &'static str) -> String {
    session.set_history(Vec::new()).unwrap();
    clerk.request("go").session(session).user(user).run().await.unwrap().text
}

#[tokio::test]
async fn t4_cache_answers_the_same_call_of_the_same_user_in_the_same_session() {
    let log = Log::default();
    let clerk = clerk(&log, "add_one", 1).await;
    let session = clerk.session();
    let run = async |session: &Session, user| run_again(&clerk, session, user).await;
    assert_eq!(run(&session, "ada").await, "2");
    assert_eq!(log.take(), ["hook", "ran 1"]);
    assert_eq!(run(&session, "ada").await, "2");
    assert_eq!(log.take(), ["hook"], "hooks run also where the cache answers");
    assert_eq!(run(&session, "bob").await, "2");
    assert_eq!(log.take(), ["hook", "ran 1"]);
    assert_eq!(run(&clerk.session(), "ada").await, "2");
    assert_eq!(log.take(), ["hook", "ran 1"]);
}

/// Runs one call in a session that goes on.
async fn count(log: &Log, tool: &str, calls: &[i64]) -> Vec<String> {
    let calls = calls.iter().map(|x| ScriptedTurn::call(tool, json!({ "x": x })));
    let turns = calls.chain([ScriptedTurn::say("done")]);
    let clerk = Clerk::builder().model(ScriptedModel::turns(turns)).state(log.clone()).build().await.unwrap();
    clerk.run("go").await.unwrap();
    log.take().into_iter().filter(|line| line.starts_with("ran")).collect()
}

#[tokio::test]
async fn t4_cache_keeps_no_errors_and_nothing_of_hooks() {
    let log = Log::default();
    assert_eq!(count(&log, "add_one", &[-1, -1]).await, ["ran -1", "ran -1"]);
    assert_eq!(count(&log, "add_one", &[3, 3, 4, 3]).await, ["ran 3", "ran 4"]);
    // What the hook answers is not the tool's.
    assert_eq!(count(&log, "add_one", &[7, 7]).await, Vec::<String>::new());
}

#[tokio::test]
async fn t4_cache_keeps_nothing_that_was_tried_again() {
    let log = Log::default();
    assert_eq!(count(&log, "own_twice", &[1, 1]).await, ["ran 1", "ran 1", "ran 1", "ran 1"]);
    let turns = [1, 1].map(|x| ScriptedTurn::call("add_one", json!({ "x": x })));
    let script = ScriptedModel::turns(turns.into_iter().chain([ScriptedTurn::say("done")]));
    Twice::builder().model(script).state(log.clone()).run("go").await.unwrap();
    assert_eq!(log.take(), ["ran 1"; 4]);
}

#[tokio::test]
async fn t4_cache_by_a_key_still_separates_users_and_sessions() {
    let log = Log::default();
    let clerk = clerk(&log, "is_even", 4).await;
    let session = clerk.session();
    let ran = async |session: &Session, user| {
        run_again(&clerk, session, user).await;
        log.take().iter().filter(|line| line.starts_with("ran")).count()
    };
    assert_eq!((ran(&session, "ada").await, ran(&session, "ada").await), (1, 0));
    assert_eq!((ran(&session, "bob").await, ran(&clerk.session(), "ada").await), (1, 1));
}

#[tokio::test]
async fn t4_cache_by_a_key_and_bounded() {
    let log = Log::default();
    // One result is kept at most.
    assert_eq!(count(&log, "is_even", &[2, 4, 3, 5, 6]).await, ["ran 2", "ran 3", "ran 6"]);
}

#[tokio::test]
async fn t4_cache_has_a_bounded_number_of_bytes_and_drops_the_oldest_results() {
    let log = Log::default();
    let counter = log.clone();
    let mut spec = ToolSpec::from_fn("fill", "Fills.", move |args: X, _| {
        counter.push(format!("ran {}", args.x));
        async { Ok("a".repeat(20 << 20)) }
    });
    spec.cache(Cache::new());
    for x in [1, 2, 3, 1, 4, 2, 1] {
        spec.call(json!({ "x": x })).await.unwrap();
    }
    assert_eq!(log.take(), ["ran 1", "ran 2", "ran 3", "ran 4", "ran 1"]);
}

#[tokio::test(start_paused = true)]
async fn t4_cache_forgets_after_its_time() {
    let log = Log::default();
    let counter = log.clone();
    let mut spec = ToolSpec::from_fn("tick", "Ticks.", move |args: X, _| {
        counter.push(format!("ran {}", args.x));
        async { Ok(1) }
    });
    spec.cache(Cache::new().ttl(Duration::from_mins(1)));
    assert_eq!(call!(spec, x = 1).await.unwrap(), 1);
    tokio::time::advance(Duration::from_secs(59)).await;
    assert_eq!(call!(spec, x = 1).await.unwrap(), 1);
    assert_eq!(log.take(), ["ran 1"]);
    tokio::time::advance(Duration::from_secs(2)).await;
    assert_eq!(call!(spec, x = 1).await.unwrap(), 1);
    assert_eq!(log.take(), ["ran 1"]);
    // A clone begins with nothing.
    assert_eq!(call!(spec.clone(), x = 1).await.unwrap(), 1);
    assert_eq!(log.take(), ["ran 1"]);
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct X {
    x: i64,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Pair {
    a: serde_json::Value,
    b: serde_json::Value,
}

#[tokio::test]
async fn t4_cache_compares_arguments_by_their_values() {
    let log = Log::default();
    let counter = log.clone();
    let mut spec = ToolSpec::from_fn("pair", "Takes two.", move |pair: Pair, _| {
        counter.push(format!("{} {}", pair.a, pair.b));
        async { Ok(1) }
    });
    spec.cache(Cache::new());
    let runs = async |args: &str| {
        spec.call(args.to_owned()).await.unwrap();
        log.take().len()
    };
    assert_eq!(runs(r#"{"a": {"x": 1, "y": [2]}, "b": "1"}"#).await, 1);
    assert_eq!(runs(r#"{"b": "1",   "a": {"y": [2], "x": 1}}"#).await, 0, "the order means nothing");
    assert_eq!(runs(r#"{"b": 1, "a": {"y": [2], "x": 1}}"#).await, 1);
    // Numbers that read the same may not be the same.
    assert_eq!(runs(r#"{"b": 0, "a": 100000000000000000000000001}"#).await, 1);
    assert_eq!(runs(r#"{"b": 0, "a": 100000000000000000000000001}"#).await, 1);
    // What a state fills belongs to the call.
    spec.bind("b", None, json!(5)).unwrap();
    let bound = async |b: i64| {
        spec.state().set("b", b);
        spec.call(json!({ "a": 1 })).await.unwrap();
        log.take()
    };
    assert_eq!(
        (bound(5).await, bound(5).await.len(), bound(6).await),
        (vec!["1 5".into()], 0, vec!["1 6".into()])
    );
}

#[guardrail(output)]
fn masked(log: State<Log>, output: &mut ToolOutput) {
    log.push("masked");
    output.push_text("*");
}

/// Is kept as it left.
#[tool(cache, output_guardrails = [masked])]
fn guarded(log: State<Log>) -> String {
    log.push("ran");
    "x".to_owned()
}

#[tokio::test]
async fn l1_the_cache_is_outside_of_guardrails() {
    let (cx, log) = crate::support::context("guarded");
    let tool = guarded::default();
    let text = async |cx| {
        let output = onionskin::DynTool::run_dyn(&tool, cx, &mut Args::default()).await;
        output.unwrap().to_text().into_owned()
    };
    assert_eq!(text(&cx).await, "x*");
    // The same call again is another try; another call is answered.
    let other = onionskin::testing::context("guarded").state(log.clone()).build();
    assert_eq!(text(&other).await, "x*");
    assert_eq!(log.take(), ["ran", "masked"]);
}

#[expect(clippy::unnecessary_wraps, reason = "the form of an `on_error`")]
fn explain(cx: &onionskin::ToolContext, error: onionskin::ToolError) -> ToolResult {
    Ok(ToolOutput::text(format!("{} is {error}", cx.tool_name())))
}

/// Is down at first.
#[tool(cache, on_error = explain)]
fn service(log: State<Log>) -> Result<String, String> {
    if log.take().is_empty() { Err("down".to_owned()) } else { Ok("up".to_owned()) }
}

#[guardrail(output)]
fn soften(result: &mut ToolResult) {
    if result.is_err() {
        *result = Ok(ToolOutput::text("soft"));
    }
}

#[tokio::test]
async fn t4_cache_keeps_nothing_that_answered_for_an_error() {
    let log = Log::default();
    let declared = service::spec().with_state(log.clone());
    assert_eq!(call!(declared).await.unwrap(), "service is down");
    log.push("up");
    assert_eq!(call!(declared).await.unwrap(), "up");
    assert_eq!(call!(declared).await.unwrap(), "up");

    let failing = |log: &Log| {
        let log = log.clone();
        let mut spec = ToolSpec::from_fn("fail", "Fails.", move |(): (), _| {
            log.push("ran");
            async { Err::<u8, _>("down".into()) }
        });
        spec.cache(Cache::new());
        spec
    };
    let mut added = failing(&log);
    added.add_on_error_func(|error, _| async move { Ok(ToolOutput::text(error.to_string())) });
    let mut softened = failing(&log);
    softened.add_output_guardrails(soften::new());
    for (spec, text) in [(added, "down"), (softened, "soft")] {
        assert_eq!(call!(spec).await.unwrap(), text);
        assert_eq!(call!(spec).await.unwrap(), text);
        assert_eq!(log.take(), ["ran", "ran"]);
    }
}

/// Gives another value to what is bound, once.
#[derive(Clone)]
struct Moves(onionskin::SessionState);

impl onionskin::guardrails::InputGuardrail for Moves {
    type Made = onionskin::made::AtRunTime;

    async fn check(&self, _: &onionskin::ToolContext, args: &mut Args) -> ToolResult<()> {
        if args["a"] == 2 {
            self.0.set("b", 6);
        }
        Ok(())
    }
}

#[tokio::test]
async fn t4_cache_keeps_nothing_under_arguments_that_did_not_run() {
    let mut spec =
        ToolSpec::from_fn("pair", "Takes two.", |pair: Pair, _| async move { Ok(pair.b.to_string()) });
    spec.bind("b", None, json!(5)).unwrap();
    spec.add_input_guardrails(Moves(spec.state().clone())).cache(Cache::new());
    let run = async |b: i64| {
        spec.state().set("b", b);
        call!(spec, a = 2).await.unwrap()
    };
    assert_eq!(run(5).await, "6");
    assert_eq!(run(6).await, "6");
    // Nothing is cached under 5: the guardrail and the tool run again, and change the state again.
    assert_eq!(run(5).await, "6");
    assert_eq!(spec.state().get("b"), Some(json!(6)));
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Again {
    x: i64,
    #[serde(default)]
    again: bool,
}

#[tool_hook]
async fn repeat_on_request(args: &mut Args, next: impl Next) -> ToolResult {
    let output = next.run(args).await?;
    if args["again"] == true { next.run(args).await } else { Ok(output) }
}

#[tokio::test]
async fn t4_cache_forgets_what_a_hook_was_not_content_with_and_nothing_else() {
    let log = Log::default();
    let counter = log.clone();
    let mut spec = ToolSpec::from_fn("tick", "Ticks.", move |args: Again, _| {
        counter.push(format!("ran {} {}", args.x, args.again));
        async { Ok(1) }
    })
    .hook(repeat_on_request::new());
    spec.cache(Cache::new().capacity(2).key(|args| args["x"].to_string()));
    let runs = async |x: i64, again: bool| {
        spec.call(json!({ "x": x, "again": again })).await.unwrap();
        log.take().len()
    };
    assert_eq!(runs(1, false).await, 1);
    assert_eq!(runs(1, true).await, 1, "the kept one, and another");
    assert_eq!(runs(1, false).await, 1, "nothing is kept now");
    assert_eq!(runs(2, false).await, 1);
    // What comes and goes takes no place.
    for _ in 0..3 {
        runs(1, true).await;
        runs(1, false).await;
    }
    assert_eq!((runs(2, false).await, runs(1, false).await), (0, 0));
}

fn words(refused: &(dyn std::any::Any + Send)) -> &str {
    refused.downcast_ref::<String>().expect("a message")
}

#[tokio::test]
async fn t4_what_has_to_be_done_at_each_call_has_no_cache() {
    let make = || ToolSpec::from_fn("pay", "Pays.", |(): (), _| async { Ok(1) });
    let refused = catch_unwind(AssertUnwindSafe(|| {
        let mut spec = make();
        spec.options(|options| options.effect = Effect::Once);
        spec.cache(Cache::new());
    }));
    assert!(words(&*refused.unwrap_err()).contains("tool `pay` has to be made"));
    let refused = catch_unwind(AssertUnwindSafe(|| {
        let mut spec = make();
        spec.cache(Cache::new());
        spec.options(|options| options.effect = Effect::Once);
    }));
    assert!(words(&*refused.unwrap_err()).contains("tool `pay` has to be made"));

    // An agent may have done something, as far as its caller knows.
    let mut spec = AgentTool::new(&clerk(&Log::default(), "add_one", 1).await).spec();
    let refused = catch_unwind(AssertUnwindSafe(|| {
        spec.cache(Cache::new());
    }));
    assert!(words(&*refused.unwrap_err()).contains("has to be made"));
}

#[tokio::test]
async fn t4_a_tool_that_was_declared_with_a_cache_and_is_once_as_a_value_does_not_run() {
    let log = Log::default();
    let mut spec = add_one::spec().with_state(log.clone());
    spec.options(|options| options.effect = Effect::Once);
    let error = call!(spec, x = 1).await.unwrap_err();
    assert!(error.to_string().contains("it cannot have a cache"), "{error}");
    assert!(log.take().is_empty());
}

static SELFISH: LazyLock<ToolSpec> = LazyLock::new(selfish::spec);
static SELFISH_ON_A_THREAD: LazyLock<ToolSpec> = LazyLock::new(selfish_on_a_thread::spec);

/// Calls itself, with the same arguments if they are odd.
#[tool(cache)]
async fn selfish(x: i64) -> ToolResult<i64> {
    match x {
        0 => Ok(0),
        _ => SELFISH.call_as(json!({ "x": if x % 2 == 1 { x } else { 0 } })).await,
    }
}

/// Does so on a thread.
#[tool(cache, blocking)]
fn selfish_on_a_thread(x: i64) -> ToolResult<i64> {
    SELFISH_ON_A_THREAD.call_as_blocking(json!({ "x": x }))
}

#[tokio::test]
async fn t4_a_cached_tool_that_calls_itself_with_equal_arguments_gets_an_error() {
    let limit = Duration::from_secs(20);
    let told = "called by itself with the same arguments";
    let error = tokio::time::timeout(limit, SELFISH.call(json!({ "x": 1 }))).await.unwrap().unwrap_err();
    assert!(error.to_string().contains(told), "{error}");
    let call = SELFISH_ON_A_THREAD.call(json!({ "x": 1 }));
    let error = tokio::time::timeout(limit, call).await.unwrap().unwrap_err();
    assert!(error.to_string().contains(told), "{error}");
    assert_eq!(SELFISH.call(json!({ "x": 2 })).await.unwrap(), 0);
}
