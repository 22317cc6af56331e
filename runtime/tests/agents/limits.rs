//! T3: limits are enforced at every depth and for every name of the field.

use onionskin::{Args, Tool, ToolContext, tool};
use schemars::JsonSchema;
use serde::Deserialize;

async fn refusal<T: Tool + Default>(args: &str) -> Option<String> {
    let cx = ToolContext::detached("tool");
    match T::default().run(&cx, &mut Args::from(args)).await {
        Ok(_) => None,
        Err(exit) => Some(exit.to_string()),
    }
}

/// Files a note.
#[tool]
fn note(#[arg(length(..=3))] description: String) -> String {
    description
}

/// Sets a level.
#[tool]
fn level(#[arg(range(..=10))] default: i64) -> i64 {
    default
}

#[derive(Deserialize, JsonSchema)]
struct Card {
    #[schemars(length(max = 3))]
    description: String,
}

/// Files a card.
#[tool]
fn file_card(card: Card) -> String {
    card.description
}

#[tokio::test]
async fn t3_a_field_called_like_a_keyword_is_limited_like_any_other() {
    assert_eq!(refusal::<note>(r#"{"description":"abc"}"#).await, None);
    let text = refusal::<note>(r#"{"description":"abcd"}"#).await.expect("too long");
    assert!(text.contains("at most 3 characters"), "{text}");

    let text = refusal::<level>(r#"{"default":11}"#).await.expect("too much");
    assert!(text.contains("at most 10"), "{text}");

    assert_eq!(refusal::<file_card>(r#"{"card":{"description":"abc"}}"#).await, None);
    let text = refusal::<file_card>(r#"{"card":{"description":"abcd"}}"#).await.expect("too long");
    assert!(text.contains("`card.description`"), "{text}");
}

/// Takes anything.
#[tool]
fn take(x: serde_json::Value) -> String {
    x.to_string()
}

/// Counts by name.
#[tool]
fn tally(counts: std::collections::HashMap<String, u32>) -> usize {
    counts.len()
}

#[tokio::test]
async fn t11_a_key_that_stands_twice_is_refused_at_any_depth_whether_a_hook_looks_or_not() {
    for text in [r#"{"x":{"a":1,"a":2}}"#, r#"{"x":[{"b":{"a":1,"\u0061":2}}]}"#] {
        let mut args = Args::from(text);
        assert!(args.as_object().is_err());
        let cx = ToolContext::detached("take");
        assert!(take::default().run(&cx, &mut args).await.is_err(), "{text}");
        let told = refusal::<take>(text).await.expect("twice");
        assert!(told.contains("the key `a` occurs twice"), "{told}");
    }
    let told = refusal::<tally>(r#"{"counts":{"a":1,"a":2}}"#).await.expect("twice");
    assert!(told.contains("the key `a` occurs twice"), "{told}");
    let told = refusal::<tally>(r#"{"counts":"{\"a\":1,\"a\":2}"}"#).await.expect("twice in text");
    assert!(told.contains("expected an object"), "{told}");
    assert_eq!(refusal::<tally>(r#"{"counts":"{\"a\":1}"}"#).await, None);
}

#[derive(Deserialize, JsonSchema)]
struct Score {
    #[schemars(range(max = 10))]
    points: u8,
}

/// Scores by number.
#[tool]
fn scores(by_number: std::collections::HashMap<u32, Score>) -> u32 {
    by_number.values().map(|score| u32::from(score.points)).sum()
}

#[tokio::test]
async fn t3_a_map_whose_keys_are_numbers_is_checked_by_its_values() {
    assert_eq!(refusal::<scores>(r#"{"by_number":{"1":{"points":10}}}"#).await, None);
    assert_eq!(refusal::<scores>(r#"{"by_number":{"1":{"points":"9"}}}"#).await, None);
    let told =
        refusal::<scores>(r#"{"by_number":{"1":{"points":11},"2":{"points":"x"}}}"#).await.expect("wrong");
    assert!(told.contains("`by_number.1.points`: expected at most 10"), "{told}");
    assert!(told.contains("`by_number.2.points`: expected an integer"), "{told}");
    assert!(!told.contains("unknown"), "{told}");
}

#[derive(Deserialize, JsonSchema)]
struct Node {
    #[schemars(range(max = 10))]
    weight: u8,
    next: Option<Box<Node>>,
}

/// Weighs a chain.
#[tool]
fn weigh(chain: Node) -> u32 {
    let (mut node, mut sum) = (Some(&chain), 0);
    while let Some(this) = node {
        sum += u32::from(this.weight);
        node = this.next.as_deref();
    }
    sum
}

#[tokio::test]
async fn t3_limits_hold_at_every_depth_that_can_be_read() {
    for depth in [1, 30, 97] {
        let text = |last: u32| {
            let open = r#"{"weight":1,"next":"#.repeat(depth);
            format!(r#"{{"chain":{open}{{"weight":{last}}}{}}}"#, "}".repeat(depth))
        };
        assert_eq!(refusal::<weigh>(&text(10)).await, None, "{depth}");
        let told = refusal::<weigh>(&text(11)).await.expect("too heavy");
        // A long path is cut.
        let place =
            if depth > 30 { "more bytes`: expected at most 10" } else { "weight`: expected at most 10" };
        assert!(told.contains(place), "{depth}: {told}");
    }
}

const LEAST: i64 = 1;
const MOST: i64 = 300;

/// Takes a default that a constant leaves out.
#[tool]
fn above_a_constant(#[arg(range(LEAST..), default = 0)] x: i64) -> i64 {
    x
}

/// Allows what its parameter cannot hold.
#[tool]
fn beyond_the_type(#[arg(range(..=MOST))] x: u8) -> u8 {
    x
}

#[derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
struct Name(String);

/// Takes a default of a type of its own.
#[tool]
fn named(#[arg(length(3..), default = Name("ab".to_owned()))] name: Name) -> usize {
    name.0.len()
}

/// Shows an example that it would refuse.
#[tool]
fn shown(#[arg(pattern = "^[a-z]+$", example = "A1".to_owned())] name: String) -> usize {
    name.len()
}

/// Is sound.
#[tool]
fn sound(
    #[arg(range(LEAST..=MOST), default = 1)] x: u16,
    #[arg(length(3..), default = None)] name: Option<Name>,
) -> u16 {
    x + u16::from(name.is_some())
}

fn words_of(tool: &impl Tool) -> String {
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| drop(tool.definition().clone())));
    let words = panicked.expect_err("it is sound").downcast::<String>();
    *words.expect("it panicked without words")
}

#[test]
fn t3_limits_that_contradict_what_stands_beside_them_are_found_when_the_tool_is_defined() {
    assert_eq!(
        words_of(&above_a_constant::default()),
        "the default of the parameter `x` of the tool `above_a_constant` is outside of its limits: `x`: expected at \
         least 1, found 0"
    );
    assert_eq!(
        words_of(&beyond_the_type::default()),
        "the maximum 300 of the parameter `x` of the tool `beyond_the_type` is beyond what its type holds, which is 255"
    );
    assert_eq!(
        words_of(&named::default()),
        "the default of the parameter `name` of the tool `named` is outside of its limits: `name`: expected at \
         least 3 characters, found 2"
    );
    let words = words_of(&shown::default());
    assert!(
        words.starts_with("the example of the parameter `name` of the tool `shown` is outside"),
        "{words}"
    );
    sound::default().definition();
}

onionskin::agent! { Unsound { instruction: "Count.", function_tools: [above_a_constant] } }

#[tokio::test]
async fn t3_an_agent_whose_tool_contradicts_itself_is_not_built() {
    let error = Unsound::builder().model(onionskin::ScriptedModel::new()).build().await.unwrap_err();
    assert!(matches!(error, onionskin::BuildError::Panicked { .. }), "{error}");
    assert!(error.to_string().contains("the schema of the tool `above_a_constant`"), "{error}");
    assert!(error.to_string().contains("is outside of its limits"), "{error}");
}
