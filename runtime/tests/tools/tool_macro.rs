//! `#[tool]` through the public interface.
#![allow(clippy::non_minimal_cfg, reason = "conditions that always or never hold")]

use std::borrow::Cow;
use std::time::Duration;

use onionskin::run::IdempotencyKey;
use onionskin::{
    Args, Effect, ErrorKind, Exit, Inject, Next, State, Tool, ToolContext, ToolDefinition, ToolError,
    ToolOutput, ToolResult, tool, tool_hook,
};
use serde_json::{Value, json};

async fn call<T: Tool + Default>(args: &str) -> ToolResult {
    call_in::<T>(&ToolContext::detached(T::NAME), args).await
}

async fn call_in<T: Tool + Default>(cx: &ToolContext, args: &str) -> ToolResult {
    T::default().run(cx, &mut Args::from(args)).await
}

async fn text<T: Tool + Default>(args: &str) -> String {
    match call::<T>(args).await {
        Ok(output) => output.to_text().into_owned(),
        Err(exit) => format!("error: {exit}"),
    }
}

fn definition<T: Tool + Default>() -> ToolDefinition {
    T::default().definition().clone()
}

fn schema<T: Tool + Default>() -> Value {
    Value::clone(&definition::<T>().input_schema)
}

/// Adds one.
#[tool]
async fn add_one(
    /// the number
    x: i64,
) -> i64 {
    x + 1
}

