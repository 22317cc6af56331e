//! YAML as a tree of values with their places.

use std::ops::Range;

use granit_parser::{Event, Parser, ScalarStyle, Span};

use serde::ser::{Serialize, Serializer};

use crate::problem::Problem;
use crate::source::Spanned;

/// The most items of a list, and the most names of a map. Providers take far fewer tools, and each name is looked up by all who read the card.
pub(crate) const MOST_ITEMS: usize = 1_000;

/// How deep lists and maps may be.
pub(crate) const DEEPEST: usize = 32;

/// A value and its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// The value.
    pub value: Value,
    /// The bytes that it was written in.
    pub span: Range<usize>,
}

/// A value of YAML.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Neither a list nor a map.
    Scalar(Scalar),
    /// A list.
    List(Vec<Node>),
    /// A map, in the order in which it is written.
    Map(Vec<(Key, Node)>),
}

/// A key of a map.
pub type Key = Spanned<String>;

/// A value that is neither a list nor a map.
#[derive(Debug, Clone, PartialEq)]
pub struct Scalar {
    /// Its text, without quotes.
    pub text: String,
    /// Whether it is written without quotes, so that it can be a number, a boolean or nothing.
    pub is_plain: bool,
}

impl Scalar {
    /// Whether nothing is written, or `null`.
    pub fn is_null(&self) -> bool {
        self.is_plain && matches!(&*self.text, "" | "~" | "null" | "Null" | "NULL")
    }

    /// The boolean, by the rules of YAML 1.2.
    pub(crate) fn boolean(&self) -> Option<bool> {
        match &*self.text {
            "true" | "True" | "TRUE" if self.is_plain => Some(true),
            "false" | "False" | "FALSE" if self.is_plain => Some(false),
            _ => None,
        }
    }

    /// The number, as JSON has it.
    pub(crate) fn number(&self) -> Option<serde_json::Number> {
        if !self.is_plain
            || !self.text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.'))
        {
            return None;
        }
        let text = self.text.strip_prefix('+').unwrap_or(&self.text);
        if let Ok(number) = text.parse::<i64>() {
            return Some(number.into());
        }
        if let Ok(number) = text.parse::<u64>() {
            return Some(number.into());
        }
        let digits = |digits: &str, radix| u64::from_str_radix(digits, radix).ok().map(Into::into);
        match text.split_at_checked(2) {
            Some(("0x", hex)) => digits(hex, 16),
            Some(("0o", octal)) => digits(octal, 8),
            _ => text.parse::<f64>().ok().and_then(serde_json::Number::from_f64),
        }
    }

    /// Whether it is written as a number that JSON does not have: one beyond the range, or a whole one that would be rounded.
    pub(crate) fn is_out_of_range(&self) -> bool {
        let digits = self.text.trim_start_matches(['-', '+']);
        let is_whole = |digits: &str, radix| !digits.is_empty() && digits.chars().all(|c| c.is_digit(radix));
        let is_number = match digits.split_at_checked(2) {
            Some(("0x", hex)) => is_whole(hex, 16),
            Some(("0o", octal)) => is_whole(octal, 8),
            _ => {
                digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') && digits.parse::<f64>().is_ok()
            }
        };
        self.is_plain
            && is_number
            && match self.number() {
                None => true,
                Some(number) => is_whole(digits, 10) && number.is_f64(),
            }
    }

    /// The text; `None` for a number, a boolean or nothing.
    pub(crate) fn string(&self) -> Option<&str> {
        let is_other = self.is_null() || self.boolean().is_some() || self.number().is_some();
        (!is_other).then_some(&self.text)
    }
}

impl Value {
    /// The number, as JSON has it.
    pub(crate) fn number(&self) -> Option<serde_json::Number> {
        match self {
            Self::Scalar(scalar) => scalar.number(),
            Self::List(_) | Self::Map(_) => None,
        }
    }
}

impl Node {
    /// Whether nothing is written, or `null`.
    pub fn is_null(&self) -> bool {
        matches!(&self.value, Value::Scalar(scalar) if scalar.is_null())
    }

    /// What is below this word, if the node has no other; otherwise the node itself.
    pub(crate) fn below(&self, word: &str) -> &Self {
        if let Value::Map(entries) = &self.value
            && let [(key, value)] = &entries[..]
            && key.value == word
        {
            return value;
        }
        self
    }

    /// The value as JSON.
    pub fn to_json(&self) -> serde_json::Value {
        serde_json::to_value(self).unwrap_or_default()
    }
}

