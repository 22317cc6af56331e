//! S5: direct calls.

use std::error::Error as _;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use onionskin::spec::{HookEnd, HookExit};
use onionskin::{
    Abort, Args, ErrorKind, Exit, Next, ToolContext, ToolError, ToolOutput, ToolResult, ToolSpec, call,
    hooks, tool, tool_hook,
};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::runtime::Builder;

#[derive(Serialize, Deserialize, JsonSchema, Debug, PartialEq)]
struct Point {
    x: i64,
    y: i64,
}

#[derive(Serialize, Deserialize, JsonSchema, Debug, Clone, PartialEq)]
struct One {
    x: i64,
}

/// A number.
#[tool]
async fn number(x: i64) -> i64 {
    tokio::time::sleep(Duration::from_millis(5)).await;
    x
}

/// A point.
#[tool]
fn point(x: i64) -> Point {
    Point { x, y: 2 }
}

/// One field.
#[tool]
fn one(x: i64) -> One {
    One { x }
}

/// Fails.
#[tool(effect = idempotent)]
fn fails() -> Result<i64, std::num::ParseIntError> {
    "x".parse()
}

/// Ends.
#[tool]
fn stops() -> ToolResult<i64> {
    Err(Exit::stop("the end"))
}

/// Panics.
#[tool]
fn panics() -> i64 {
    panic!("ouch")
}

#[tokio::test]
async fn s5_call_gives_the_main_value() {
    assert_eq!(call!(number::spec(), x = 1).await.unwrap(), 1);
    assert_eq!(call!(point::spec(), x = 1).await.unwrap(), json!({"x": 1, "y": 2}));
    assert_eq!(call!(one::spec(), x = 1).await.unwrap(), 1, "the single property");
    let text = ToolSpec::from_fn("text", "", |(): (), _| async { Ok(ToolOutput::text("words")) });
    assert_eq!(call!(text).await.unwrap(), "words");
    let two = |(): (), _| async { Ok(ToolOutput::structured(json!({"only": [1]}))) };
    assert_eq!(call!(ToolSpec::from_fn("two", "", two)).await.unwrap(), json!([1]));
    let image = |(): (), _| async {
        Ok(ToolOutput::blocks([onionskin::content::Image(onionskin::content::Media::new(
            "aGk=",
            "image/png",
        ))
        .into()]))
    };
    assert_eq!(call!(ToolSpec::from_fn("image", "", image)).await.unwrap()[0]["type"], "image");
    assert_eq!(call!(stops::spec()).await.unwrap(), "the end", "a stop is a result");
}

#[tokio::test]
async fn t6_structured_content_is_an_object() {
    for value in [json!(5), json!([1]), json!(null), json!("five"), json!({"a": 1})] {
        let (one, two) = (value.clone(), value.clone());
        let made = ToolSpec::from_fn("made", "", move |(): (), _| {
            let output = ToolOutput::structured(one.clone());
            async move { Ok(output) }
        });
        let set = ToolSpec::from_fn("set", "", move |(): (), _| {
            let mut output = ToolOutput::text("words");
            output.set_structured_only(two.clone());
            async move { Ok(output) }
        });
        for (spec, text) in [(made, value.to_string()), (set, "words".to_owned())] {
            let output = spec.exec("{}").await.result.unwrap();
            let wanted = if value.is_object() { value.clone() } else { json!({ "result": value }) };
            assert_eq!(
                (output.structured_content().unwrap().into_owned(), &*output.to_text()),
                (wanted, &*text)
            );
            assert_eq!(spec.call_as::<Value>("{}").await.unwrap(), value, "as the function gave it");
        }
    }
}

#[tokio::test]
async fn s5_one_of_two_properties_is_not_the_main_value() {
    let mut spec =
        ToolSpec::from_fn("partly", "", |(): (), _| async { Ok(ToolOutput::structured(json!({"a": 1}))) });
    spec.options(|options| {
        options.output_schema = Some(json!({"type": "object", "properties": {"a": {}, "b": {}}}).into());
    });
    assert_eq!(call!(spec).await.unwrap(), json!({"a": 1}));
}

