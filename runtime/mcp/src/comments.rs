//! Files as editors write them: JSON with comments, trailing commas and a byte order mark.

use std::borrow::Cow;
use std::ops::Range;

/// The text as plain JSON. Each comment and each trailing comma becomes blanks of the same length, so that all places stay the same. A
/// byte order mark is left out, because no editor counts it.
pub(super) fn blanked(text: &str) -> Cow<'_, str> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut blanks = Vec::new();
    let mut rest = Scan { text: text.as_bytes(), at: 0, is_open: false };
    // The last byte that is neither blank nor within a comment, and its place.
    let (mut last, mut before_last) = (None, None);
    while let Some(byte) = rest.byte() {
        let start = rest.at;
        match byte {
            b'"' => rest.skip_text(),
            b'/' => match rest.comment() {
                Some(end) => {
                    blanks.push(start..end);
                    rest.at = end;
                    continue;
                }
                None => rest.at += 1,
            },
            b'}' | b']' => {
                // `[,]` has no value before its comma, and is a mistake.
                if let (Some((b',', at)), Some(before)) = (last, before_last)
                    && !matches!(before, b'{' | b'[' | b',' | b':')
                {
                    blanks.push(Range { start: at, end: at + 1 });
                }
                rest.at += 1;
            }
            byte if byte.is_ascii_whitespace() => {
                rest.at += 1;
                continue;
            }
            _ => rest.at += 1,
        }
        before_last = last.map(|(byte, _)| byte);
        last = Some((byte, start));
    }
    if blanks.is_empty() {
        return Cow::Borrowed(text);
    }
    blanks.sort_unstable_by_key(|blank| blank.start);
    let mut plain = String::with_capacity(text.len());
    let mut done = 0;
    for blank in blanks {
        plain.push_str(&text[done..blank.start]);
        plain.extend(text[blank.clone()].bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }));
        done = blank.end;
    }
    plain.push_str(&text[done..]);
    Cow::Owned(plain)
}

struct Scan<'t> {
    text: &'t [u8],
    at: usize,
    /// Whether a comment was found that is not closed, so that no later one is.
    is_open: bool,
}

impl Scan<'_> {
    fn byte(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    /// Goes behind a text in quotes, or to the end if it has no end.
    fn skip_text(&mut self) {
        self.at += 1;
        while let Some(byte) = self.byte() {
            self.at += 1;
            match byte {
                b'\\' => self.at += 1,
                b'"' => return,
                _ => {}
            }
        }
    }

    /// The end of the comment that begins here. One that is not closed is none: the reader of JSON names its place.
    fn comment(&mut self) -> Option<usize> {
        let inside = self.text.get(self.at + 2..)?;
        match self.text.get(self.at + 1)? {
            b'/' => {
                let length = inside.iter().position(|byte| *byte == b'\n').unwrap_or(inside.len());
                Some(self.at + 2 + length)
            }
            b'*' if !self.is_open => {
                let length = inside.windows(2).position(|pair| pair == b"*/");
                self.is_open = length.is_none();
                length.map(|length| self.at + length + 4)
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a4_comments_and_trailing_commas_become_blanks_and_places_stay() {
        let text = "\u{feff}{ // servers\n  \"a\": [1, /* ü */ 2,], // \"b\"\n  \"c\": \"// no /* comment \\\" ,]\",\n}\n// end";
        let plain = blanked(text);
        assert_eq!(plain.len() + '\u{feff}'.len_utf8(), text.len());
        assert_eq!(plain.matches('\n').count(), text.matches('\n').count());
        let value: serde_json::Value = serde_json::from_str(&plain).unwrap();
        assert_eq!(value, serde_json::json!({"a": [1, 2], "c": "// no /* comment \" ,]"}));
        assert_eq!(plain.find('2'), text.strip_prefix('\u{feff}').unwrap().find('2'));
        assert!(matches!(blanked("{\"a\": 1}"), Cow::Borrowed(_)));
    }

    /// Each of them was once looked for to the end of the text.
    #[test]
    fn a4_many_comments_that_are_not_closed_are_read_at_once() {
        let text = format!("[1] /* closed */ {}", "/* ".repeat(1 << 20));
        let blanked = blanked(&text);
        assert!(blanked.starts_with("[1]              /* /* ") && blanked.len() == text.len());
    }

    #[test]
    fn a4_what_no_editor_reads_stays_a_mistake() {
        for text in
            ["[,]", "{,}", "[1,,]", "[1 2,]", "{\"a\":,}", "[1] /* open", "/", "[1]/", "\"open", "\"\\"]
        {
            assert!(serde_json::from_str::<serde_json::Value>(&blanked(text)).is_err(), "{text}");
        }
    }
}
