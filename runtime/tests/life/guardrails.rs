//! `#[guardrail]` in its forms, declared and added.

use onionskin::content::ContentBlock;
use onionskin::guardrails::{InputGuardrail, OutputGuardrail};
use onionskin::{
    Args, ErrorKind, Exit, State, ToolContext, ToolOutput, ToolResult, ToolSpec, call, guardrail, tool,
};
use serde_json::json;

use crate::support::{Log, call as run, context, text_and_kind};

#[guardrail(input)]
fn no_thirteen(args: &Args) -> Result<(), String> {
    if args["x"] == 13 { Err("nope".to_owned()) } else { Ok(()) }
}

#[guardrail(input)]
fn at_most(#[config] most: i64, args: &mut Args) {
    if let Some(x) = args["x"].as_i64() {
        args["x"] = x.min(most).into();
    }
}

#[guardrail(output)]
fn no_answer(output: &ToolOutput) -> Result<(), &'static str> {
    if output.to_text() == "42" { Err("redacted") } else { Ok(()) }
}

/// Adds one.
#[tool(input_guardrails = [no_thirteen, at_most(100)], output_guardrails = [no_answer])]
fn add_one(x: i64) -> i64 {
    x + 1
}

#[tokio::test]
async fn l1_input_guardrail_rejects_and_the_reason_is_sent() {
    let result = run::<add_one>(r#"{"x": 13}"#).await;
    assert_eq!(text_and_kind(&result), ("nope".to_owned(), Some(ErrorKind::Denied)));
    assert_eq!(text_and_kind(&run::<add_one>(r#"{"x": 1}"#).await), ("2".to_owned(), None));
}

#[tokio::test]
async fn l1_input_guardrail_rewrites() {
    assert_eq!(text_and_kind(&run::<add_one>(r#"{"x": 1000}"#).await).0, "101");
}

#[tokio::test]
async fn l1_output_guardrail_rejects_and_its_text_stands_in() {
    let result = run::<add_one>(r#"{"x": 41}"#).await;
    let withheld = "`add_one` has run; its result is withheld: redacted";
    assert_eq!(text_and_kind(&result), (withheld.to_owned(), Some(ErrorKind::Withheld)));
}

#[guardrail(input)]
async fn fixed(args: Args) -> Args {
    tokio::task::yield_now().await;
    Args::from(format!("{}", json!({ "text": args["text"], "how": "fixed" })))
}

#[guardrail(input)]
fn checked(name: &str, ctx: &ToolContext, log: State<Log>, arguments: &Args) -> ToolResult<()> {
    log.push(format!("{name} {} {}", ctx.agent_name(), arguments["how"]));
    match arguments["text"].as_str() {
        Some("retry") => Err(Exit::retry("again")),
        Some("stop") => Err(Exit::stop("stopped")),
        Some("abort") => Err(Exit::abort("aborted")),
        _ => Ok(()),
    }
}

#[guardrail(output)]
fn loud(mut output: ToolOutput) -> ToolOutput {
    output.push_text("!");
    output
}

#[guardrail(output)]
async fn both_ways(#[config] mark: &'static str, args: &Args, result: &mut ToolResult) {
    tokio::task::yield_now().await;
    match result {
        Ok(output) => output.push_text(format!("{mark}{}", args["how"])),
        Err(Exit::Tool(error)) => error.output_mut().push_text(mark),
        Err(_) => {}
    }
}

#[guardrail(output)]
fn replaced(output: &ToolOutput) -> Result<ToolOutput, std::fmt::Error> {
    match &*output.to_text() {
        "error" => Err(std::fmt::Error),
        "picture" => Ok(ContentBlock::from("[picture]").into()),
        _ => Ok(output.clone()),
    }
}

/// Says it, or fails.
#[tool(input_guardrails = [fixed, checked], output_guardrails = [loud, both_ways("?"), replaced])]
async fn say(text: &str, how: &str) -> ToolResult<String> {
    match text {
        "fail" => Err("failed".into()),
        "stop later" => Err(Exit::stop("picture")),
        "abort later" => Err(Exit::abort("over")),
        text => Ok(format!("{text} {how}")),
    }
}

#[tokio::test]
async fn l1_guardrails_of_all_forms() {
    let (cx, log) = context("say");
    let tool = say::spec();
    let run = async |text: &str| {
        let mut args = Args::from(json!({ "text": text }).to_string());
        onionskin::DynTool::run_dyn(&tool, &cx, &mut args).await
    };
    assert_eq!(text_and_kind(&run("hi").await).0, "hi fixed!?\"fixed\"");
    assert_eq!(log.take(), ["say detached \"fixed\""]);
    assert_eq!(text_and_kind(&run("fail").await).0, "failed?");
    assert_eq!(text_and_kind(&run("retry").await), ("again".to_owned(), Some(ErrorKind::Retry)));
    assert!(matches!(run("stop").await, Err(Exit::Stop(_))));
    assert!(matches!(run("abort").await, Err(Exit::Abort(_))));
    assert!(matches!(run("abort later").await, Err(Exit::Abort(_))));
}

#[guardrail(output)]
fn no_pictures(output: &mut ToolOutput) -> Result<(), String> {
    if output.to_text().contains("secret") {
        return Err("withheld".to_owned());
    }
    output.push_text(" (seen)");
    Ok(())
}

/// Stops the run with this text.
#[tool(output_guardrails = [no_pictures])]
fn stop_with(text: String) -> ToolResult<()> {
    Err(Exit::stop(text))
}

#[tokio::test]
async fn l1_what_stops_the_run_goes_through_output_guardrails() {
    match run::<stop_with>(r#"{"text": "fine"}"#).await {
        Err(Exit::Stop(stop)) => assert_eq!(stop.output().to_text(), "fine (seen)"),
        other => panic!("{other:?}"),
    }
    assert_eq!(
        text_and_kind(&run::<stop_with>(r#"{"text": "a secret"}"#).await),
        ("`stop_with` has run; its result is withheld: withheld".to_owned(), Some(ErrorKind::Withheld))
    );
}

#[guardrail(input)]
fn breaks(args: &mut Args) {
    args["x"] = 1.into();
    panic!("oh");
}

#[guardrail(output)]
fn breaks_late(_output: &ToolOutput) {
    panic!("oh no");
}

/// Must not run.
#[tool(input_guardrails = [breaks])]
fn guarded(x: i64, log: State<Log>) -> i64 {
    log.push("ran");
    x
}

/// Must not be seen.
#[tool(output_guardrails = [breaks_late])]
fn shown(x: i64) -> i64 {
    x
}

#[tokio::test]
async fn l1_a_guardrail_that_panics_refuses() {
    let (cx, log) = context("guarded");
    let result = onionskin::DynTool::run_dyn(&guarded::default(), &cx, &mut Args::from(r#"{"x": 7}"#)).await;
    assert_eq!(
        text_and_kind(&result),
        ("a guardrail of `guarded` panicked: oh".to_owned(), Some(ErrorKind::Panic))
    );
    assert!(log.take().is_empty());
    let (text, kind) = text_and_kind(&run::<shown>(r#"{"x": 7}"#).await);
    let withheld = "`shown` has run; its result is withheld: a guardrail of `shown` panicked: oh no";
    assert_eq!((text.as_str(), kind), (withheld, Some(ErrorKind::Panic)));
}

/// A guardrail by hand, which counts.
#[derive(Clone)]
struct Marks(&'static str);

impl InputGuardrail for Marks {
    type Made = onionskin::made::AtRunTime;

    async fn check(&self, _: &ToolContext, args: &mut Args) -> ToolResult<()> {
        let marks = args["marks"].as_str().unwrap_or_default().to_owned() + self.0;
        args["marks"] = marks.into();
        Ok(())
    }
}

impl OutputGuardrail for Last {
    type Made = onionskin::made::ByDefault;

    async fn check(&self, _: &ToolContext, _: &Args, result: ToolResult) -> ToolResult {
        let mut output = result?;
        output.push_text("<");
        Ok(output)
    }
}

#[derive(Default)]
struct Last;

#[guardrail(input)]
fn first(args: &mut Args) {
    let marks = args["marks"].as_str().unwrap_or_default().to_owned() + "1";
    args["marks"] = marks.into();
}

/// Gives the marks.
#[tool(input_guardrails = [first], output_guardrails = [Last])]
fn marked(#[arg(default)] marks: String) -> String {
    marks
}

#[tokio::test]
async fn l1_added_guardrails_come_after_declared_ones() {
    let mut spec = marked::spec();
    spec.add_input_guardrails((Marks("2"), Marks("3"))).add_output_guardrails(loud::new());
    let added: Vec<std::sync::Arc<dyn onionskin::guardrails::DynInputGuardrail>> =
        vec![std::sync::Arc::new(Marks("4"))];
    spec.add_input_guardrails(added);
    assert_eq!(spec.call(json!({})).await.unwrap(), "1234");
    let text = spec.exec(json!({})).await.output().unwrap().to_text().into_owned();
    assert_eq!(text, "1234<!");
    // The clone and the function go their own ways.
    let mut other = spec.clone();
    other.add_input_guardrails(Marks("5"));
    assert_eq!(other.call(json!({})).await.unwrap(), "12345");
    assert_eq!(spec.call(json!({})).await.unwrap(), "1234");
    assert_eq!(marked::spec().call(json!({})).await.unwrap(), "1");
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Number {
    x: i64,
}

#[tokio::test]
async fn l1_guardrails_of_a_closure_see_what_the_caller_gives() {
    let mut spec = ToolSpec::from_fn("double", "Doubles.", |args: Number, _| async move { Ok(args.x * 2) });
    spec.add_input_guardrails(no_thirteen::new()).add_output_guardrails(no_answer::new());
    assert_eq!(call!(spec, x = 4).await.unwrap(), 8);
    assert_eq!(call!(spec, x = 13).await.unwrap_err().to_string(), "nope");
    let withheld = call!(spec, x = 21).await.unwrap_err().to_string();
    assert_eq!(withheld, "`double` has run; its result is withheld: redacted");
    spec.bind("x", None, json!(13)).unwrap();
    // What is bound is not the caller's, so the guardrail has no such argument.
    let refused = call!(spec).await.unwrap_err().to_string();
    assert!(
        refused.starts_with("a guardrail of `double` panicked: the tool has no argument `x`"),
        "{refused}"
    );
}
