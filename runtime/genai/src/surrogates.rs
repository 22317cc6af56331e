//! Characters that a server cut in two. JSON writes those beyond the first plane as a pair of escapes, and servers that count in such units end
//! an event between the two.

use std::fmt::Write as _;

/// The halves of characters in the events of a stream.
pub(crate) struct Halves {
    /// Whether the second half of a character can come in a later text.
    waits: bool,
    first: Option<u16>,
}

impl Halves {
    pub(crate) fn for_stream() -> Self {
        Self { waits: true, first: None }
    }

    pub(crate) fn for_document() -> Self {
        Self { waits: false, first: None }
    }

    /// The JSON with characters in the place of halves. The first half at the end of a text waits for the second one at the beginning of
    /// another; a half that stays alone becomes the mark for a character that is not known.
    pub(crate) fn join(&mut self, json: &str) -> String {
        let mut joined = String::with_capacity(json.len());
        let mut rest = json;
        while let Some(at) = rest.find('\\') {
            let (before, escape) = rest.split_at(at);
            joined.push_str(before);
            let Some(unit) = unit(escape) else {
                let length = escape.chars().take(2).map(char::len_utf8).sum();
                joined.push_str(&escape[..length]);
                rest = &escape[length..];
                continue;
            };
            rest = &escape[UNIT..];
            match unit {
                0xD800..=0xDBFF if self::unit(rest).is_some_and(is_second) => {
                    joined.push_str(&escape[..2 * UNIT]);
                    rest = &rest[UNIT..];
                }
                0xD800..=0xDBFF if self.waits && rest.starts_with('"') => {
                    if self.first.replace(unit).is_some() {
                        joined.push_str(UNKNOWN);
                    }
                }
                unit if is_second(unit) && joined.ends_with('"') => {
                    if let Some(first) = self.first.take() {
                        let _ = write!(joined, "\\u{first:04x}");
                        joined.push_str(&escape[..UNIT]);
                    } else {
                        joined.push_str(UNKNOWN);
                    }
                }
                0xD800..=0xDFFF => joined.push_str(UNKNOWN),
                _ => joined.push_str(&escape[..UNIT]),
            }
        }
        joined.push_str(rest);
        joined
    }
}

/// The bytes of an escape.
const UNIT: usize = 6;

const UNKNOWN: &str = "\\ufffd";

/// The unit with whose escape a text begins.
fn unit(text: &str) -> Option<u16> {
    u16::from_str_radix(text.strip_prefix("\\u")?.get(..4)?, 16).ok()
}

fn is_second(unit: u16) -> bool {
    (0xDC00..=0xDFFF).contains(&unit)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn o3_the_halves_of_a_character_are_joined() {
        let read =
            |halves: &mut Halves, json: &str| serde_json::from_str::<Value>(&halves.join(json)).unwrap();
        let mut stream = Halves::for_stream();
        let texts =
            [r#"{"a":"1\ud83d"}"#, r#"{"b":0}"#, r#"{"a":"\ude002"}"#].map(|json| read(&mut stream, json));
        assert_eq!(texts, [json!({"a": "1"}), json!({"b": 0}), json!({"a": "\u{1f600}2"})]);
        for (text, expected) in [
            (r#"["a\ud83d\ude00b"]"#, "a\u{1f600}b"),
            (r#"["a\ud83db"]"#, "a\u{fffd}b"),
            (r#"["\ude00b\u00e9"]"#, "\u{fffd}b\u{e9}"),
            (r#"["a\\ud83d"]"#, "a\\ud83d"),
            (r#"["a\ud83d"]"#, "a\u{fffd}"),
        ] {
            assert_eq!(read(&mut Halves::for_document(), text), json!([expected]), "{text}");
        }
        let mut twice = Halves::for_stream();
        assert_eq!(read(&mut twice, r#"["a\ud83d","b\ud83d"]"#), json!(["a", "b\u{fffd}"]));
    }
}
