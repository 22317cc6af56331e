//! The hook `clamp_argument`.

use onionskin::hooks::clamp_argument;
use onionskin::run::ToolCaller;
use onionskin::spec::Transform;
use onionskin::{Args, ErrorKind, agent, call, tool};

use crate::inner::error_of;

/// Adds one.
#[tool]
fn add_one(x: i64) -> i64 {
    x + 1
}

/// Halves.
#[tool]
fn halve(x: Option<f64>) -> Option<f64> {
    x.map(|x| x / 2.0)
}

/// Greets.
#[tool]
fn greet(name: String) -> String {
    name
}

agent! {
    Clerk {
        instruction: "Add.",
        function_tools: [add_one, halve, greet],
        tool_hooks: [clamp_argument("x", 0..=10) for [add_one, halve], clamp_argument("mane", 0..=1) for [greet]],
    }
}

async fn call(tool: &str, args: &str) -> onionskin::ToolResult {
    let clerk = ToolCaller::<Clerk>::new();
    clerk.call(&clerk.context(tool).unwrap(), &mut Args::from(args)).await
}

#[tokio::test]
async fn h9_a_number_is_held_to_its_range_however_it_is_written() {
    for (tool, args, result) in [
        ("add_one", r#"{"x": 41}"#, "11"),
        ("add_one", r#"{"x": "41"}"#, "11"),
        ("add_one", r#"{"x": 41.0}"#, "11"),
        ("add_one", r#"{"x": -5}"#, "1"),
        ("add_one", r#"{"x": 10}"#, "11"),
        ("add_one", r#"{"x": 18446744073709551615}"#, "11"),
        ("add_one", r#"{"x": 1e300}"#, "11"),
        ("halve", r#"{"x": 10.5}"#, "5.0"),
        ("halve", r#"{"x": 9.5}"#, "4.75"),
        ("halve", r#"{"x": -0.5}"#, "0.0"),
        ("halve", "{}", "null"),
    ] {
        assert_eq!(call(tool, args).await.unwrap().to_text(), result, "{tool} {args}");
    }
}

#[tokio::test]
async fn h9_what_is_no_number_is_left_to_the_tool() {
    let (kind, _) = error_of(call("add_one", r#"{"x": "many"}"#).await);
    assert_eq!(kind, ErrorKind::Arguments);
    assert_eq!(error_of(call("add_one", "[]").await).0, ErrorKind::Arguments);
}

#[tokio::test]
async fn h9_a_name_that_the_tool_does_not_have_refuses_the_call() {
    let refused = error_of(call("greet", r#"{"name": "Ada"}"#).await);
    let text = "`greet` has no argument `mane`, which a hook holds to a range, so it was not called";
    assert_eq!(refused, (ErrorKind::Denied, text.to_owned()));
}

/// Lists.
#[tool(hooks = [clamp_argument("limit", 0..=10)])]
fn list(limit: i64) -> i64 {
    limit
}

/// Lists.
#[tool(hooks = [clamp_argument("n", 0..=10)])]
fn list_misspelt(limit: i64) -> i64 {
    limit
}

#[tokio::test]
async fn h9_a_hook_of_a_renamed_tool_names_the_argument_of_its_function() {
    for (mut spec, clamped) in [(list::spec(), Some("10")), (list_misspelt::spec(), None)] {
        spec.transform(Transform::new().rename("limit", "n")).unwrap();
        let said = call!(spec, n = 41).await;
        match clamped {
            Some(clamped) => assert_eq!(said.unwrap().to_string(), clamped),
            None => assert_eq!(said.unwrap_err().as_tool_error().unwrap().kind(), ErrorKind::Denied),
        }
    }
}

#[test]
#[should_panic(expected = "is empty: write the smaller number first")]
fn h9_an_empty_range_panics() {
    #[expect(clippy::reversed_empty_ranges, reason = "the mistake under test")]
    let _ = clamp_argument::new("x", 10..=0);
}
