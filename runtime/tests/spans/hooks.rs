//! The spans of hooks, which are off by default.

use onionskin::message_hooks::{BoxError, SentMessage, message_hook};
use onionskin::run_hooks::{InputCheckError, RunAnswer, RunHook, RunInput};
use onionskin::turn_hooks::TurnRequest;
use onionskin::typed::{ArgsOf, OutputOf, TypedNext};
use onionskin::{
    Args, ErrorKind, Exit, Hook, Next, RunContext, RunError, ScriptedModel, ScriptedTurn, ToolContext,
    ToolError, ToolOutput, ToolResult, agent, hooks, made, run_hook, tool, tool_hook, turn_hook,
};
use serde_json::json;
use tracing_subscriber::filter::{LevelFilter, Targets};

use super::recorder::Spans;

#[tool_hook]
async fn inner(args: &mut Args, next: impl Next) -> ToolResult {
    tracing::info!("inside");
    next.run(args).await
}

#[tool_hook]
fn own(_ctx: &ToolContext, _result: &ToolResult) {}

#[tool_hook]
async fn added(args: &mut Args, next: impl Next) -> ToolResult {
    next.run(args).await
}

/// Adds one.
#[tool(effect = pure, hooks = [own])]
fn add_one(x: i64) -> Result<i64, String> {
    tracing::info!("adding");
    x.checked_add(1).ok_or_else(|| "too large".to_owned())
}

/// Says hello.
#[tool(effect = pure)]
fn greet() -> &'static str {
    "hello"
}

agent! {
    Adder {
        instruction: "Add.", function_tools: [add_one, greet],
        tool_hooks: [hooks::timing, inner for [add_one], hooks::retry(2)],
    }
}

fn on() -> Targets {
    Targets::new().with_target("onionskin::hook", LevelFilter::TRACE).with_default(LevelFilter::INFO)
}

#[tokio::test(start_paused = true)]
async fn o4_hooks_have_spans_if_their_target_is_on() {
    let calls = || {
        let ok = ScriptedTurn::call("add_one", json!({ "x": 1 })).and_call("greet", json!({}));
        let fails = ScriptedTurn::call("add_one", json!({ "x": i64::MAX }));
        ScriptedModel::turns([ok, fails, ScriptedTurn::say("{results}")])
    };
    let (off, guard) = Spans::begin();
    let without = Adder::builder().model(calls()).hook(added::new()).run("Add.").await.unwrap();
    assert!(off.all().iter().all(|span| span.kind != "hook"));
    drop(guard);

    let (spans, _guard) = Spans::new(on());
    let with = Adder::builder().model(calls()).hook(added::new()).run("Add.").await.unwrap();
    assert_eq!((with.text, with.tool_calls.len()), (without.text, without.tool_calls.len()));
    let tree = spans.tree();
    let add = "execute_tool add_one < invoke_agent Adder";
    let greet = "execute_tool greet < invoke_agent Adder";
    let line = format!("hook own < hook retry < hook inner < hook timing < hook added < {add}");
    // Once, and in both attempts of the call that fails.
    assert_eq!(tree.iter().filter(|one| **one == line).count(), 3, "{tree:#?}");
    assert!(tree.contains(&format!("hook retry < hook timing < hook added < {greet}")), "{tree:#?}");
    let own = spans.named("hook own");
    let errors: Vec<_> = own.iter().map(|hook| hook.error()).collect();
    assert_eq!(errors, [None, Some("failed"), Some("failed")]);
    assert_eq!((&*own[0].target, &*own[0].level), ("onionskin::hook", "TRACE"));
    assert_eq!(own[0].text("onionskin.hook.name"), "own");
    assert_eq!(spans.named("hook inner")[0].events, ["inside"]);
}

/// A hook whose name is not that of its type, such as the function of a script.
#[derive(Clone)]
struct Scripted;

impl Hook for Scripted {
    type Made = made::AtRunTime;

