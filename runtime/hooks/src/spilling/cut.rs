//! The head and the tail of a text.

/// A text without its middle.
pub(super) struct Cut<'t> {
    head: &'t str,
    tail: &'t str,
}

impl<'t> Cut<'t> {
    /// At most so many bytes of the text: two thirds from its beginning, one third from its end.
    pub(super) fn new(text: &'t str, most: usize) -> Self {
        let tail = most / 3;
        let head = text.floor_char_boundary(most - tail);
        let tail = text.ceil_char_boundary(text.len().saturating_sub(tail).max(head));
        Self { head: &text[..head], tail: &text[tail..] }
    }

    /// The text with words in place of its middle.
    pub(super) fn with(&self, words: &str) -> String {
        format!("{}\n[.. {words} ..]\n{}", self.head, self.tail)
    }
}
