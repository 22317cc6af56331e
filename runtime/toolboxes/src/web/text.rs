//! Text of pages as a model should read it.

use crate::cut;

/// Text on one line, cut to this number of characters, with HTML's entities decoded.
pub(super) fn plain(text: &str, most: usize) -> String {
    let mut rest = text;
    let mut decoded = String::with_capacity(text.len().min(4 * most));
    while let Some(at) = rest.find('&') {
        decoded.push_str(&rest[..at]);
        rest = &rest[at..];
        match entity(rest) {
            Some((character, length)) => {
                decoded.push(character);
                rest = &rest[length..];
            }
            None => {
                decoded.push('&');
                rest = &rest[1..];
            }
        }
    }
    decoded.push_str(rest);
    let is_space = |c: char| c.is_whitespace() || c.is_control();
    let words: Vec<_> = decoded.split(is_space).filter(|word| !word.is_empty()).collect();
    cut(&words.join(" "), most)
}

/// The entity that a text begins with, and its length: the five of XML, and numbers.
fn entity(text: &str) -> Option<(char, usize)> {
    let end = text.bytes().take(12).position(|byte| byte == b';')?;
    let name = &text[1..end];
    let character = match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        "nbsp" => ' ',
        _ => {
            let number = name.strip_prefix('#')?;
            let number = match number.strip_prefix(['x', 'X']) {
                Some(hexadecimal) => u32::from_str_radix(hexadecimal, 16),
                None => number.parse(),
            };
            char::from_u32(number.ok()?)?
        }
    };
    Some((character, end + 1))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn t9_entities_and_space_are_read_as_what_they_are() {
        assert_eq!(
            plain("AT&amp;T &lt;3\n\t it&#x27;s &#39;x&#39; &nope; & &#0;", 80),
            "AT&T <3 it's 'x' &nope; &"
        );
        assert_eq!(plain("&amp;lt;", 80), "&lt;", "once");
        assert_eq!(plain("äöü", 2), "ä\u{2026}");
    }

    proptest! {
        #[test]
        fn t9_any_text_is_read_within_its_bound(text in "(&|#|x|;|amp|[0-9]|\\PC| )*") {
            prop_assert!(plain(&text, 20).chars().count() <= 20);
        }
    }
}
