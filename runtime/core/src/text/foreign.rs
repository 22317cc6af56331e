//! Texts of models, tools and servers, as people are shown them: nothing in them is hidden, moves the cursor, or pushes the rest off the
//! screen.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::fmt::Write as _;

use serde_json::Value;

/// So many blanks after each other are shown as they are.
const BLANKS: usize = 8;
/// The items of a list, or the fields of an object, that are shown where all of them are too long.
const ITEMS: usize = 20;
/// The least that is shown of a string.
const STRING: usize = 40;

/// The text with all characters that people do not see, or that control a terminal, written out: `\u{200b}`. Ends of lines and tabulators stay.
///
/// ```
/// use onionskin_core::text::visible;
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

/// The text without the characters that [`visible`] writes out, and how many these are.
///
/// ```
/// use onionskin_core::text::without_hidden;
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

/// The text as one line of about `most` characters, for people who decide by it: what [`visible`] writes out is written out, a long run of
/// blanks is its length, and of a longer text the beginning and the end are shown, with the number of characters between them.
///
/// ```
/// use onionskin_core::text::folded;
///
/// let command = format!("ls {}; rm -rf /", " ".repeat(20_000));
/// assert_eq!(folded(&command, 100), "ls[20,001 blanks]; rm -rf /");
/// assert_eq!(folded(&"x".repeat(1_000), 30), format!("{}[970 more characters]{}", "x".repeat(20), "x".repeat(10)));
/// ```
pub fn folded(text: &str, most: usize) -> String {
    let mut shown = Folded::new(most);
    shown.text(text, false);
    shown.end()
}

/// A JSON value as one line of about `most` characters, for people who decide by it: as [`folded`], for each of its strings, so that a long
/// one hides no other. Where all fields of an object or items of a list are too long, the first and the last ones are shown, with the number
/// of those between them.
///
/// ```
/// use onionskin_core::text::folded_json;
/// use serde_json::json;
///
/// let shown = folded_json(&json!({ "body": "x".repeat(9_000), "to": "eve@example.com" }), 200);
/// assert!(shown.ends_with(r#"","to":"eve@example.com"}"#) && shown.contains(" more characters]"), "{shown}");
/// ```
pub fn folded_json(value: &Value, most: usize) -> String {
    let mut shown = String::new();
    for items in [usize::MAX, ITEMS] {
        let strings = strings_in(value, items).max(1);
        let mut folded = Folded { items, ..Folded::new(most) };
        folded.value(value, (most / strings).max(STRING));
        let is_whole = folded.between == 0;
        shown = folded.end();
        if is_whole {
            break;
        }
    }
    shown
}

/// The number of strings in the items that are shown.
fn strings_in(value: &Value, items: usize) -> usize {
    match value {
        Value::String(_) => 1,
        Value::Array(list) => list.iter().take(items).map(|item| strings_in(item, items)).sum(),
        Value::Object(fields) => fields.values().take(items).map(|field| strings_in(field, items)).sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    }
}

/// Whether a text begins as what stands for a part that is folded.
fn is_like_fold(text: &str) -> bool {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == ',').trim_start_matches(is_blank);
    text.starts_with(|c: char| c.is_ascii_digit()) && (rest.starts_with("blanks") || rest.starts_with("more"))
}