impl Serialize for Node {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.value {
            Value::Scalar(scalar) => scalar.serialize(serializer),
            Value::List(items) => serializer.collect_seq(items),
            Value::Map(entries) => {
                serializer.collect_map(entries.iter().map(|(key, value)| (&key.value, value)))
            }
        }
    }
}

impl Serialize for Scalar {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.is_null() {
            serializer.serialize_unit()
        } else if let Some(boolean) = self.boolean() {
            serializer.serialize_bool(boolean)
        } else if let Some(number) = self.number() {
            number.serialize(serializer)
        } else {
            serializer.serialize_str(&self.text)
        }
    }
}

/// The only document of a YAML text; `None` for an empty one. `offset` is where the text begins in its file.
///
/// # Errors
/// Returns the first place that is not YAML, or that cards do not have.
pub fn parse(text: &str, offset: usize) -> Result<Option<Node>, Problem> {
    let mut tree = Tree { text, offset, open: Vec::new(), root: None };
    for event in Parser::new_from_str(text) {
        match event {
            Ok((event, span)) => tree.take(event, tree.place(span))?,
            Err(error) => {
                let at = error.marker().byte_offset().unwrap_or_default().min(text.len());
                let mut message = format!("this is not YAML: {}", error.info());
                if message.contains("mapping values") {
                    message.push_str(advice_for_colon(text, at));
                }
                return Err(Problem { message, span: tree.character(at) });
            }
        }
    }
    Ok(tree.root)
}

/// Whether a map with these entries can have another name.
///
/// # Errors
/// Returns an error if it has the name already, or too many.
pub(crate) fn check_name(entries: &[(Key, Node)], name: &Key) -> Result<(), Problem> {
    let message = if entries.len() == MOST_ITEMS {
        format!("a map must have at most {MOST_ITEMS} names here")
    } else if entries.iter().any(|(earlier, _)| earlier.value == name.value) {
        format!("`{}` is given twice; keep one of them", name.value)
    } else {
        return Ok(());
    };
    Err(Problem { message, span: name.span.clone() })
}

/// What to write where a colon makes a field of what cannot be one.
fn advice_for_colon(text: &str, at: usize) -> &'static str {
    let before = &text[..text.floor_char_boundary(at)];
    let line = before.rfind('\n').map_or(before, |newline| &before[newline + 1..]);
    if line.contains(": ") {
        "; put the text in quotes"
    } else {
        "; begin this line where the other fields begin, or put the text in quotes"
    }
}

/// A tree that is being built.
struct Tree<'t> {
    text: &'t str,
    offset: usize,
    open: Vec<Open>,
    root: Option<Node>,
}

/// A list or a map that has not ended.
struct Open {
    start: usize,
    parts: Parts,
}

enum Parts {
    List(Vec<Node>),
    /// The entries, and the key whose value is next.
    Map(Vec<(Key, Node)>, Option<Key>),
}