#[tokio::test]
async fn s5_call_as_reads_a_type() {
    assert_eq!(number::spec().call_as::<u8>(json!({"x": 7})).await.unwrap(), 7);
    assert_eq!(point::spec().call_as::<Point>([("x", 1)]).await.unwrap(), Point { x: 1, y: 2 });
    assert_eq!(one::spec().call_as::<One>(r#"{"x": 1}"#).await.unwrap(), One { x: 1 });
    let one = one::spec().call_as::<i64>(Args::from(r#"{"x": 1}"#)).await;
    assert!(one.is_err(), "its own type has a property");
    let text = number::spec().call_as::<String>(json!({"x": 7})).await.unwrap_err().to_string();
    assert!(
        text.contains("`number`") && text.contains("String") && text.contains("expected a string"),
        "{text}"
    );
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
struct Rows {
    rows: Vec<Value>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
struct Node {
    next: Option<Box<Node>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Either {
    Number(i64),
    Words { words: Vec<String> },
    Nothing,
}

/// Calls tools that give a value, and reads it back.
async fn comes_back<T>(value: T)
where
    T: Clone
        + PartialEq
        + std::fmt::Debug
        + Serialize
        + DeserializeOwned
        + JsonSchema
        + Send
        + Sync
        + 'static,
{
    let given = value.clone();
    let spec = ToolSpec::from_fn("gives", "", move |(): (), _| std::future::ready(Ok(given.clone())));
    assert_eq!(spec.call_as::<T>("{}").await.unwrap(), value);
    // A hook that adds to the text leaves the value what it is.
    let marked = spec.hook(mark::new());
    assert_eq!(marked.call_as::<T>("{}").await.unwrap(), value, "with a hook");
    assert!(marked.exec("{}").await.output().unwrap().to_text().ends_with("[marked]"));
}

#[tool_hook]
fn mark(result: &mut ToolResult) {
    if let Ok(output) = result {
        output.push_text(" [marked]");
    }
}

#[tokio::test]
async fn s5_call_as_gives_back_what_the_function_gave() {
    comes_back(Rows { rows: vec![json!([1, 2])] }).await;
    comes_back(Rows { rows: vec![] }).await;
    comes_back(Node { next: Some(Box::new(Node { next: Some(Box::new(Node { next: None })) })) }).await;
    comes_back(Some(One { x: 1 })).await;
    comes_back(None::<One>).await;
    comes_back(()).await;
    comes_back(json!(5)).await;
    comes_back(json!(null)).await;
    comes_back(json!({"result": 5})).await;
    comes_back(json!({"result": {"result": 5}})).await;
    comes_back(json!(["a"])).await;
    comes_back(json!("a")).await;
    comes_back(Either::Number(3)).await;
    comes_back(Either::Words { words: vec!["a".into()] }).await;
    comes_back(Either::Nothing).await;
    comes_back(vec![Some(1), None]).await;
    comes_back(String::from("{\"a\": 1}")).await;
    comes_back(std::collections::BTreeMap::from([("result".to_owned(), 1)])).await;
}

#[tokio::test]
async fn s5_a_value_of_any_type_is_the_main_value() {
    let any =
        |value: Value| ToolSpec::from_fn("any", "", move |(): (), _| std::future::ready(Ok(value.clone())));
    for value in [json!(5), json!([1]), json!("a"), json!(null), json!({"a": 1, "b": 2})] {
        assert_eq!(call!(any(value.clone())).await.unwrap(), value);
    }
}

#[tokio::test]
async fn s5_arguments_come_in_several_forms() {
    for wrong in [json!([1]), json!("x"), Value::Null] {
        let execution = number::spec().exec(wrong).await;
        let error = execution.output().unwrap_err().as_tool_error().unwrap().clone();
        assert_eq!((error.kind(), execution.attempts), (ErrorKind::Arguments, 0));
    }
    let object = json!({"x": 3}).as_object().unwrap().clone();
    assert_eq!(number::spec().call(object).await.unwrap(), 3);
    let unwritable = std::collections::BTreeMap::from([((1, 2), 3)]);
    let text = call!(number::spec(), x = unwritable).await.unwrap_err().to_string();
    assert!(text.contains("the argument `x` cannot be written as JSON"), "{text}");
}

#[tokio::test]
async fn s5_exec_gives_all_that_is_known() {
    let execution = number::spec().exec(json!({"x": 5})).await;
    assert_eq!(execution.content()[0].as_text(), Some("5"));
    assert_eq!(execution.structured_content().as_deref(), Some(&json!({"result": 5})));
    assert!(execution.duration >= Duration::from_millis(5));
    assert_eq!((execution.attempts, execution.hook_exits.len(), execution.is_error()), (1, 0, false));
    assert!(execution.error_chain().is_empty());
    let failed = fails::spec().exec("{}").await;
    assert!(failed.is_error());
    assert_eq!(failed.error_chain(), ["invalid digit found in string"]);
    assert_eq!(failed.content()[0].as_text(), Some("invalid digit found in string"));
    let panicked = panics::spec().exec("{}").await;
    let error = panicked.output().unwrap_err().as_tool_error().unwrap();
    assert_eq!(
        (error.kind(), &*error.to_text()),
        (ErrorKind::Panic, "`panics` panicked: ouch; whether it took effect is not known")
    );
}

#[derive(Debug, thiserror::Error)]
#[error("outer")]
struct Outer(#[source] std::num::ParseIntError);

#[tokio::test]
async fn s5_the_error_chain_goes_to_the_root() {
    let spec = ToolSpec::from_fn("chain", "", |(): (), _| async {
        let number: Result<i64, _> = "x".parse();
        let error = number.map_err(Outer).unwrap_err();
        assert!(error.source().is_some());
        let failed: ToolResult<()> = Err(ToolError::new("it failed").with_source(error).into());
        failed
    });
    let execution = spec.exec("{}").await;
    assert_eq!(execution.error_chain(), ["it failed", "outer", "invalid digit found in string"]);
}

#[tool_hook]
async fn recover(args: &mut Args, next: impl Next) -> ToolResult {
    next.run(args).await.or_else(|_| Ok("made good".into()))
}

#[tool_hook]
async fn answer() -> ToolResult<Option<ToolOutput>> {
    Ok(Some("instead".into()))
}

#[tool_hook]
async fn deny(_args: &mut Args, _next: impl Next) -> ToolResult {
    Err(Exit::denied("no"))
}

#[tool_hook]
async fn abort(_args: &mut Args, _next: impl Next) -> ToolResult {
    Err(Exit::abort("enough"))
}

#[tool_hook]
async fn stop(args: &mut Args, next: impl Next) -> ToolResult {
    next.run(args).await?;
    Err(Exit::stop("enough"))
}

#[tool_hook]
async fn bad(_args: &mut Args, _next: impl Next) -> ToolResult {
    panic!("bad hook")
}

fn exits(execution: &onionskin::spec::Execution) -> Vec<(&str, HookEnd)> {
    execution.hook_exits.iter().map(|HookExit { hook, end, .. }| (&**hook, *end)).collect()
}

#[tokio::test]
async fn s5_hook_exits_say_how_each_hook_left() {
    let spec = number::spec().hook(recover::new()).hook(stop::new());
    let execution = spec.exec(json!({"x": 1})).await;
    assert_eq!(exits(&execution), [("stop", HookEnd::Stop), ("recover", HookEnd::Answered)]);
    let execution = fails::spec().hook(recover::new()).hook(hooks::retry::new(3)).exec("{}").await;
    assert_eq!(exits(&execution), [("retry", HookEnd::Passed), ("recover", HookEnd::Recovered)]);
    assert_eq!(execution.output().unwrap().to_text(), "made good");
    let execution = number::spec().hook(recover::new()).hook(answer::new()).exec(json!({"x": 1})).await;
    assert_eq!(exits(&execution), [("answer", HookEnd::Answered), ("recover", HookEnd::Passed)]);
    let execution = number::spec().hook(deny::new()).exec(json!({"x": 1})).await;
    assert_eq!(exits(&execution), [("deny", HookEnd::Error(ErrorKind::Denied))]);
    let execution = number::spec().hook(recover::new()).hook(abort::new()).exec(json!({"x": 1})).await;
    assert_eq!(exits(&execution), [("abort", HookEnd::Abort), ("recover", HookEnd::Answered)]);
    assert!(execution.output().unwrap_err().is_abort(), "a hook outside cannot undo it");
    let execution = number::spec().hook(bad::new()).exec(json!({"x": 1})).await;
    assert_eq!(exits(&execution), [("bad", HookEnd::Abort)]);
}

#[tokio::test(start_paused = true)]
async fn s5_attempts_count_the_starts_of_the_tool() {
    static CALLS: AtomicU32 = AtomicU32::new(0);
    let spec = ToolSpec::from_fn("busy", "", |(): (), cx: ToolContext| async move {
        match CALLS.fetch_add(1, Ordering::Relaxed) {
            0 | 1 => Err("busy".into()),
            _ => Ok(cx.attempt()),
        }
    });
    let mut spec = spec.hook(hooks::retry::new(5));
    spec.options(|options| options.effect = onionskin::Effect::Idempotent);
    let execution = spec.exec("{}").await;
    assert_eq!((execution.attempts, &*execution.output().unwrap().to_text()), (3, "3"));
}

/// Fails, and is tried again by a hook of its own.
#[tool(effect = idempotent, hooks = [recover, hooks::retry(3)])]
fn fails_thrice(cx: &ToolContext) -> ToolResult<u32> {
    Err(Exit::tool(format!("try {}", cx.attempt())))
}

/// As many hooks as one likes.
#[tool(hooks = [answer])]
fn answered() {}

/// One that says no.
#[tool(hooks = [recover, deny])]
fn denied() {}

/// One that panics.
#[tool(hooks = [bad])]
fn broken() {}

#[tokio::test(start_paused = true)]
async fn s5_declared_hooks_are_reported_as_added_ones() {
    let execution = fails_thrice::spec().exec("{}").await;
    assert_eq!(exits(&execution), [("retry", HookEnd::Passed), ("recover", HookEnd::Recovered)]);
    assert_eq!(exits(&answered::spec().exec("{}").await), [("answer", HookEnd::Answered)]);
    let execution = denied::spec().exec("{}").await;
    assert_eq!(
        exits(&execution),
        [("deny", HookEnd::Error(ErrorKind::Denied)), ("recover", HookEnd::Recovered)]
    );
    assert_eq!(exits(&broken::spec().exec("{}").await), [("bad", HookEnd::Abort)]);
    // Added hooks are outside. A declared hook that ran twice left twice.
    let execution = answered::spec().hook(twice::new()).exec("{}").await;
    let answers = ("answer", HookEnd::Answered);
    assert_eq!(exits(&execution), [answers, answers, ("twice", HookEnd::Passed)]);
    // Each call has its own.
    let spec = fails_thrice::spec();
    let (one, other) = tokio::join!(spec.exec("{}"), spec.exec("{}"));
    assert_eq!((one.hook_exits.len(), other.hook_exits.len()), (2, 2));
}

#[tool_hook]
async fn twice(args: &mut Args, next: impl Next) -> ToolResult {
    let _ = next.run(args).await;
    next.run(args).await
}

/// Says how often it was started.
#[tool(effect = idempotent, hooks = [hooks::retry(3)])]
fn third(cx: &ToolContext) -> ToolResult<u32> {
    if cx.attempt() < 3 { Err("not yet".into()) } else { Ok(cx.attempt()) }
}

/// The same, on a thread.
#[tool(effect = idempotent, hooks = [hooks::retry(3)], blocking)]
fn third_on_a_thread(cx: &ToolContext) -> ToolResult<u32> {
    if cx.attempt() < 3 { Err("not yet".into()) } else { Ok(cx.attempt()) }
}

#[tokio::test(start_paused = true)]
async fn s5_attempts_count_what_declared_hooks_repeat() {
    for spec in [third::spec(), third_on_a_thread::spec()] {
        let execution = spec.exec("{}").await;
        assert_eq!(
            (execution.attempts, &*execution.output().unwrap().to_text()),
            (3, "3"),
            "{}",
            spec.name()
        );
    }
    assert_eq!(fails_thrice::spec().exec("{}").await.attempts, 3);
    // What hooks of both kinds repeat is counted once for each start.
    let execution = fails_thrice::spec().hook(twice::new()).exec("{}").await;
    assert_eq!(execution.attempts, 6);
    let execution = number::spec().hook(twice::new()).exec(json!({"x": 1})).await;
    assert_eq!(execution.attempts, 2);
}

#[tokio::test]
async fn s5_a_dropped_call_is_cancelled() {
    let (sender, receiver) = tokio::sync::oneshot::channel();
    let sender = std::sync::Mutex::new(Some(sender));
    let spec = ToolSpec::from_fn("hang", "", move |(): (), cx: ToolContext| {
        let sender = sender.lock().unwrap().take().unwrap();
        let token = cx.cancellation();
        tokio::spawn(async move {
            token.cancelled().await;
            sender.send(()).unwrap();
        });
        std::future::pending::<ToolResult<()>>()
    });
    assert!(tokio::time::timeout(Duration::from_millis(20), spec.exec("{}")).await.is_err());
    receiver.await.unwrap();
}

fn all_blocking() {
    let spec = number::spec();
    assert_eq!(spec.call_blocking(json!({"x": 1})).unwrap(), 1);
    assert_eq!(spec.call_as_blocking::<i64>(json!({"x": 2})).unwrap(), 2);
    let execution = spec.exec_blocking(json!({"x": 3}));
    assert_eq!((execution.attempts, &*execution.output().unwrap().to_text()), (1, "3"));
    assert!(panics::spec().exec_blocking("{}").is_error());
    assert!(spec.exec_blocking(json!([])).is_error());
}

#[test]
fn s5_blocking_works_outside_of_a_runtime() {
    all_blocking();
}

#[test]
fn s5_blocking_works_inside_of_a_current_thread_runtime() {
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async { all_blocking() });
    runtime.block_on(async { tokio::task::spawn_blocking(all_blocking).await.unwrap() });
    runtime.block_on(tokio::task::LocalSet::new().run_until(async {
        tokio::task::spawn_local(async { all_blocking() }).await.unwrap();
    }));
}

#[test]
fn s5_blocking_works_inside_of_a_multi_thread_runtime() {
    let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    runtime.block_on(async { all_blocking() });
    runtime.block_on(async { tokio::spawn(async { all_blocking() }).await.unwrap() });
}

/// Calls another tool and waits for it on its thread.
#[tool]
fn nested(x: i64) -> ToolResult<i64> {
    number::spec().call_as_blocking(json!({ "x": x }))
}

#[test]
fn s5_blocking_works_inside_of_a_blocking_call() {
    assert_eq!(nested::spec().call_blocking(json!({"x": 4})).unwrap(), 4);
}

#[tokio::test]
async fn s5_an_abort_of_one_call_does_not_reach_the_next() {
    let spec = ToolSpec::from_fn("once", "", |args: One, _| async move {
        if args.x == 0 {
            return Err(Exit::abort("zero"));
        }
        Ok(args.x)
    });
    let exit = call!(spec, x = 0).await.unwrap_err();
    assert!(matches!(&exit, Exit::Abort(abort) if Abort::reason(abort) == "zero"));
    assert_eq!(call!(spec, x = 1).await.unwrap(), 1);
}

#[tokio::test]
async fn h3_a_hook_of_a_value_sees_the_tool() {
    #[tool_hook]
    async fn look(ctx: &ToolContext) -> ToolResult<()> {
        assert_eq!(ctx.tool_name(), "number");
        assert!(ctx.definition().input_schema["properties"].get("x").is_some());
        Ok(())
    }
    assert_eq!(call!(number::spec().hook(look::new()), x = 9).await.unwrap(), 9);
}
