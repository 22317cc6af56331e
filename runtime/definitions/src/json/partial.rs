//! Parses incomplete JSON text. It is hand-written, because it is short and keeps the digits of long numbers.

use serde_json::Value;

use super::exact_value;

/// Returns the value of an incomplete text so far; `None` if there is none, or if the text is not JSON.
///
/// An incomplete string is included. A key without a value is omitted, and so is an incomplete number,
/// `true`, `false` or `null`, which could still change. An integer that a [`Value`] would round is a string
/// of its digits.
pub fn partial_value(text: &str) -> Option<Value> {
    let text = unfenced(text);
    let mut open = Open::default();
    for (at, c) in text.char_indices() {
        open.read(at, c)?;
    }
    let mut whole = text[..open.usable_len(text.len())].to_owned();
    if open.string.is_some_and(|string| !string.is_key) {
        whole.push('"');
    }
    whole.extend(open.brackets.iter().rev());
    exact_value(&whole).ok()
}

/// The text without the line that begins a Markdown code fence, and without its end.
fn unfenced(text: &str) -> &str {
    match text.trim_start().strip_prefix("```") {
        Some(inside) => {
            let text = inside.trim_start_matches(|c: char| c.is_ascii_alphanumeric());
            text.trim_end().trim_end_matches('`')
        }
        None => text,
    }
}

/// The unclosed parts of a text.
#[derive(Default)]
struct Open {
    /// The brackets that close them, the innermost last.
    brackets: Vec<char>,
    string: Option<OpenString>,
    /// The end of the longest prefix that is a value once its brackets are closed.
    end: usize,
    /// Whether a number or a word is being written.
    in_word: bool,
    /// Whether the next string is a key.
    expects_key: bool,
}

/// An unclosed string.
#[derive(Clone, Copy)]
struct OpenString {
    is_key: bool,
    /// The start of an incomplete escape or surrogate pair.
    unfinished: Option<usize>,
    escape: Escape,
}

/// The state of an incomplete escape.
#[derive(Clone, Copy, PartialEq)]
enum Escape {
    No,
    Begun,
    /// The number of digits after `\u`, and their value.
    Digits(u32, u32),
    /// A high surrogate, which a low one must follow.
    Half,
    /// The `\` of the second half.
    HalfBegun,
}

impl Open {
    /// Reads a character; `None` if it is invalid here.
    fn read(&mut self, at: usize, c: char) -> Option<()> {
        if let Some(string) = &mut self.string {
            if string.read(at, c) {
                if !string.is_key {
                    self.end = at + 1;
                }
                self.string = None;
            }
            return Some(());
        }
        if self.in_word && matches!(c, ',' | ']' | '}' | ' ' | '\t' | '\r' | '\n') {
            self.in_word = false;
            self.end = at;
        }
        match c {
            '"' => {
                self.string =
                    Some(OpenString { is_key: self.expects_key, unfinished: None, escape: Escape::No });
                self.expects_key = false;
            }
            '{' | '[' => {
                self.brackets.push(if c == '{' { '}' } else { ']' });
                self.expects_key = c == '{';
                self.end = at + 1;
            }
            '}' | ']' => {
                (self.brackets.pop()? == c).then_some(())?;
                self.end = at + 1;
            }
            ',' => self.expects_key = self.brackets.last() == Some(&'}'),
            ':' | ' ' | '\t' | '\r' | '\n' => {}
            _ => self.in_word = true,
        }
        Some(())
    }

    /// The length of the usable prefix of a text of this length.
    fn usable_len(&self, len: usize) -> usize {
        match &self.string {
            Some(string) if !string.is_key => string.unfinished.unwrap_or(len),
            _ => self.end,
        }
    }
}

