//! Shows untrusted texts of models, tools and servers on one line, for people who decide about them. Nothing
//! is hidden, moves the cursor, or pushes the rest off the screen.

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::ops::ControlFlow;

use serde_json::Value;

use super::hidden::{marked, may_hide};
use super::thousands;

/// The maximum number of consecutive blanks that are shown unchanged.
const BLANKS: usize = 8;
/// The minimum number of characters shown of a long string, if there is room.
const STRING: usize = 40;
/// The maximum length of a string that is shown when there is no room for strings.
const WORD: usize = 20;

/// The text as one line of about `most` characters, for people who decide about it. Hidden characters are
/// escaped as by [`visible`](super::visible), and a long run of blanks is replaced by its length. A longer
/// text is shortened to its beginning and its end, with the number of characters between them.
///
/// ```
/// use onionskin_definitions::text::folded;
///
/// let command = format!("ls {};\nrm -rf /", " ".repeat(20_000));
/// assert_eq!(folded(&command, 100), "ls[20,001 blanks];\\nrm -rf /");
/// assert_eq!(folded(&"x".repeat(1_000), 30), format!("{}[970 more characters]{}", "x".repeat(20), "x".repeat(10)));
/// ```
pub fn folded(text: &str, most: usize) -> String {
    let mut shown = Folded::new(most);
    shown.text(text, false);
    shown.end()
}

/// A JSON value as one line of about `most` characters, for people who decide about it. A value that fits is
/// complete. In a longer one, long strings are folded first, as by [`folded`], then long lists and nested
/// values.
///
/// ```
/// use onionskin_definitions::text::folded_json;
/// use serde_json::json;
///
/// let shown = folded_json(&json!({ "body": "x".repeat(9_000), "to": "eve@example.com" }), 200);
/// assert!(shown.ends_with(r#"","to":"eve@example.com"}"#) && shown.contains(" more characters]"), "{shown}");
/// ```
pub fn folded_json(value: &Value, most: usize) -> String {
    let mut shown = Folded::new(most);
    let _ = Room::for_value(value, most).value(value, 0, &mut |piece, of| {
        shown.push(piece, of);
        ControlFlow::Continue(())
    });
    shown.end()
}

/// Receives an indivisible piece of a line, and the number of characters of the text that it represents.
type Sink<'s> = dyn FnMut(&str, usize) -> ControlFlow<()> + 's;

/// The limits for showing a JSON value.
#[derive(Clone, Copy)]
struct Room {
    /// The maximum number of characters of a long string.
    string: usize,
    /// The maximum number of items of a list, and of fields of a nested object.
    items: usize,
}

impl Room {
    const ALL: Self = Self { string: usize::MAX, items: usize::MAX };

    /// The limits to try, in descending order.
    const LESS: [Self; 7] = [
        Self { string: STRING, items: usize::MAX },
        Self { string: STRING, items: 20 },
        Self { string: STRING, items: 3 },
        Self { string: 0, items: 20 },
        Self { string: 0, items: 3 },
        Self { string: 0, items: 1 },
        Self { string: 0, items: 0 },
    ];

    /// The largest limits with which the value fits.
    fn for_value(value: &Value, most: usize) -> Self {
        if Self::ALL.fits(value, most) {
            return Self::ALL;
        }
        let Some(least) = Self::LESS.into_iter().find(|room| room.fits(value, most)) else {
            return Self::LESS[Self::LESS.len() - 1];
        };
        // Long strings share the remaining room.
        let longer = std::iter::successors(Some(most), |string| Some(string / 4 * 3));
        let longer = longer.take_while(|string| *string > least.string.max(WORD));
        longer.map(|string| Self { string, ..least }).find(|room| room.fits(value, most)).unwrap_or(least)
    }

    fn fits(self, value: &Value, most: usize) -> bool {
        let mut left = most;
        let written = self.value(value, 0, &mut |piece, _| match left.checked_sub(piece.chars().count()) {
            Some(rest) => {
                left = rest;
                ControlFlow::Continue(())
            }
            None => ControlFlow::Break(()),
        });
        written.is_continue()
    }

