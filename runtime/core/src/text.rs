//! Words for messages: names that are alike, and the beginnings of long texts and lists.

use std::borrow::Cow;

/// A message shows so many items of a list, and the number of the others.
pub(crate) const MOST: usize = 20;

/// Items with commas between them; `none` if there are none.
pub fn list(items: impl IntoIterator<Item = String>) -> String {
    let items: Vec<_> = items.into_iter().collect();
    if items.is_empty() { "none".to_owned() } else { items.join(", ") }
}

/// Names as code, with commas between them; `none` if there are none.
pub fn names<'n>(names: impl IntoIterator<Item = &'n String>) -> String {
    list(names.into_iter().map(|name| format!("`{name}`")))
}

/// A text of at most `most` bytes as it is; of a longer one the beginning, and how much more there is.
pub fn short(text: &str, most: usize) -> Cow<'_, str> {
    if text.len() <= most {
        return Cow::Borrowed(text);
    }
    let (told, more) = text.split_at(text.floor_char_boundary(most));
    // The mark is one that secrets are looked for before.
    Cow::Owned(format!("{told}\u{2026} and {} more bytes", more.len()))
}

/// The first of a list, and how many more there are.
pub(crate) fn first_of(items: impl ExactSizeIterator<Item = String>, between: &str) -> String {
    let more = items.len().saturating_sub(MOST);
    let mut told = items.take(MOST).collect::<Vec<_>>().join(between);
    if more > 0 {
        told.push_str(&format!("{between}and {more} more"));
    }
    told
}

/// The name that is most like `name`, if one is like it: for "did you mean".
pub fn nearest<'n>(name: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    // Comparing takes time with the length, and no misspelt name is this long.
    let name = if name.len() > 200 { "" } else { name };
    names
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(name, candidate), candidate))
        .filter(|(likeness, _)| *likeness > 0.8)
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, candidate)| candidate)
}

/// Whether two texts are the same, also where the compiler asks.
pub(crate) const fn same(a: &str, b: &str) -> bool {
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
