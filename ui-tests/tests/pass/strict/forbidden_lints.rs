//! Lints of every kind, forbidden. `forbid(unused)`, which rustc means to refuse one day, is in `features.rs`.
#![forbid(warnings, missing_docs, nonstandard_style, unreachable_pub, unused_qualifications)]
#![forbid(unused_imports, unused_variables, unused_visibilities, unused_assignments, unused_mut, unreachable_code)]
#![forbid(unreachable_patterns, unused_must_use, unused_unsafe, path_statements, unused_attributes, unused_macros)]
#![forbid(unused_macro_rules, unused_allocation, unused_doc_comments, unused_extern_crates, unused_features)]
#![forbid(unused_labels, unused_parens, unused_braces, redundant_semicolons, map_unit_fn)]
#![deny(clippy::pedantic, dead_code, single_use_lifetimes, let_underscore_drop, unused_results, elided_lifetimes_in_paths)]
#![allow(clippy::unused_async, clippy::needless_pass_by_value, clippy::unnecessary_wraps, reason = "of the functions themselves")]

use std::borrow::Cow;

use onionskin::{Strict, Tool, tool};

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
}
