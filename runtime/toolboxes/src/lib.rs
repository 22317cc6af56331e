//! Toolboxes that come with the runtime, each behind a feature of its own. They are written as a user's are, with
//! `#[toolbox]`; an agent names the type in `toolboxes: [..]` and is given the object when it is built.

#![forbid(unsafe_code)]

// `#[toolbox]` names the runtime by this path.
#[cfg(any(feature = "knowledge-base", feature = "web-search"))]
extern crate onionskin_core as onionskin;

#[cfg(feature = "knowledge-base")]
mod knowledge;
#[cfg(feature = "web-search")]
mod web;

#[cfg(feature = "knowledge-base")]
pub use knowledge::{Document, DocumentId, Found, KnowledgeBase, KnowledgeError};
#[cfg(feature = "web-search")]
pub use web::{WebPage, WebSearch, WebSearchBuilder, WebSearchError};

/// At most so many characters, and the mark of a cut where there were more: the text before it may end with the beginning of a
/// secret.
fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some(_) => text.chars().take(most.saturating_sub(1)).chain(['\u{2026}']).collect(),
        None => text.to_owned(),
    }
}
