//! Lints of every kind, forbidden.
#![forbid(warnings, missing_docs, nonstandard_style, unused, unreachable_pub, unused_qualifications, clippy::pedantic)]
#![deny(single_use_lifetimes, let_underscore_drop, unused_results, elided_lifetimes_in_paths)]

use std::borrow::Cow;

use onionskin::{Strict, Tool, tool};

/// What is asked for.
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

fn main() {
    assert!(search::default().definition().is_strict());
}