    fn shown_name(&self) -> Option<String> {
        Some("hooks.rhai:audit".to_owned())
    }

    async fn call<N: Next>(&self, _: &ToolContext, args: &mut Args, next: N) -> ToolResult {
        next.run(args).await
    }
}

#[tokio::test]
async fn o4_spans_have_the_names_that_descriptions_have() {
    let (spans, _guard) = Spans::new(on());
    let model = ScriptedModel::turns([ScriptedTurn::call("greet", json!({})), ScriptedTurn::say("{last}")]);
    Adder::builder().model(model).hook(Scripted).run("Greet.").await.unwrap();
    let called = greet::spec().hook(Scripted).exec("{}").await;
    assert_eq!(called.output().unwrap().to_text(), "hello");
    let named = spans.named("hook hooks.rhai:audit");
    assert_eq!(named.len(), 2);
    assert_eq!(named[0].text("onionskin.hook.name"), "hooks.rhai:audit");
}

#[tool_hook(tool = add_one)]
async fn typed(args: ArgsOf<add_one>, next: impl TypedNext<add_one>) -> ToolResult<OutputOf<add_one>> {
    assert_ne!(args.x, 13, "unlucky");
    next.run(args).await
}

#[tool_hook(tool = add_one)]
async fn also_typed(args: ArgsOf<add_one>, next: impl TypedNext<add_one>) -> ToolResult<OutputOf<add_one>> {
    tracing::info!("in the second");
    next.run(args).await
}

#[run_hook(pre)]
fn begins(input: &str) -> Result<(), InputCheckError> {
    if input.is_empty() { Err(InputCheckError::new("empty")) } else { Ok(()) }
}

#[run_hook(post)]
async fn ends(answer: &mut RunAnswer) {
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    tracing::info!("ended");
    answer.set_text("done");
}

#[turn_hook(before_llm_call)]
fn asks(request: &mut TurnRequest) {
    assert!(request.turn() < 3, "too often");
}

#[turn_hook(after_tool_call)]
fn watches() {}

#[message_hook(process_message_before_send)]
fn sends(_message: &mut SentMessage) {}

/// Has both places.
#[derive(Default)]
struct Both;

impl RunHook for Both {
    type Made = made::ByDefault;

    async fn before_run(&self, _: &RunContext, _: &mut RunInput) -> Result<(), BoxError> {
        Ok(())
    }

    async fn after_run(&self, _: &RunContext, _: &mut RunAnswer) -> Result<(), BoxError> {
        Ok(())
    }
}

agent! {
    Twice {
        instruction: "Add.", function_tools: [add_one, greet], tool_hooks: [typed, also_typed],
    }
    Full {
        instruction: "Add.", function_tools: [add_one], tool_hooks: [inner, typed],
        run_hooks: [begins, Both, ends], turn_hooks: [asks, watches], message_hooks: [sends],
    }
}

/// The hooks with their places and errors, in the order in which they began, and what each is beneath.
fn placed(spans: &Spans) -> Vec<String> {
    let hooks = spans.all().into_iter().filter(|span| span.kind == "hook");
    let line = |span: super::recorder::Span| {
        assert!(span.closed, "{span:#?}");
        let above = spans.parent(&span).unwrap().name;
        let (hook, place) = (span.text("onionskin.hook.name"), span.text("onionskin.hook.place"));
        let error = span.error().map(|kind| format!(" {kind}")).unwrap_or_default();
        format!("{hook} {place} < {above}{error}")
    };
    hooks.map(line).collect()
}

fn adds(x: i64) -> ScriptedModel {
    ScriptedModel::turns([ScriptedTurn::call("add_one", json!({ "x": x })), ScriptedTurn::say("{last}")])
}

