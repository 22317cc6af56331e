use std::borrow::Cow;

use onionskin::tool;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Query<'a> {
    words: Cow<'a, str>,
}

/// Searches.
#[tool(strict)]
fn search(query: Query<'_>) -> usize {
    query.words.len()
}

fn main() {}
