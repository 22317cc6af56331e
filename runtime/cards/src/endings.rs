//! Which files are cards, by the endings of their names.

use std::path::Path;

/// Whether a file can be a card, by its name: `.md`, `.yaml` or `.yml`.
pub fn is_card(path: &Path) -> bool {
    is_markdown(path) || is_yaml(path)
}

pub(crate) fn is_markdown(path: &Path) -> bool {
    has_ending(path, &["md"])
}

pub(crate) fn is_yaml(path: &Path) -> bool {
    has_ending(path, &["yaml", "yml"])
}

pub(crate) fn has_ending(path: &Path, endings: &[&str]) -> bool {
    path.extension()
        .and_then(|ending| ending.to_str())
        .is_some_and(|ending| endings.iter().any(|known| known.eq_ignore_ascii_case(ending)))
}