#[tokio::test(start_paused = true)]
async fn o4_each_place_of_each_hook_has_a_span() {
    let run = async || Full::builder().model(adds(1)).run("Add.").await.unwrap().text;
    let (off, guard) = Spans::begin();
    assert_eq!(run().await, "done");
    assert_eq!(placed(&off), <[&str; 0]>::default());
    drop(guard);

    let (spans, _guard) = Spans::new(on());
    assert_eq!(run().await, "done");
    let expected = [
        "begins pre < invoke_agent Full",
        "Both pre < invoke_agent Full",
        "sends process_message_before_send < invoke_agent Full",
        "asks before_llm_call < invoke_agent Full",
        "inner tool_call < execute_tool add_one",
        "typed tool_call < hook inner",
        "own tool_call < hook typed",
        "watches after_tool_call < invoke_agent Full",
        "asks before_llm_call < invoke_agent Full",
        "sends process_message_before_send < invoke_agent Full",
        "Both post < invoke_agent Full",
        "ends post < invoke_agent Full",
    ];
    assert_eq!(placed(&spans), expected);
    assert_eq!(spans.named("hook ends")[0].events, ["ended"]);
}

#[tokio::test]
async fn o4_typed_hooks_have_spans_around_their_tool_alone() {
    let (spans, _guard) = Spans::new(on());
    let calls = ScriptedTurn::call("greet", json!({})).and_call("add_one", json!({ "x": 1 }));
    let model = ScriptedModel::turns([calls, ScriptedTurn::say("{last}")]);
    assert_eq!(Twice::builder().model(model).run("Add.").await.unwrap().text, "hello\n2");
    let expected = [
        "typed tool_call < execute_tool add_one",
        "also_typed tool_call < hook typed",
        "own tool_call < hook also_typed",
    ];
    assert_eq!(placed(&spans), expected);
    assert_eq!(spans.named("hook also_typed")[0].events, ["in the second"]);
}

#[tokio::test(start_paused = true)]
async fn o4_the_span_of_a_hook_says_how_it_failed() {
    let (spans, guard) = Spans::new(on());
    Full::builder().model(adds(1)).run("").await.unwrap_err();
    assert_eq!(placed(&spans), ["begins pre < invoke_agent Full failed"]);
    drop(guard);

    let (spans, guard) = Spans::new(on());
    Full::builder().model(adds(13)).run("Add.").await.unwrap_err();
    let panicked = ["typed tool_call < hook inner panic", "inner tool_call < execute_tool add_one aborted"];
    assert!(
        panicked.iter().all(|line| placed(&spans).contains(&(*line).to_owned())),
        "{:#?}",
        placed(&spans)
    );
    drop(guard);

    let (spans, guard) = Spans::new(on());
    let often = [1, 2].map(|x| ScriptedTurn::call("add_one", json!({ "x": x })));
    Full::builder().model(ScriptedModel::turns(often)).run("Add.").await.unwrap_err();
    let last = "asks before_llm_call < invoke_agent Full panic";
    assert_eq!(placed(&spans).last().unwrap(), last);
    drop(guard);

    let (spans, _guard) = Spans::new(on());
    let run = Full::builder().model(adds(1)).build().await.unwrap();
    tokio::time::timeout(std::time::Duration::from_millis(500), run.run("Add.")).await.unwrap_err();
    assert_eq!(placed(&spans).last().unwrap(), "ends post < invoke_agent Full cancelled");
}

/// Divides ten.
#[tool]
fn divide(by: i64) -> Result<i64, String> {
    10_i64.checked_div(by).ok_or_else(|| "by zero".to_owned())
}

/// Opens a door.
#[tool]
fn open(door: String) -> Result<String, ToolError> {
    if door == "cellar" { Err(ToolError::new("locked").with_kind(ErrorKind::Denied)) } else { Ok(door) }
}

/// Reads a page.
#[tool]
fn read(page: u32) -> Result<String, BoxError> {
    if page == 0 {
        return Err(ToolError::new("it took too long").with_kind(ErrorKind::Timeout).into());
    }
    Ok("once upon a time".to_owned())
}

