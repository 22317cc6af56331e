//! Finds characters in untrusted texts that are invisible or control a terminal.

use std::borrow::Cow;

/// The text with all characters escaped that are invisible or control a terminal, such as `\u{200b}`. Line
/// breaks and tabs are unchanged.
///
/// ```
/// use onionskin_definitions::text::visible;
///
/// assert_eq!(visible("a\u{1b}[2Jb\u{200b}c\n"), "a\\u{1b}[2Jb\\u{200b}c\n");
/// // A joiner within an emoji, or within a word of a script that needs it, is no trick.
/// assert_eq!(visible("👩\u{200d}🔬"), "👩\u{200d}🔬");
/// ```
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.chars().any(may_hide) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    for (c, is_hidden) in marked(text) {
        if is_hidden && !matches!(c, '\n' | '\t') {
            shown.extend(c.escape_default());
        } else {
            shown.push(c);
        }
    }
    Cow::Owned(shown)
}

/// The text without the characters that [`visible`] escapes, and the number of removed characters.
///
/// ```
/// use onionskin_definitions::text::without_hidden;
///
/// assert_eq!(without_hidden("Reads\u{e0072}\u{e006d} a file."), ("Reads a file.".into(), 2));
/// ```
pub fn without_hidden(text: &str) -> (Cow<'_, str>, usize) {
    if !text.chars().any(may_hide) {
        return (Cow::Borrowed(text), 0);
    }
    let mut hidden = 0;
    let kept = marked(text).filter(|(c, is_hidden)| {
        let goes = *is_hidden && !matches!(c, '\n' | '\t');
        hidden += usize::from(goes);
        !goes
    });
    let kept: String = kept.map(|(c, _)| c).collect();
    (Cow::Owned(kept), hidden)
}

/// The characters of a text, and whether each is hidden where it is.
pub(super) fn marked(text: &str) -> impl Iterator<Item = (char, bool)> {
    // `None` after a hidden character, which nothing can join.
    let mut before = None;
    let mut rest = text.chars().peekable();
    std::iter::from_fn(move || {
        let c = rest.next()?;
        let is_hidden = may_hide(c) && !joins(before, c, rest.peek().copied());
        before = (!is_hidden).then_some(c);
        Some((c, is_hidden))
    })
}

/// Whether a joiner or a selector belongs to the characters around it, in an emoji or in a script that uses
/// joiners.
fn joins(before: Option<char>, c: char, after: Option<char>) -> bool {
    let is_both = |is: fn(char) -> bool| before.is_some_and(is) && after.is_some_and(is);
    match c {
        '\u{200c}' => is_both(is_joining),
        // An emoji sequence can have a selector before its joiner.
        '\u{200d}' => {
            is_both(is_joining)
                || is_both(is_emoji)
                || before == Some('\u{fe0f}') && after.is_some_and(is_emoji)
        }
        '\u{fe0e}' | '\u{fe0f}' => {
            let is_key = matches!(before, Some('0'..='9' | '#' | '*')) && after == Some('\u{20e3}');
            is_key || before.is_some_and(is_emoji)
        }
        _ => false,
    }
}

/// Whether a character has an emoji and a text presentation, or is part of emoji sequences, by Unicode block.
fn is_emoji(c: char) -> bool {
    matches!(c,
        '\u{a9}' | '\u{ae}' | '\u{203c}' | '\u{2049}' | '\u{2122}' | '\u{2139}' | '\u{2194}'..='\u{2199}' | '\u{21a9}'..='\u{21aa}'
        | '\u{231a}'..='\u{231b}' | '\u{2328}' | '\u{23cf}' | '\u{23e9}'..='\u{23f3}' | '\u{23f8}'..='\u{23fa}' | '\u{24c2}'
        | '\u{25aa}'..='\u{25ab}' | '\u{25b6}' | '\u{25c0}' | '\u{25fb}'..='\u{25fe}' | '\u{2600}'..='\u{27bf}' | '\u{2934}'..='\u{2935}'
        | '\u{2b05}'..='\u{2b07}' | '\u{2b1b}'..='\u{2b1c}' | '\u{2b50}' | '\u{2b55}' | '\u{3030}' | '\u{303d}' | '\u{3297}' | '\u{3299}'
        | '\u{1f000}'..='\u{1faff}')
}

