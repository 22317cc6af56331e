//! Lints of every kind, forbidden. `forbid(unused)`, which rustc means to refuse one day, is in `features.rs`.
#![forbid(warnings, missing_docs, nonstandard_style, unreachable_pub, unused_qualifications)]
#![forbid(unused_imports, unused_variables, unused_visibilities, unused_assignments, unused_mut, unreachable_code)]
#![forbid(unreachable_patterns, unused_must_use, unused_unsafe, path_statements, unused_attributes, unused_macros)]
#![forbid(unused_macro_rules, unused_allocation, unused_doc_comments, unused_extern_crates, unused_features)]
#![forbid(unused_labels, unused_parens, unused_braces, redundant_semicolons, map_unit_fn)]
#![deny(clippy::pedantic, dead_code, single_use_lifetimes, let_underscore_drop, unused_results, elided_lifetimes_in_paths)]
#![allow(clippy::unused_async, clippy::needless_pass_by_value, clippy::unnecessary_wraps, reason = "of the functions themselves")]

use std::borrow::Cow;

use onionskin::{Strict, Tool, ToolContext, tool};

/// Greets.
#[tool(title = "Greet", annotations(read_only), timeout = 30)]
async fn greet_them(
    /// who
    name: &str,
    other: Option<&str>,
    more: &[u8],
    cow: Cow<'_, str>,
    #[arg(default = 1, range(1..=3))] times: u8,
    context: &ToolContext,
) -> String {
    format!("{name} {other:?} {more:?} {cow} {times} {}", context.tool_name())
}

/// Does nothing.
#[tool(blocking)]
fn nothing() {}

/// Fails.
#[tool]
fn fails(x: u8) -> Result<u8, String> {
    Ok(x)
}

/// A question.
#[derive(Strict)]
pub struct Query {
    /// The words.
    pub words: Vec<Cow<'static, str>>,
    /// As they were written.
    pub text: &'static str,
    /// Where.
    pub place: Place,
}

/// Where.
#[derive(Strict)]
pub enum Place {
    /// In a room.
    Room {
        /// Which.
        number: u8,
        /// The former one.
        former: Option<Box<Self>>,
    },
    /// Anywhere.
    Anywhere,
}

/// Searches.
#[tool(strict)]
fn search(words: Vec<String>, limit: Option<u8>) -> usize {
    words.len() + usize::from(limit.unwrap_or_default())
}

pub(crate) fn main() {
    assert!(search::default().definition().is_strict());
    println!("{}{}{}", greet_them::NAME, nothing::NAME, fails::NAME);
    println!("{}", greet_them::default().definition().name);
    println!("{}", nothing::default().definition().name);
    println!("{}", fails::default().definition().name);
}
