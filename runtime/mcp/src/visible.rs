//! Text of servers within our own texts: with what is hidden in it written out, and not too long.

use onionskin_core::text;

/// A longer text of a server is cut.
const LONGEST_TEXT: usize = 4_000;

/// The text with its hidden characters written out, and cut. Line feeds and tabs stay.
pub(super) fn visible(text: &str) -> String {
    text::visible(&cut(text.to_owned(), LONGEST_TEXT)).into_owned()
}

/// A name as a part of a line: no line feed in it begins a line of ours.
pub(super) fn name(text: &str) -> String {
    visible(text).replace('\n', "\\n").replace('\t', "\\t")
}

/// Whether the text can be shown as it is, in one line.
pub(super) fn is_plain(text: &str) -> bool {
    !text.contains(['\n', '\t']) && text::without_hidden(text).1 == 0
}

/// The text, cut to this number of bytes or a few less.
pub(super) fn cut(mut text: String, most: usize) -> String {
    if text.len() > most {
        text.truncate(text.floor_char_boundary(most));
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a4_control_characters_are_escaped_and_long_texts_cut() {
        assert_eq!(visible("ä\tb\n"), "ä\tb\n");
        assert_eq!(visible("a\u{1b}[31m\u{202e}b\r"), "a\\u{1b}[31m\\u{202e}b\\r");
        assert_eq!(name("a\nb\t"), "a\\nb\\t");
        let long = visible(&"ü".repeat(5_000));
        assert!(long.len() <= LONGEST_TEXT + 3 && long.ends_with("ü…"), "{}", long.len());
    }
}
