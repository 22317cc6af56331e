//! Beside the derives that it belongs to.
#![deny(warnings, missing_docs, nonstandard_style, unused, unreachable_pub, clippy::pedantic, let_underscore_drop)]
#![allow(clippy::unused_async, clippy::needless_pass_by_value, clippy::unnecessary_wraps, reason = "of the functions themselves")]

use std::borrow::Cow;

use onionskin::{Strict, Tool, tool};

/// A question.
#[derive(serde::Deserialize, schemars::JsonSchema, Strict)]
pub struct Query<'a> {
    /// The words.
    pub words: Vec<Cow<'a, str>>,
    /// Where.
    #[serde(flatten)]
    pub place: Place,
}

/// Where.
#[derive(serde::Deserialize, schemars::JsonSchema, Strict)]
#[serde(tag = "kind", deny_unknown_fields)]
pub enum Place {
    /// In a room.
    Room {
        /// Which.
        number: u8,
    },
    /// Anywhere.
    Anywhere,
}

/// Searches.
#[tool(strict)]
fn search(query: Query<'_>, limit: Option<u8>) -> usize {
    query.words.len() + usize::from(limit.unwrap_or_default())
}

pub(crate) fn main() {
    assert!(search::default().definition().is_strict());
}
