//! T3: limits are kept wherever they stand and whatever the field is called.
#![allow(missing_docs)]

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