/// Ends the day.
#[tool]
fn end(well: bool) -> ToolResult<String> {
    if well { Err(Exit::stop(ToolOutput::text("bye"))) } else { Err(Exit::denied("not yet")) }
}

#[tool_hook(tool = divide)]
async fn on_divide(args: ArgsOf<divide>, next: impl TypedNext<divide>) -> ToolResult<OutputOf<divide>> {
    next.run(args).await
}

#[tool_hook(tool = open)]
async fn on_open(args: ArgsOf<open>, next: impl TypedNext<open>) -> ToolResult<OutputOf<open>> {
    next.run(args).await
}

#[tool_hook(tool = read)]
async fn on_read(args: ArgsOf<read>, next: impl TypedNext<read>) -> ToolResult<OutputOf<read>> {
    next.run(args).await
}

#[tool_hook(tool = end)]
async fn on_end(args: ArgsOf<end>, next: impl TypedNext<end>) -> ToolResult<OutputOf<end>> {
    next.run(args).await
}

agent! {
    Porter {
        instruction: "Keep the house.", function_tools: [divide, open, read, end],
        tool_hooks: [on_divide, on_open, on_read, on_end],
    }
}

#[tokio::test]
async fn o4_the_span_of_a_typed_hook_has_the_error_that_its_tool_returned() {
    let (spans, _guard) = Spans::new(on());
    let calls = [
        ("divide", json!({ "by": 5 })),
        ("divide", json!({ "by": 0 })),
        ("open", json!({ "door": "attic" })),
        ("open", json!({ "door": "cellar" })),
        ("read", json!({ "page": 1 })),
        ("read", json!({ "page": 0 })),
        ("end", json!({ "well": false })),
        ("end", json!({ "well": true })),
    ];
    let turns = calls.map(|(name, args)| ScriptedTurn::call(name, args));
    let output = Porter::builder().model(ScriptedModel::turns(turns)).run("Go.").await.unwrap();
    assert_eq!(output.text, "bye");
    let expected = [
        "on_divide tool_call < execute_tool divide",
        "on_divide tool_call < execute_tool divide failed",
        "on_open tool_call < execute_tool open",
        "on_open tool_call < execute_tool open denied",
        "on_read tool_call < execute_tool read",
        "on_read tool_call < execute_tool read timeout",
        "on_end tool_call < execute_tool end denied",
        "on_end tool_call < execute_tool end",
    ];
    assert_eq!(placed(&spans), expected);
    let all = spans.all();
    let of = |kind: &'static str| all.iter().filter(move |span| span.kind == kind).map(|span| span.error());
    assert!(of("hook").eq(of("execute_tool")), "a hook that hands on fails as its call does");
}

/// Pays.
#[tool(approval)]
fn pay(cents: u32) -> String {
    format!("paid {cents}")
}

agent! {
    Payer { instruction: "Pay.", description: "Pays.", function_tools: [pay], tool_hooks: [hooks::timing] }
    Desk { instruction: "Serve.", agents: [Payer], tool_hooks: [inner] }
}

#[tokio::test]
async fn o4_a_pause_is_no_error_of_the_hooks_around_the_call_that_waits() {
    let asks = ScriptedTurn::call("agent__Payer", json!({ "input": "Pay 5." }));
    let model = ScriptedModel::new()
        .agent("Desk", [asks])
        .agent("Payer", [ScriptedTurn::call("pay", json!({ "cents": 5 }))]);
    let (spans, _guard) = Spans::new(on());
    let end = Desk::builder().model(model).hook(added::new()).run("Pay.").await;
    assert!(matches!(end, Err(RunError::Paused(_))), "{end:?}");
    for hook in ["hook added", "hook inner", "hook timing"] {
        assert_eq!(spans.one(hook).error(), None, "{hook}");
    }
    spans.tree();
}