/// Whether a character belongs to a script in which joiners change letter shapes: those of the Near East,
/// India and its neighbours, and Mongolian.
fn is_joining(c: char) -> bool {
    let is_of_script = matches!(c,
        '\u{600}'..='\u{dff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{18af}' | '\u{1a20}'..='\u{1aad}' | '\u{1b00}'..='\u{1c4f}'
        | '\u{a840}'..='\u{a87f}' | '\u{a8e0}'..='\u{a8ff}' | '\u{a980}'..='\u{a9ff}' | '\u{aa60}'..='\u{aa7f}' | '\u{fb50}'..='\u{fdff}'
        | '\u{fe70}'..='\u{fefc}' | '\u{10a00}'..='\u{10a5f}' | '\u{10ac0}'..='\u{10aff}' | '\u{11000}'..='\u{11fff}' | '\u{1e900}'..='\u{1e95f}');
    is_of_script && !may_hide(c)
}

/// Whether a character may be hidden: control characters, direction marks, and characters without width or
/// ink.
pub(super) fn may_hide(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}'..='\u{2029}') || is_unseen(c)
}

/// Whether a character has no glyph and is not a blank: zero-width characters, direction marks, tags,
/// variation selectors, fillers.
pub fn is_unseen(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{2d7f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffb}' | '\u{1107f}' | '\u{13430}'..='\u{1345f}' | '\u{16fe4}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d159}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn o1_what_is_hidden_is_written_out() {
        for hidden in [
            '\0',
            '\u{1b}',
            '\u{9b}',
            '\u{ad}',
            '\u{200b}',
            '\u{202e}',
            '\u{2066}',
            '\u{2d7f}',
            '\u{feff}',
            '\u{13430}',
            '\u{16fe4}',
            '\u{1d159}',
            '\u{e0041}',
            '\u{e0101}',
        ] {
            assert_eq!(visible(&format!("a{hidden}b")), format!("a{}b", hidden.escape_unicode()));
            assert_eq!(without_hidden(&format!("a{hidden}b")), ("ab".into(), 1));
        }
        for plain in [
            "a\tb\n",
            "naïve ❤\u{fe0f}",
            "👩\u{200d}🔬",
            "👩🏽\u{200d}⚕\u{fe0f}",
            "می\u{200c}خواهم",
            "क\u{94d}\u{200d}ष",
            "日本語",
            "🏳\u{fe0f}\u{200d}🌈",
            "1\u{fe0f}\u{20e3}",
            "☎\u{fe0e}",
        ] {
            assert_eq!(visible(plain), plain);
            assert_eq!(without_hidden(plain).1, 0);
        }
    }

    /// Joiners and selectors that join nothing can hold a text of their own.
    #[test]
    fn o1_joiners_and_selectors_where_they_have_no_form_are_hidden() {
        for (text, hidden) in [
            ("a\u{200d}b", 1),
            ("p\u{fe0e}a\u{fe0f}y", 2),
            ("é\u{200d}é\u{200c}é", 2),
            ("я\u{200d}я λ\u{200c}λ 中\u{200d}中", 3),
            ("1\u{fe0f}2\u{fe0e}#\u{fe0f}", 3),
            ("👩\u{200c}🔬", 1),
            ("می\u{200c}\u{200c}خواهم", 2),
            ("می\u{200c}x", 1),
            ("ب\u{200d}\u{61c}", 2),
            ("a\u{fe0f}\u{200d}👩", 2),
            ("😀\u{200b}\u{fe0f}", 2),
        ] {
            let (kept, count) = without_hidden(text);
            assert_eq!(count, hidden, "{}", text.escape_unicode());
            assert_eq!(without_hidden(&kept).1, 0, "{}", text.escape_unicode());
            assert_eq!(visible(text).matches("\\u{").count(), hidden, "{}", visible(text));
        }
        assert_eq!(visible("😀\u{fe0f}\u{fe0f}\u{fe01}"), "😀\u{fe0f}\\u{fe0f}\\u{fe01}");
    }

    proptest! {
        #[test]
        fn o1_nothing_hidden_is_left(text in "(a|1|é|ب|😀|\u{200c}|\u{200d}|\u{fe0e}|\u{fe0f}|\u{20e3}|\u{61c}|\u{200b}|\\PC|\\PC)*") {
            let shown = visible(&text);
            prop_assert_eq!(without_hidden(&shown).1, 0);
            let (kept, hidden) = without_hidden(&text);
            prop_assert_eq!(kept.chars().count() + hidden, text.chars().count());
        }
    }
}
