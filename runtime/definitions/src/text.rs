//! Helpers for messages: similar names, shortened texts and lists, and foreign texts that are safe to show to
//! people.

pub(crate) mod base64;
mod folded;
mod hidden;

use std::borrow::Cow;

pub use folded::{folded, folded_json};
pub use hidden::is_unseen;
pub use hidden::{visible, without_hidden};
pub use onionskin_vocabulary::{nearest, similar};

/// The number of list items that a message shows before it counts the others.
pub const MOST: usize = 20;

/// Items with commas between them; `none` if there are none.
pub fn list(items: impl IntoIterator<Item = String>) -> String {
    let items: Vec<_> = items.into_iter().collect();
    if items.is_empty() { "none".to_owned() } else { items.join(", ") }
}

/// A number with commas between its thousands.
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut shown = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            shown.push(',');
        }
        shown.push(digit);
    }
    shown
}

/// Names as code, with commas between them; `none` if there are none.
pub fn names<'n>(names: impl IntoIterator<Item = &'n String>) -> String {
    list(names.into_iter().map(|name| format!("`{name}`")))
}

/// Returns a text of at most `most` bytes unchanged, and a longer one shortened, with the number of omitted
/// bytes.
pub fn short(text: &str, most: usize) -> Cow<'_, str> {
    if text.len() <= most {
        return Cow::Borrowed(text);
    }
    let (told, more) = text.split_at(text.floor_char_boundary(most));
    // The secret redactor recognises this mark as a cut.
    Cow::Owned(format!("{told}\u{2026} and {} more bytes", more.len()))
}

/// The first items of a list, and the number of the others.
pub fn first_of(items: impl ExactSizeIterator<Item = String>, between: &str) -> String {
    let more = items.len().saturating_sub(MOST);
    let mut told = items.take(MOST).collect::<Vec<_>>().join(between);
    if more > 0 {
        told.push_str(&format!("{between}and {more} more"));
    }
    told
}

/// Whether two texts are equal; usable in constants.
pub const fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    let mut at = 0;
    while at < a.len() {
        if a[at] != b[at] {
            return false;
        }
        at += 1;
    }
    true
}