    /// Writes the value at this depth.
    fn value(self, value: &Value, depth: usize, sink: &mut Sink<'_>) -> ControlFlow<()> {
        match value {
            Value::String(text) => self.string(text, sink),
            Value::Array(items) => {
                plain("[", sink)?;
                for (at, item) in items.iter().take(self.items).enumerate() {
                    plain(if at > 0 { "," } else { "" }, sink)?;
                    self.value(item, depth + 1, sink)?;
                }
                more(self.items, items.len(), sink)?;
                plain("]", sink)
            }
            Value::Object(fields) => {
                let most = if depth > 0 { self.items } else { usize::MAX };
                plain("{", sink)?;
                for (at, (key, value)) in fields.iter().take(most).enumerate() {
                    plain(if at > 0 { "," } else { "" }, sink)?;
                    Self { string: self.string.max(STRING), ..self }.string(key, sink)?;
                    plain(":", sink)?;
                    self.value(value, depth + 1, sink)?;
                }
                more(most, fields.len(), sink)?;
                plain("}", sink)
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => plain(&value.to_string(), sink),
        }
    }

    fn string(self, text: &str, sink: &mut Sink<'_>) -> ControlFlow<()> {
        let folded = |most| {
            let mut string = Folded::new(most);
            string.text(text, true);
            string
        };
        // A string that is only a little longer stays complete, because the number of omitted characters
        // needs room too.
        let mut string = folded(self.string.saturating_add(WORD));
        if string.between > 0 && self.string > 0 {
            string = folded(self.string);
        }
        plain("\"", sink)?;
        if string.between > 0 && self.string == 0 {
            plain(&format!("[{} characters]", thousands(text.chars().count() as u64)), sink)?;
        } else {
            plain(&string.end(), sink)?;
        }
        plain("\"", sink)
    }
}

fn plain(text: &str, sink: &mut Sink<'_>) -> ControlFlow<()> {
    text.chars().try_for_each(|c| sink(c.encode_utf8(&mut [0; 4]), 1))
}

/// Writes the number of omitted items.
fn more(shown: usize, items: usize, sink: &mut Sink<'_>) -> ControlFlow<()> {
    match items.checked_sub(shown).filter(|more| *more > 0) {
        Some(more) => {
            plain(&format!("{}[{} more]", if shown > 0 { "," } else { "" }, thousands(more as u64)), sink)
        }
        None => ControlFlow::Continue(()),
    }
}

/// Collects a shortened text: its beginning, and its latest pieces.
struct Folded {
    beginning: String,
    beginning_left: usize,
    /// Pieces that may be the end, each with its length in characters and the number of characters of the
    /// text that it represents.
    end: VecDeque<(String, usize, usize)>,
    end_length: usize,
    end_most: usize,
    /// The number of characters of the text between the beginning and the end.
    between: usize,
}

impl Folded {
    fn new(most: usize) -> Self {
        let end_most = most / 3;
        Self {
            beginning: String::new(),
            beginning_left: most - end_most,
            end: VecDeque::new(),
            end_length: 0,
            end_most,
            between: 0,
        }
    }

    /// Adds an indivisible piece that represents `of` characters of the text.
    fn push(&mut self, piece: &str, of: usize) {
        let length = piece.chars().count();
        if self.end.is_empty() && length <= self.beginning_left {
            self.beginning_left -= length;
            self.beginning.push_str(piece);
            return;
        }
        // A piece that does not fit into the beginning closes it.
        self.end_length += length;
        self.end.push_back((piece.to_owned(), length, of));
        while self.end_length > self.end_most
            && let Some((_, length, of)) = self.end.pop_front()
        {
            self.end_length -= length;
            self.between += of;
        }
        // The beginning stays closed, also while the end is empty.
        self.beginning_left = 0;
    }

    fn text(&mut self, text: &str, in_json: bool) {
        let mut blanks = String::new();
        let mut rest = text.chars();
        for (c, is_hidden) in marked(text) {
            rest.next();
            if is_blank(c) {
                blanks.push(c);
                continue;
            }
            self.blanks(&mut blanks);
            // A text cannot imitate a fold.
            if matches!(c, '"' | '\\') && in_json || c == '[' && is_like_fold(rest.as_str()) {
                self.push(&format!("\\{c}"), 1);
            } else {
                self.character(c, is_hidden);
            }
        }
        self.blanks(&mut blanks);
    }

    fn blanks(&mut self, blanks: &mut String) {
        let count = blanks.chars().count();
        if count > BLANKS {
            let ends = blanks.chars().filter(|c| is_line_end(*c)).count() - blanks.matches("\r\n").count();
            let ends = match ends {
                0 => String::new(),
                1 => ", 1 line end".to_owned(),
                _ => format!(", {} line ends", thousands(ends as u64)),
            };
            self.push(&format!("[{} blanks{ends}]", thousands(count as u64)), count);
        } else {
            blanks.chars().for_each(|c| self.character(c, may_hide(c)));
        }
        blanks.clear();
    }

    fn character(&mut self, c: char, is_hidden: bool) {
        if is_hidden {
            self.push(&c.escape_default().to_string(), 1);
        } else {
            self.push(c.encode_utf8(&mut [0; 4]), 1);
        }
    }

    fn end(self) -> String {
        let mut shown = self.beginning;
        if self.between > 0 {
            let _ = write!(shown, "[{} more characters]", thousands(self.between as u64));
        }
        shown.extend(self.end.into_iter().map(|(piece, ..)| piece));
        shown
    }
}

/// Whether a text begins like the mark of an omitted part.
fn is_like_fold(text: &str) -> bool {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == ',').trim_start_matches(is_blank);
    let words = ["blanks", "more", "characters"];
    text.starts_with(|c: char| c.is_ascii_digit()) && words.into_iter().any(|word| rest.starts_with(word))
}

fn is_blank(c: char) -> bool {
    // The blank braille pattern looks like a space.
    c.is_whitespace() || c == '\u{2800}'
}

