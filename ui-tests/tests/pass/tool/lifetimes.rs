use onionskin::tool;

use std::borrow::Cow;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Query<'a> {
    #[serde(borrow)]
    text: Cow<'a, str>,
}

/// The longer one.
#[tool]
fn longer<'a>(a: &'a str, b: &'a str) -> &'a str {
    if a.len() > b.len() { a } else { b }
}

/// The same, later.
#[tool]
async fn first(a: &str) -> &str {
    a
}

/// Text of a query.
#[tool]
async fn query(query: Query<'_>) -> String {
    query.text.into_owned()
}

/// A constant.
#[tool]
fn constant() -> &'static str {
    "constant"
}

pub(crate) fn main() {}