impl Tree<'_> {
    fn place(&self, span: Span) -> Range<usize> {
        let byte = |at: Option<usize>| at.unwrap_or_default().min(self.text.len()) + self.offset;
        let (start, end) = (byte(span.start.byte_offset()), byte(span.end.byte_offset()));
        // A block ends behind its last line.
        let written = &self.text[start - self.offset..end.max(start) - self.offset];
        start..start + written.trim_end().len()
    }

    /// The character at a byte of the text.
    fn character(&self, at: usize) -> Range<usize> {
        let at = self.text.floor_char_boundary(at);
        let len = self.text[at..].chars().next().filter(|c| *c != '\n').map_or(0, char::len_utf8);
        self.offset + at..self.offset + at + len
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "other events of the parser change nothing in a card")]
    fn take(&mut self, event: Event<'_>, span: Range<usize>) -> Result<(), Problem> {
        let not_read = |what: &str| {
            let message = format!("{what} are not supported here: write the value itself");
            Err(Problem { message, span: span.clone() })
        };
        match event {
            Event::Scalar(_, _, _, Some(_))
            | Event::SequenceStart(_, _, Some(_))
            | Event::MappingStart(_, _, Some(_)) => not_read("YAML's tags"),
            Event::Alias(_) => not_read("YAML's aliases"),
            Event::Scalar(text, style, _, None) => {
                let is_plain = style == ScalarStyle::Plain;
                let scalar = Scalar { text: text.into_owned(), is_plain };
                if scalar.is_out_of_range() {
                    let message = format!(
                        "this number is out of range: write one of at most 64 bits, or `\"{}\"` if it is text",
                        scalar.text
                    );
                    return Err(Problem { message, span });
                }
                self.add(Node { value: Value::Scalar(scalar), span })
            }
            Event::SequenceStart(..) => self.begin(Parts::List(Vec::new()), span),
            Event::MappingStart(..) => self.begin(Parts::Map(Vec::new(), None), span),
            Event::SequenceEnd | Event::MappingEnd => match self.open.pop() {
                Some(Open { start, parts }) => {
                    let value = match parts {
                        Parts::List(items) => Value::List(items),
                        Parts::Map(entries, _) => Value::Map(entries),
                    };
                    let written = &self.text[start - self.offset..span.end.max(start) - self.offset];
                    let end = start + written.trim_end().len();
                    self.add(Node { value, span: start..end })
                }
                None => Ok(()),
            },
            Event::DocumentStart(..) if self.root.is_some() => Err(Problem {
                message: "a card is one YAML document: remove the second one".to_owned(),
                span,
            }),
            _ => Ok(()),
        }
    }

    fn begin(&mut self, parts: Parts, span: Range<usize>) -> Result<(), Problem> {
        if self.open.len() >= DEEPEST {
            let message = format!("lists and maps must be at most {DEEPEST} deep here");
            return Err(Problem { message, span });
        }
        self.open.push(Open { start: span.start, parts });
        Ok(())
    }

    /// Adds a whole value to the innermost list or map.
    fn add(&mut self, node: Node) -> Result<(), Problem> {
        match self.open.last_mut().map(|open| &mut open.parts) {
            None => self.root = Some(node),
            Some(Parts::List(items)) => items.push(node),
            Some(Parts::Map(entries, key)) => match key.take() {
                Some(key) => entries.push((key, node)),
                None => {
                    let Value::Scalar(scalar) = node.value else {
                        let message = "expected a name before the colon".to_owned();
                        return Err(Problem { message, span: node.span });
                    };
                    let name = Key::new(scalar.text, node.span);
                    check_name(entries, &name)?;
                    *key = Some(name);
                }
            },
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::parse;

    fn problem(text: &str) -> (String, &str) {
        let problem = parse(text, 0).unwrap_err();
        (problem.message, &text[problem.span])
    }

    #[test]
    fn c1_a_map_has_not_too_many_names() {
        let lines: Vec<_> = (0..2_000).map(|number| format!("a{number}: 1\n")).collect();
        let text = lines.concat();
        assert_eq!(problem(&text), ("a map must have at most 1000 names here".to_owned(), "a1000"));
    }

    #[test]
    fn c1_yaml_is_read_with_its_places() {
        let text = "name: pmo\nservers:\n  - time\n  - \"other\"\nlimits: { turns: 3 }\n";
        let node = parse(text, 0).unwrap().unwrap();
        let value = json!({ "name": "pmo", "servers": ["time", "other"], "limits": { "turns": 3 } });
        assert_eq!(node.to_json(), value);
        let super::Value::Map(entries) = &node.value else { panic!("a map") };
        let places: Vec<_> =
            entries.iter().map(|(key, value)| (&text[key.span.clone()], &text[value.span.clone()])).collect();
        assert_eq!(
            places,
            [("name", "pmo"), ("servers", "- time\n  - \"other\""), ("limits", "{ turns: 3 }")]
        );
    }

    #[test]
    fn c1_numbers_and_words_are_those_of_yaml_1_2() {
        let text = "[1, -2, 0x1f, 0o17, 1.5, 1e3, true, False, yes, on, null, ~, '1', \"true\", 1_000, 08, .5, +3, .inf, 12:30]";
        let value = json!([
            1, -2, 31, 15, 1.5, 1000.0, true, false, "yes", "on", null, null, "1", "true", "1_000", 8, 0.5,
            3, ".inf", "12:30"
        ]);
        assert_eq!(parse(text, 0).unwrap().unwrap().to_json(), value);
    }

    #[test]
    fn c1_what_is_no_card_is_refused_at_its_place() {
        assert_eq!(problem("a: 1\na: 2"), ("`a` is given twice; keep one of them".to_owned(), "a"));
        assert_eq!(problem("a: &x 1\nb: *x").1, "*x");
        assert_eq!(problem("a: !!str 1").0, "YAML's tags are not supported here: write the value itself");
        assert_eq!(problem("[a]: 1").1, "[a]");
        assert!(problem("a: [1, 2").0.starts_with("this is not YAML: "));
        let deep = format!("{}1{}", "[".repeat(40), "]".repeat(40));
        assert!(problem(&deep).0.contains("at most 32 deep"), "{}", problem(&deep).0);
        assert!(problem("a: 1\n---\nb: 2").0.contains("one YAML document"));
        assert_eq!(parse("", 0), Ok(None));
        assert_eq!(parse("# nothing\n", 0), Ok(None));
    }
}