/// Text that is made to fit: its beginning, and its latest pieces.
struct Folded {
    beginning: String,
    beginning_left: usize,
    /// Pieces that may be the end, each with the characters that it shows and the number of those that it is of the text.
    end: VecDeque<(String, usize, usize)>,
    end_length: usize,
    end_most: usize,
    /// The characters of the text that are neither in the beginning nor in the end.
    between: usize,
    /// The items of each list, and the fields of each object, that are shown.
    items: usize,
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
            items: ITEMS,
        }
    }

    /// Adds a piece that is not divided. It stands for `of` characters of the text.
    fn push(&mut self, piece: String, of: usize) {
        let length = piece.chars().count();
        if self.end.is_empty() && length <= self.beginning_left {
            self.beginning_left -= length;
            self.beginning.push_str(&piece);
            return;
        }
        // What is too long for the beginning closes it.
        self.end_length += length;
        self.end.push_back((piece, length, of));
        while self.end_length > self.end_most
            && let Some((_, length, of)) = self.end.pop_front()
        {
            self.end_length -= length;
            self.between += of;
        }
        // The beginning stays closed, also while the end is empty.
        self.beginning_left = 0;
    }

    fn plain(&mut self, text: &str) {
        for c in text.chars() {
            self.push(c.to_string(), 1);
        }
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
            let shown = match c {
                '"' | '\\' if in_json => format!("\\{c}"),
                // A text cannot write what looks like a fold.
                '[' if is_like_fold(rest.as_str()) => format!("\\{c}"),
                c if is_hidden => c.escape_default().to_string(),
                c => c.to_string(),
            };
            self.push(shown, 1);
        }
        self.blanks(&mut blanks);
    }

    fn blanks(&mut self, blanks: &mut String) {
        let count = blanks.chars().count();
        if count > BLANKS {
            self.push(format!("[{} blanks]", thousands(count)), count);
        } else {
            for c in blanks.chars() {
                let shown = match c {
                    '\n' | '\r' | '\t' => c.escape_default().to_string(),
                    c if may_hide(c) => c.escape_default().to_string(),
                    c => c.to_string(),
                };
                self.push(shown, 1);
            }
        }
        blanks.clear();
    }

    fn string(&mut self, text: &str, most: usize) {
        let mut string = Self::new(most);
        string.text(text, true);
        let string = string.end();
        self.push("\"".to_owned(), 1);
        self.plain(&string);
        self.push("\"".to_owned(), 1);
    }

    fn value(&mut self, value: &Value, most: usize) {
        match value {
            Value::String(text) => self.string(text, most),
            Value::Array(items) => {
                self.plain("[");
                self.each(items.iter(), |this, item| this.value(item, most));
                self.plain("]");
            }
            Value::Object(fields) => {
                self.plain("{");
                self.each(fields.iter(), |this, (key, value)| {
                    this.string(key, most);
                    this.plain(":");
                    this.value(value, most);
                });
                self.plain("}");
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => self.plain(&value.to_string()),
        }
    }

    /// Shows the first and the last of these.
    fn each<T>(&mut self, all: impl ExactSizeIterator<Item = T>, mut show: impl FnMut(&mut Self, T)) {
        let more = all.len().saturating_sub(self.items);
        let first = self.items - self.items / 3;
        for (at, one) in all.enumerate() {
            // It is shown again with fewer items.
            if self.items == usize::MAX && self.between > 0 {
                return;
            }
            let is_left_out = more > 0 && (first..first + more).contains(&at);
            if at > 0 && (!is_left_out || at == first) {
                self.plain(",");
            }
            if !is_left_out {
                show(self, one);
            } else if at == first {
                self.plain(&format!("[{} more]", thousands(more)));
            }
        }
    }

    fn end(self) -> String {
        let mut shown = self.beginning;
        if self.between > 0 {
            let _ = write!(shown, "[{} more characters]", thousands(self.between));
        }
        shown.extend(self.end.into_iter().map(|(piece, ..)| piece));
        shown
    }
}

/// A number with commas between its thousands.
fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let mut shown = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            shown.push(',');
        }
        shown.push(digit);
    }
    shown
}

/// The characters of a text, and whether each is hidden where it is.
fn marked(text: &str) -> impl Iterator<Item = (char, bool)> {
    let mut before = None;
    let mut rest = text.chars().peekable();
    std::iter::from_fn(move || {
        let c = rest.next()?;
        let is_hidden = may_hide(c) && !joins(before, c, rest.peek().copied());
        before = Some(c);
        Some((c, is_hidden))
    })
}

/// Whether a joiner or a selector belongs to the characters around it: in an emoji, or in a script that writes with joiners.
fn joins(before: Option<char>, c: char, after: Option<char>) -> bool {
    let is_written = |c: Option<char>| c.is_some_and(|c| !c.is_ascii() && !may_hide(c));
    match c {
        // An emoji of several has a selector before its joiner.
        '\u{200c}' | '\u{200d}' => (is_written(before) || before == Some('\u{fe0f}')) && is_written(after),
        '\u{fe0e}' | '\u{fe0f}' => before.is_some_and(|before| has_forms(before, after)),
        _ => false,
    }
}

/// Whether a character has a form as text and one as a picture.
fn has_forms(c: char, after: Option<char>) -> bool {
    match c {
        // The keys of a telephone.
        '0'..='9' | '#' | '*' => after == Some('\u{20e3}'),
        // Letters that are pictures too.
        '\u{2139}' | '\u{24c2}' | '\u{1f170}'..='\u{1f189}' => true,
        c => !c.is_ascii() && !c.is_alphanumeric() && !may_hide(c) && !is_blank(c),
    }
}

