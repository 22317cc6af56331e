//! Ready toolboxes, each behind a feature of its own. They use `#[toolbox]` like toolboxes of users: an agent names the type in
//! `toolboxes: [..]` and gets the object when it is built.

#![forbid(unsafe_code)]
// A new variant of an enum must be handled in each `match`.
#![cfg_attr(not(test), warn(clippy::wildcard_enum_match_arm))]
#![cfg_attr(docsrs, feature(doc_cfg))]

// `#[toolbox]` names the runtime by this path.
#[cfg(any(feature = "knowledge-base", feature = "memory", feature = "web-search"))]
extern crate onionskin_core as onionskin;

#[cfg(feature = "knowledge-base")]
mod knowledge;
#[cfg(feature = "memory")]
mod memory;
#[cfg(feature = "web-search")]
mod web;

#[cfg(feature = "knowledge-base")]
pub use knowledge::{Document, DocumentId, KnowledgeBase, KnowledgeError, SearchHit};
#[cfg(feature = "memory")]
pub use memory::{Culture, Learnings, MemoryHit, UserMemories};
#[cfg(feature = "web-search")]
pub use web::{WebPage, WebSearch, WebSearchBuilder, WebSearchError};

/// Cuts a text to this number of characters and marks the cut. The text before the mark may end with the beginning of a secret.
#[cfg(any(feature = "knowledge-base", feature = "memory", feature = "web-search"))]
fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some(_) => text.chars().take(most.saturating_sub(1)).chain(['\u{2026}']).collect(),
        None => text.to_owned(),
    }
}

/// A text on one line, so that it cannot look like several.
#[cfg(any(feature = "knowledge-base", feature = "memory"))]
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