#[tokio::test]
async fn t1_an_async_function_is_a_tool_and_stays_a_function() {
    assert_eq!(text::<add_one>(r#"{"x": 41}"#).await, "42");
    assert_eq!(add_one(1).await, 2);
}

mod elsewhere {
    use onionskin::tool;

    /// Says hello.
    #[tool]
    pub(crate) fn hello(name: &str) -> String {
        format!("Hello {name}!")
    }

    /// A name of Rust's own.
    #[tool(name = "char", type_name = CharTool)]
    pub(crate) fn char(code: u8) -> String {
        (code as char).to_string()
    }
}
use elsewhere::hello;

#[tokio::test]
async fn t1_one_import_brings_the_function_and_the_tool() {
    assert_eq!(hello("Ada"), "Hello Ada!");
    assert_eq!(text::<hello>(r#"{"name": "Ad\u0061 \"L\""}"#).await, "Hello Ada \"L\"!");
    assert_eq!(text::<elsewhere::CharTool>(r#"{"code": 65}"#).await, "A");
    assert_eq!(elsewhere::CharTool::NAME, "char");
    assert_eq!(elsewhere::char(66), "B");
}

#[tokio::test]
async fn t1_functions_in_functions_and_raw_names_and_macros() {
    /// Doubles.
    #[tool]
    fn r#type(r#match: i32) -> i32 {
        r#match * 2
    }
    assert_eq!(r#type::NAME, "type");
    assert_eq!(text::<r#type>(r#"{"match": 4}"#).await, "8");

    macro_rules! make {
        ($name:ident, $doc:expr, $ty:ty) => {
            #[doc = $doc]
            #[tool]
            fn $name(value: $ty) -> $ty {
                value
            }
        };
    }
    make!(same, "Gives it back.", Option<u8>);
    assert_eq!(text::<same>(r#"{"value": 4}"#).await, "4");
    assert_eq!(&*definition::<same>().description, "Gives it back.");
}

/// First paragraph,
/// in two lines.
#[allow(clippy::needless_pass_by_value)]
///
/// - a list
///   - indented
///
/// # Arguments
/// * `first` - the first
///   of them
/// * `second` - overruled
///
/// # Errors
/// Never.
///
/// # Notes
/// Kept.
///
/// # Returns
/// The sum.
#[tool]
#[must_use]
fn documented(
    first: i64,
    /// its own
    second: i64,
) -> i64 {
    first + second
}

/// # Arguments
/// Kept.
#[tool(parse_docs = false)]
fn unparsed(x: bool) -> bool {
    x
}

#[test]
fn t2_paragraphs_are_kept_and_sections_go_where_they_belong() {
    let tool = definition::<documented>();
    let words = "First paragraph,\nin two lines.\n\n- a list\n  - indented\n\n# Notes\nKept.";
    assert_eq!(&*tool.description, words);
    assert_eq!(tool.input_schema["properties"]["first"]["description"], "the first\nof them");
    assert_eq!(tool.input_schema["properties"]["second"]["description"], "its own");
    assert_eq!(tool.output_schema.unwrap()["description"], "The sum.");
    assert_eq!(&*definition::<unparsed>().description, "# Arguments\nKept.");
    assert_eq!(documented(1, 2), 3);
}

#[derive(serde::Deserialize, schemars::JsonSchema, Debug)]
#[expect(dead_code, reason = "read by its `Debug`")]
struct Point {
    x: i32,
    #[serde(default)]
    y: Option<i32>,
}

/// Borrows everything.
#[tool]
async fn borrowed(
    text: &str,
    maybe: Option<&str>,
    list: &[i64],
    some: Option<&[String]>,
    point: &Point,
    other: Option<&Point>,
    cow: Cow<'_, str>,
) -> String {
    format!("{text} {maybe:?} {list:?} {some:?} {point:?} {other:?} {cow}")
}

#[tokio::test]
async fn t3_borrowed_parameters() {
    let out = text::<borrowed>(r#"{"text": "a\nb", "list": [1, 2], "point": {"x": 1}, "cow": "c"}"#).await;
    assert_eq!(out, "a\nb None [1, 2] None Point { x: 1, y: None } None c");
    let required = schema::<borrowed>()["required"].clone();
    assert_eq!(required, json!(["text", "list", "point", "cow"]));
    let out = text::<borrowed>(
        r#"{"text": "", "maybe": "m", "list": [], "some": ["s"], "point": {"x": 1}, "other": {"x": 2}, "cow": "\t"}"#,
    )
    .await;
    assert_eq!(out, " Some(\"m\") [] Some([\"s\"]) Point { x: 1, y: None } Some(Point { x: 2, y: None }) \t");
}

/// Takes defaults.
#[tool]
fn defaults(
    #[arg(default = 5, rename = "count", example = 7)] number: u8,
    #[arg(default)] flag: bool,
    #[arg(default = "en")] language: &str,
    #[arg(default = "x")] owned: String,
    #[arg(default = [1, 2])] list: &[i64],
    #[arg(skip)] hidden: i32,
    #[arg(skip, default = "secret")] quiet: &str,
) -> String {
    format!("{number} {flag} {language} {owned} {list:?} {hidden} {quiet}")
}

#[tokio::test]
async fn t3_defaults_renames_examples_and_skipped_parameters() {
    assert_eq!(text::<defaults>("{}").await, "5 false en x [1, 2] 0 secret");
    let out =
        text::<defaults>(r#"{"count": 1, "flag": true, "language": "de", "owned": "o", "list": []}"#).await;
    assert_eq!(out, "1 true de o [] 0 secret");
    let out = text::<defaults>(r#"{"hidden": 1}"#).await;
    assert!(out.contains("`hidden`: unknown argument"), "{out}");
    let schema = schema::<defaults>();
    assert_eq!(schema["properties"]["count"]["default"], 5);
    assert_eq!(schema["properties"]["count"]["examples"], json!([7]));
    assert_eq!(schema["properties"]["language"]["default"], "en");
    assert_eq!(schema.get("required"), None);
}

const MOST: u8 = 9;

/// Has limits.
#[tool]
fn limited(
    #[arg(range(1..=MOST))] inclusive: Option<u8>,
    #[arg(range(0..10))] below: Option<i64>,
    #[arg(range(-1.5..))] least: Option<f64>,
    #[arg(range(..=3))] most: Option<i32>,
    #[arg(length(2..=3))] word: Option<&str>,
    #[arg(length(..2))] list: Option<Vec<i32>>,
    #[arg(pattern = "^[a-z]+$")] pattern: Option<String>,
) -> bool {
    let _ = (inclusive, below, least, most, word, list, pattern);
    true
}

#[tokio::test]
async fn t3_every_limit_refuses_the_call() {
    let refused = [
        (r#"{"inclusive": 0}"#, "`inclusive`: expected at least 1, found 0"),
        (r#"{"inclusive": 10}"#, "`inclusive`: expected at most 9, found 10"),
        (r#"{"below": 10}"#, "`below`: expected less than 10, found 10"),
        (r#"{"below": -1}"#, "`below`: expected at least 0, found -1"),
        (r#"{"least": -1.6}"#, "`least`: expected at least -1.5, found -1.6"),
        (r#"{"most": 4}"#, "`most`: expected at most 3, found 4"),
        (r#"{"word": "a"}"#, "`word`: expected at least 2 characters, found 1"),
        (r#"{"word": "abcd"}"#, "`word`: expected at most 3 characters, found 4"),
        (r#"{"list": [1, 2]}"#, "`list`: expected at most 1 items, found 2"),
        (r#"{"pattern": "A"}"#, "`pattern`: expected text that matches"),
    ];
    for (args, words) in refused {
        let error = call::<limited>(args).await.unwrap_err();
        assert_eq!(error.as_tool_error().map(ToolError::kind), Some(ErrorKind::Arguments), "{args}");
        assert!(error.to_string().contains(words), "{args}: {error}");
    }
    let fine = r#"{"inclusive": 9, "below": 9, "least": -1.5, "most": 3, "word": "äöü", "list": [1], "pattern": "a"}"#;
    assert_eq!(text::<limited>(fine).await, "true");
}

const PAUSE: Duration = Duration::from_millis(1500);

/// Hidden.
#[tool(
    name = "the-tool",
    title = "The tool",
    description = concat!("What ", "it does."),
    instructions = "Use it.",
    meta = json!({ "icon": "plus" }),
    output_schema = serde_json::json!({"type": "object"}),
    timeout = PAUSE,
    annotations(read_only, destructive = false, open_world),
    effect = pure,
    stop_after,
    max_calls = 3
)]
async fn options() -> i32 {
    1
}

/// Slow.
#[tool(timeout = "2m", effect = once)]
async fn slow() {}

#[tokio::test]
async fn t4_options_reach_the_definition() {
    let tool = definition::<options>();
    assert_eq!((&*tool.name, tool.title.as_deref()), ("the-tool", Some("The tool")));
    assert_eq!((&*tool.description, tool.instructions.as_deref()), ("What it does.", Some("Use it.")));
    assert_eq!(*tool.meta.unwrap(), json!({ "icon": "plus" }));
    assert_eq!(*tool.output_schema.unwrap(), json!({"type": "object"}));
    assert_eq!(tool.timeout, Some(PAUSE));
    assert_eq!(tool.annotations.read_only, Some(true));
    assert_eq!(tool.annotations.destructive, Some(false));
    assert_eq!(tool.annotations.idempotent, None);
    assert_eq!(tool.annotations.open_world, Some(true));
    assert_eq!((tool.effect, tool.stop_after, tool.max_calls), (Effect::Pure, true, Some(3)));
    let tool = definition::<slow>();
    assert_eq!((tool.timeout, tool.effect), (Some(Duration::from_secs(120)), Effect::Once));
    assert_eq!(text::<slow>("{}").await, "done");
}

fn explain(cx: &ToolContext, error: ToolError) -> ToolResult {
    Ok(ToolOutput::text(format!("{} said: {error}", cx.tool_name())))
}

/// Fails.
#[tool(on_error = explain)]
fn fails(how: u8) -> ToolResult<String> {
    match how {
        0 => Err("no".into()),
        1 => Err(Exit::abort("enough")),
        _ => Ok("fine".to_owned()),
    }
}

#[tokio::test]
async fn t4_on_error_answers_tool_errors_only() {
    assert_eq!(text::<fails>(r#"{"how": 0}"#).await, "fails said: no");
    assert_eq!(text::<fails>(r#"{"how": 2}"#).await, "fine");
    assert!(text::<fails>("{}").await.starts_with("fails said: Invalid arguments"));
    assert!(call::<fails>(r#"{"how": 1}"#).await.unwrap_err().is_abort());
}

#[tool_hook]
async fn mark(#[config] with: &'static str, args: &mut Args, next: impl Next) -> ToolResult {
    let mut result = next.run(args).await?;
    result.push_text(with);
    Ok(result)
}

#[tool_hook]
async fn clamp(args: &mut Args, next: impl Next) -> ToolResult {
    args["x"] = 3.into();
    next.run(args).await
}

/// Has hooks.
#[tool(hooks = [mark("a"), mark("b"), clamp])]
async fn hooked(x: i64) -> i64 {
    x
}

#[tokio::test]
async fn t4_own_hooks_stand_around_the_decoding_first_outside() {
    assert_eq!(text::<hooked>(r#"{"x": "wrong"}"#).await, "3ba");
}

/// A tool that is more visible than its hooks.
pub mod visible_outside {
    /// Gives one.
    #[onionskin::tool(hooks = [super::mark("private")])]
    pub fn one() -> u32 {
        1
    }
}

#[tokio::test]
async fn t4_a_public_tool_has_private_hooks() {
    assert_eq!(text::<visible_outside::one>("{}").await, "1private");
}

#[derive(Clone)]
struct Counter {
    calls: u32,
}

struct Caller(String);

impl<'a> Inject<'a> for Caller {
    fn inject(cx: &'a ToolContext) -> Result<Self, Exit> {
        Ok(Self(cx.agent_name().to_owned()))
    }
}

/// Takes what the runtime has.
#[tool]
async fn injected(
    cx: &ToolContext,
    x: i64,
    state: State<Counter>,
    key: IdempotencyKey,
    #[inject] caller: Caller,
    cancel: onionskin::CancellationToken,
) -> String {
    state.update(|counter| counter.calls += 1);
    assert!(!key.as_str().is_empty() && !cancel.is_cancelled() && caller.0 == cx.agent_name());
    format!("{} {x} {}", cx.tool_name(), state.latest().calls)
}

#[tokio::test]
async fn t7_injected_parameters_are_filled_and_never_shown() {
    let cx = ToolContext::detached_with_state("injected", Counter { calls: 1 });
    assert_eq!(call_in::<injected>(&cx, r#"{"x": 1}"#).await.unwrap().to_text(), "injected 1 2");
    assert_eq!(schema::<injected>()["properties"].as_object().unwrap().len(), 1);
    let error = call_in::<injected>(&cx, r#"{"x": 1, "state": 1}"#).await.unwrap_err();
    assert!(error.to_string().contains("`state`: unknown argument"), "{error}");
}

mod shadow {
    #[derive(serde::Deserialize, schemars::JsonSchema)]
    pub(crate) struct State {
        pub(crate) level: u8,
    }
}

/// Takes a user's own `State`.
#[onionskin::tool]
fn own_state(#[arg] state: shadow::State) -> u8 {
    state.level
}

#[tokio::test]
async fn t7_arg_makes_the_model_fill_a_type_of_an_injected_name() {
    assert_eq!(text::<own_state>(r#"{"state": {"level": 3}}"#).await, "3");
}

/// Under conditions.
#[tool]
fn conditional(
    a: i64,
    #[cfg(all())] b: i64,
    /// never there
    #[cfg(any())]
    c: Missing,
    #[cfg(all())] cx: &ToolContext,
) -> String {
    format!("{a} {b} {}", cx.tool_name())
}

/// Never there.
#[tool]
#[cfg(any())]
fn absent(x: Missing) {}

#[tokio::test]
async fn t10_cfg_on_tools_and_on_parameters() {
    assert_eq!(text::<conditional>(r#"{"a": 1, "b": 2}"#).await, "1 2 conditional");
    assert_eq!(schema::<conditional>()["required"], json!(["a", "b"]));
}

/// Fails by a type that can only be displayed.
#[tool]
fn parses(text: &str) -> Result<i64, String> {
    text.parse().map_err(|error| format!("not a number: {error}"))
}

/// Maybe.
#[tool]
fn maybe(x: bool) -> Option<Value> {
    x.then(|| json!({"a": 1}))
}

#[tokio::test]
async fn t6_results() {
    assert_eq!(text::<parses>(r#"{"text": "4"}"#).await, "4");
    assert!(text::<parses>(r#"{"text": "x"}"#).await.starts_with("error: not a number"));
    assert_eq!(text::<maybe>(r#"{"x": true}"#).await, r#"{"a":1}"#);
    assert_eq!(text::<maybe>(r#"{"x": false}"#).await, "null");
    assert_eq!(definition::<parses>().output_schema.unwrap()["properties"]["result"]["type"], "integer");
}

#[tokio::test]
async fn t11_every_wrong_field_is_reported_at_once_and_numbers_in_text_are_read() {
    let out = text::<borrowed>(r#"{"text": 1, "list": ["a"], "pont": {}, "point": {"x": "q"}}"#).await;
    for words in ["`text`", "`list[0]`", "`pont`", "did you mean `point`", "`point.x`", "`cow`: missing"] {
        assert!(out.contains(words), "{words} in {out}");
    }
    assert_eq!(text::<add_one>(r#"{"x": "41"}"#).await, "42");
    assert_eq!(text::<add_one>("```json\n{\"x\": 41,}\n```").await, "42");
}