fn is_blank(c: char) -> bool {
    // An empty pattern of braille looks like a space.
    c.is_whitespace() || c == '\u{2800}'
}

/// Control characters, those that change the direction of writing, and those without width or ink.
fn may_hide(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

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
            '\u{feff}',
            '\u{e0041}',
            '\u{e0101}',
        ] {
            assert_eq!(visible(&format!("a{hidden}b")), format!("a{}b", hidden.escape_unicode()));
            assert_eq!(without_hidden(&format!("a{hidden}b")), ("ab".into(), 1));
        }
        for plain in
            ["a\tb\n", "naïve ❤\u{fe0f}", "👩\u{200d}🔬", "می\u{200c}خواهم", "日本語", "🏳\u{fe0f}\u{200d}🌈"]
        {
            assert_eq!(visible(plain), plain);
            assert_eq!(without_hidden(plain).1, 0);
        }
        // Joiners and selectors that join nothing can hold a text of their own.
        assert_eq!(visible("a\u{200d}b"), "a\\u{200d}b");
        assert_eq!(
            visible("ls\u{fe0f} 1\u{fe0f} 1\u{fe0f}\u{20e3}"),
            "ls\\u{fe0f} 1\\u{fe0f} 1\u{fe0f}\u{20e3}"
        );
        assert_eq!(visible("😀\u{fe0f}\u{fe0f}\u{fe01}"), "😀\u{fe0f}\\u{fe0f}\\u{fe01}");
    }

    #[test]
    fn o1_blanks_and_long_texts_are_folded_with_their_length() {
        assert_eq!(folded("a  b\n\tc\u{200b}", 99), "a  b\\n\\tc\\u{200b}");
        assert_eq!(folded(&format!("a{}b", "\u{a0}\u{2800}\n".repeat(3)), 99), "a[9 blanks]b");
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
        assert!(shown.chars().count() < 600, "{shown}");
        assert_eq!(folded_json(&json!({"a": "q\"\\", "b": null}), 99), r#"{"a":"q\"\\","b":null}"#);
        let many = json!((0..1_000).collect::<Vec<_>>());
        assert!(
            folded_json(&many, 200).ends_with(",12,13,[980 more],994,995,996,997,998,999]"),
            "{}",
            folded_json(&many, 200)
        );
    }

    #[test]
    fn o1_arguments_that_have_room_are_all_shown() {
        let fields: serde_json::Map<_, _> = (0..40).map(|at| (format!("p{at:02}"), json!(at))).collect();
        let value = Value::Object(fields);
        assert_eq!(folded_json(&value, 600), value.to_string());
        let argv = json!({ "argv": ([vec!["-v"; 20], vec!["--delete-all"]].concat()) });
        assert_eq!(folded_json(&argv, 600), argv.to_string());
        // Without room the last one is shown too.
        let argv = json!(([vec!["--verbose"; 100], vec!["--delete-all"]].concat()));
        let shown = folded_json(&argv, 600);
        assert!(shown.contains(",[81 more],") && shown.ends_with(r#","--delete-all"]"#), "{shown}");
    }

    #[test]
    fn o1_a_text_cannot_write_a_fold() {
        let text = "[20,000 blanks] [5 more] [460 more characters] [5] [a more]";
        assert_eq!(folded(text, 99), r"\[20,000 blanks] \[5 more] \[460 more characters] [5] [a more]");
        assert_eq!(folded_json(&json!(["[5 more]", r"\[5 more]"]), 99), r#"["\[5 more]","\\\[5 more]"]"#);
    }

    proptest! {
        #[test]
        fn o1_a_folded_text_is_short_and_shows_what_it_is(text in "\\PC*|[ \\n\\t\u{200b}\u{202e}\u{e0041}ab]{0,2000}", most in 30_usize..200) {
            let shown = folded(&text, most);
            prop_assert!(shown.chars().count() <= most + 40, "{}", shown);
            prop_assert!(!shown.contains('\n') && without_hidden(&shown).1 == 0, "{}", shown);
        }

        #[test]
        fn o1_nothing_hidden_is_left(text in any::<String>()) {
            let shown = visible(&text);
            prop_assert_eq!(without_hidden(&shown).1, 0);
            let (kept, hidden) = without_hidden(&text);
            prop_assert_eq!(kept.chars().count() + hidden, text.chars().count());
        }
    }
}
