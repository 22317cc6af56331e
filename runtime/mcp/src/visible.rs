//! Text of servers within our own texts: without characters that control a terminal or the direction of text, and not too
//! long.

use std::fmt::Write as _;

/// A longer text of a server is cut.
const LONGEST: usize = 4_000;

/// The text with its control characters escaped, and cut. Line feeds and tabs stay.
pub(super) fn visible(text: &str) -> String {
    let text = cut(text.to_owned(), LONGEST);
    if !text.chars().any(disturbs) {
        return text;
    }
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if disturbs(c) {
            let _ = write!(shown, "{}", c.escape_default());
        } else {
            shown.push(c);
        }
    }
    shown
}

/// A name as a part of a line: no line feed in it begins a line of ours.
pub(super) fn name(text: &str) -> String {
    visible(text).replace('\n', "\\n").replace('\t', "\\t")
}

/// Whether the text can be shown as it is, in one line.
pub(super) fn is_plain(text: &str) -> bool {
    !text.chars().any(|c| c == '\n' || c == '\t' || disturbs(c))
}

/// Control characters, and those that change the direction of text.
fn disturbs(c: char) -> bool {
    let directs =
        matches!(c, '\u{61c}' | '\u{200e}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    directs || (c.is_control() && c != '\n' && c != '\t')
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
        assert!(long.len() <= LONGEST + 3 && long.ends_with("ü…"), "{}", long.len());
    }
}