impl OpenString {
    /// Reads a character, and returns whether it ends the string.
    fn read(&mut self, at: usize, c: char) -> bool {
        self.escape = match (self.escape, c) {
            (Escape::No | Escape::Half, '"') => return true,
            (Escape::No | Escape::Half, '\\') => {
                let is_half = self.escape == Escape::Half;
                self.unfinished = self.unfinished.or(Some(at));
                if is_half { Escape::HalfBegun } else { Escape::Begun }
            }
            (Escape::Begun | Escape::HalfBegun, 'u') => Escape::Digits(0, 0),
            (Escape::Digits(3, number), _) => {
                let number = number * 16 + c.to_digit(16).unwrap_or_default();
                if (0xD800..0xDC00).contains(&number) { Escape::Half } else { Escape::No }
            }
            (Escape::Digits(digits, number), _) => {
                Escape::Digits(digits + 1, number * 16 + c.to_digit(16).unwrap_or_default())
            }
            _ => Escape::No,
        };
        if self.escape == Escape::No {
            self.unfinished = None;
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::partial_value;

    #[test]
    fn a8_a_text_has_the_values_that_are_written_so_far() {
        let cases = [
            ("", None),
            ("  ", None),
            ("{", Some(json!({}))),
            (r#"{"ci"#, Some(json!({}))),
            (r#"{"city""#, Some(json!({}))),
            (r#"{"city": "#, Some(json!({}))),
            (r#"{"city": ""#, Some(json!({ "city": "" }))),
            (r#"{"city": "Par"#, Some(json!({ "city": "Par" }))),
            (r#"{"city": "Paris", "degrees": 2"#, Some(json!({ "city": "Paris" }))),
            (r#"{"city": "Paris", "degrees": 21,"#, Some(json!({ "city": "Paris", "degrees": 21 }))),
            (r#"{"a": {"b": [1, 2"#, Some(json!({ "a": { "b": [1] } }))),
            (r#"{"a": {"b": [1, 2]"#, Some(json!({ "a": { "b": [1, 2] } }))),
            (r#"{"a": [true, nul"#, Some(json!({ "a": [true] }))),
            (r#"["a", "b"#, Some(json!(["a", "b"]))),
            (r#""a, {"#, Some(json!("a, {"))),
            (r#"{"a": "\"#, Some(json!({ "a": "" }))),
            (r#"{"a": "x\u00"#, Some(json!({ "a": "x" }))),
            (r#"{"a": "x\ud83d"#, Some(json!({ "a": "x" }))),
            (r#"{"a": "x\ud83d\ude0"#, Some(json!({ "a": "x" }))),
            (r#"{"a": "x\ud83d\ude00"#, Some(json!({ "a": "x\u{1F600}" }))),
            ("```json\n{\"a\": 1, \"b", Some(json!({ "a": 1 }))),
            ("```json\n{\"a\": 1}\n```", Some(json!({ "a": 1 }))),
            (
                r#"{"id": 340282366920938463463374607431768211455, "n"#,
                Some(json!({ "id": "340282366920938463463374607431768211455" })),
            ),
            (r#"{"id": 18446744073709551615}"#, Some(json!({ "id": u64::MAX }))),
            ("42", None),
            ("42 ", Some(json!(42))),
            // Texts that are not JSON.
            ("Paris", None),
            ("{]", None),
            (r#"{"a" 1, "b": "c"}"#, None),
        ];
        for (text, value) in cases {
            assert_eq!(partial_value(text), value, "{text}");
        }
    }

    proptest! {
        #[test]
        fn a8_each_piece_of_a_json_text_grows_into_it(text in json_text(), pretty: bool) {
            let value: Value = serde_json::from_str(&text).unwrap();
            let text = if pretty { serde_json::to_string_pretty(&value).unwrap() } else { text };
            for (end, _) in text.char_indices() {
                let partial = partial_value(&text[..end]);
                prop_assert!(partial.is_none_or(|part| grows_into(&part, &value)), "{}", &text[..end]);
            }
            let whole = if value.is_number() || value.is_boolean() || value.is_null() { None } else { Some(value) };
            prop_assert_eq!(partial_value(&text), whole);
        }

        #[test]
        fn a8_any_text_has_a_value_or_none(text: String) {
            let _ = partial_value(&text);
        }

        #[test]
        fn a8_any_text_of_the_signs_of_json_has_a_value_or_none(text in r#"[{}\[\],:"\\u0-9a-f tn.`-]{0,40}"#) {
            let _ = partial_value(&text);
        }
    }

    fn grows_into(part: &Value, whole: &Value) -> bool {
        match (part, whole) {
            (Value::Object(part), Value::Object(whole)) => {
                part.iter().all(|(key, part)| whole.get(key).is_some_and(|whole| grows_into(part, whole)))
            }
            (Value::Array(part), Value::Array(whole)) => {
                part.len() <= whole.len()
                    && part.iter().zip(whole).all(|(part, whole)| grows_into(part, whole))
            }
            (Value::String(part), Value::String(whole)) => whole.starts_with(part),
            _ => part == whole,
        }
    }

    fn json_text() -> impl Strategy<Value = String> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<String>().prop_map(Value::from),
        ];
        let value = leaf.prop_recursive(4, 24, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::vec((any::<String>(), inner), 0..4)
                    .prop_map(|fields| Value::Object(fields.into_iter().collect())),
            ]
        });
        // Escapes of all that is not ASCII, as models write them.
        (value, any::<bool>()).prop_map(|(value, escapes)| {
            let text = value.to_string();
            if !escapes {
                return text;
            }
            let mut units = [0; 2];
            text.chars().fold(String::new(), |mut text, c| {
                if c.is_ascii() {
                    text.push(c);
                } else {
                    c.encode_utf16(&mut units)
                        .iter()
                        .for_each(|unit| text.push_str(&format!("\\u{unit:04x}")));
                }
                text
            })
        })
    }
}
