//! Whole numbers beyond `u64`: exact for tools, also where a hook changed the arguments, or refused.
#![allow(missing_docs, clippy::unwrap_used, reason = "tests say what they expect, and their tools are small")]

use onionskin::{Args, ErrorKind, Next, ToolCaller, ToolResult, agent, hooks, tool, tool_hook};

const LONG: &str = "170141183460469231731687303715884105727";

/// Where a thing is.
#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Place {
    id: u128,
}

/// Tells what it got.
#[tool]
fn tell(x: i64, id: i128, place: Option<Place>, #[arg(range(0..), default)] positive: u128) -> String {
    format!("{x} {id} {} {positive}", place.map_or(0, |place| place.id))
}

/// Takes lists.
#[tool]
fn sum(ids: Vec<u128>, more: Option<u128>) -> String {
    ids.into_iter().chain(more).sum::<u128>().to_string()
}

#[tool_hook]
async fn clamp(args: &mut Args, next: impl Next) -> ToolResult {
    if let Some(x) = args.get("x").and_then(serde_json::Value::as_i64) {
        args["x"] = x.min(10).into();
    }
    args.remove("note");
    if let Some(first) = args["ids"].get(0).cloned().filter(|_| args["more"] == "first") {
        args["more"] = first;
    }
    next.run(args).await
}

agent! {
    Clerk { instruction: "Tell.", function_tools: [tell, sum], tool_hooks: [hooks::retry(2), clamp] }
    Plain { instruction: "Tell.", function_tools: [tell, sum] }
}

async fn clerk(tool: &str, args: &str) -> ToolResult {
    let tools = ToolCaller::<Clerk>::new();
    tools.call(&tools.context(tool).unwrap(), &mut Args::from(args)).await
}

async fn told(tool: &str, args: &str) -> String {
    clerk(tool, args).await.unwrap().to_text().into_owned()
}

#[tokio::test]
async fn t3_a_long_number_reaches_its_parameter_as_it_was_written() {
    let tools = ToolCaller::<Plain>::new();
    let args = format!(r#"{{"x": 1, "id": -{LONG}, "place": {{"id": {LONG}}}, "positive": {LONG}}}"#);
    let output = tools.call(&tools.context("tell").unwrap(), &mut Args::from(args)).await.unwrap();
    assert_eq!(output.to_text(), format!("1 -{LONG} {LONG} {LONG}"));
}

#[tokio::test]
async fn h1_a_hook_that_changes_another_argument_leaves_a_long_number_its_digits() {
    let args =
        format!(r#"{{"x": 41, "id": -{LONG}, "place": {{"id": {LONG}}}, "note": 1, "positive": {LONG}}}"#);
    assert_eq!(told("tell", &args).await, format!("10 -{LONG} {LONG} {LONG}"));
    assert_eq!(told("tell", r#"{"x": 41, "id": 18446744073709551617}"#).await, "10 18446744073709551617 0 0");
    // Also where the hook moves it.
    let args = r#"{"ids": [18446744073709551617, 2], "more": "first"}"#;
    assert_eq!(told("sum", args).await, "36893488147419103236");
}

#[tokio::test]
async fn h1_long_numbers_that_look_the_same_to_a_hook_are_refused() {
    let args = r#"{"ids": [18446744073709551617, 18446744073709551618], "note": ""}"#;
    let error = clerk("sum", args).await.unwrap_err();
    assert_eq!(error.as_tool_error().unwrap().kind(), ErrorKind::Arguments);
    let text = error.to_string();
    assert!(
        text.starts_with("Invalid arguments for `sum`; it did not run:\n- the arguments cannot be used:"),
        "{text}"
    );
    assert!(text.contains("it cannot tell 18446744073709551617 from 18446744073709551618"), "{text}");
    // Nobody changed these.
    let args = r#"{"ids": [18446744073709551617, 18446744073709551618]}"#;
    let tools = ToolCaller::<Plain>::new();
    let output = tools.call(&tools.context("sum").unwrap(), &mut Args::from(args)).await.unwrap();
    assert_eq!(output.to_text(), "36893488147419103235");
}

#[tokio::test]
async fn t11_a_number_that_does_not_fit_is_refused_however_long_it_is() {
    for number in ["18446744073709551616", "1e30", "-9223372036854775809"] {
        let error = clerk("tell", &format!(r#"{{"x": {number}, "id": 1}}"#)).await.unwrap_err();
        assert_eq!(error.as_tool_error().unwrap().kind(), ErrorKind::Arguments, "{number}");
        assert!(error.to_string().contains("- `x`: "), "{error}");
    }
}