fn is_line_end(c: char) -> bool {
    matches!(c, '\n' | '\u{b}' | '\u{c}' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::super::without_hidden;
    use super::*;

    #[test]
    fn o1_blanks_and_long_texts_are_folded_with_their_length() {
        assert_eq!(folded("a  b\n\tc\u{200b}", 99), "a  b\\n\\tc\\u{200b}");
        assert_eq!(folded(&format!("a{}b", "\u{a0}\u{2800}\u{a0}".repeat(3)), 99), "a[9 blanks]b");
        // A command may end there.
        assert_eq!(folded(&format!("a{}\r\nb", " ".repeat(8)), 99), "a[10 blanks, 1 line end]b");
        assert_eq!(folded(&format!("a{}b", " \n\n".repeat(3)), 99), "a[9 blanks, 6 line ends]b");
        let long = format!("{}END", "ab".repeat(50_000));
        let shown = folded(&long, 60);
        assert!(
            shown.starts_with("abab") && shown.ends_with("END") && shown.contains("[99,943 more characters]"),
            "{shown}"
        );
        assert_eq!(folded("", 9), "");
    }

    #[test]
    fn o1_no_argument_hides_another() {
        let arguments = json!({"a": "x".repeat(50_000), "b\u{202e}": [1, "\u{e0041}"], "path": "/etc/passwd", "force": true});
        let shown = folded_json(&arguments, 400);
        for part in
            ["\"path\":\"/etc/passwd\"", "\"force\":true", "b\\u{202e}", "\\u{e0041}", " more characters]"]
        {
            assert!(shown.contains(part), "{part}: {shown}");
        }
        assert!(shown.chars().count() <= 400, "{shown}");
        assert_eq!(folded_json(&json!({"a": "q\"\\", "b": null}), 99), r#"{"a":"q\"\\","b":null}"#);
        let many = json!((0..1_000).collect::<Vec<_>>());
        assert!(folded_json(&many, 200).ends_with(",18,19,[980 more]]"), "{}", folded_json(&many, 200));
    }

    #[test]
    fn o1_a_text_cannot_write_a_fold() {
        let text = "[20,000 blanks] [5 more] [460 more characters] [60 characters] [5] [a more]";
        assert_eq!(
            folded(text, 99),
            r"\[20,000 blanks] \[5 more] \[460 more characters] \[60 characters] [5] [a more]"
        );
        assert_eq!(folded_json(&json!(["[5 more]", r"\[5 more]"]), 99), r#"["\[5 more]","\\\[5 more]"]"#);
    }

    #[test]
    fn o1_arguments_that_fit_are_whole() {
        let people: Vec<_> =
            (0..20).map(|at| format!("u{at}@x.com")).chain(["eve@evil.com".to_owned()]).collect();
        let mail = json!({ "to": people });
        assert_eq!(folded_json(&mail, 600), mail.to_string());
        let long = json!({ "text": "x".repeat(580) });
        assert_eq!(folded_json(&long, 600), long.to_string());
    }

    #[test]
    fn o1_short_arguments_are_shown_between_long_ones() {
        let long =
            |name: &str| (0..9).map(|at| (format!("{name}{at}"), json!("y".repeat(60)))).collect::<Vec<_>>();
        let flags = long("a").into_iter().chain([("force".to_owned(), json!(true))]).chain(long("b"));
        let flags = folded_json(&Value::Object(flags.collect()), 600);
        assert!(flags.contains(r#","force":true"#) && flags.chars().count() <= 600, "{flags}");
        assert!(flags.contains(r#""a0":"[60 characters]""#), "{flags}");
        let small = || (0..40).map(|at| json!({ "at": at, "of": [1, 2, 3] })).collect::<Vec<_>>();
        let shown = folded_json(&json!({ "also": small(), "mode": "delete", "ops": small() }), 600);
        assert!(shown.contains(r#","mode":"delete","#) && shown.contains(",[37 more]]"), "{shown}");
        let deep = (0..300).fold(json!(1), |deep, _| json!([deep, "a string of a few words"]));
        let shown = folded_json(&json!({ "deep": deep, "mode": "delete" }), 600);
        assert!(shown.ends_with(r#","mode":"delete"}"#) && shown.chars().count() <= 600, "{shown}");
    }

    proptest! {
        #[test]
        fn o1_a_folded_text_is_short_and_shows_what_it_is(text in "\\PC*|[ \\n\\t\u{200b}\u{202e}\u{e0041}ab]{0,2000}", most in 30_usize..200) {
            let shown = folded(&text, most);
            prop_assert!(shown.chars().count() <= most + 40, "{}", shown);
            prop_assert!(!shown.contains('\n') && without_hidden(&shown).1 == 0, "{}", shown);
            let json = folded_json(&json!({ &text: [&text, { "a": &text }], "b": 1 }), most);
            prop_assert!(json.chars().count() <= most + 40, "{}", json);
            prop_assert!(!json.contains('\n') && without_hidden(&json).1 == 0, "{}", json);
        }
    }
}
