//! JSON as a tree of values with their places.

use std::fmt;
use std::ops::Range;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::problem::Problem;
use crate::yaml::{DEEPEST, Key, Node, Scalar, Value, check_name};

/// The value of a JSON text. `offset` is where the text begins in its file.
///
/// # Errors
/// Returns the first place that is not JSON, or that workflows do not have.
pub(crate) fn parse(text: &str, offset: usize) -> Result<Node, Problem> {
    // As in Markdown, editors may put a mark in front.
    let content = text.trim_start_matches('\u{feff}');
    let offset = offset + text.len() - content.len();
    let reader = Reader { text: content, offset };
    serde_json::from_str::<IgnoredAny>(content).map_err(|error| reader.not_json(content, &error))?;
    reader.node(content.trim_matches([' ', '\t', '\r', '\n']), 0)
}

struct Reader<'t> {
    text: &'t str,
    offset: usize,
}

impl<'t> Reader<'t> {
    /// The place of a part of the text.
    fn place(&self, part: &str) -> Range<usize> {
        let start = part.as_ptr().addr().saturating_sub(self.text.as_ptr().addr()) + self.offset;
        start..start + part.len()
    }

    fn node(&self, part: &'t str, depth: usize) -> Result<Node, Problem> {
        let span = self.place(part);
        let wrong = |error: serde_json::Error| self.not_json(part, &error);
        let begins = |sign| part.starts_with(sign);
        if depth >= DEEPEST && (begins('[') || begins('{')) {
            let message = format!("lists and maps must be at most {DEEPEST} deep here");
            return Err(Problem { message, span: span.start..span.start + 1 });
        }
        let value = if begins('[') {
            let items: Vec<&RawValue> = serde_json::from_str(part).map_err(wrong)?;
            let items = items.into_iter().map(|item| self.node(item.get(), depth + 1));
            Value::List(items.collect::<Result<_, _>>()?)
        } else if begins('{') {
            let Map(entries) = serde_json::from_str(part).map_err(wrong)?;
            let mut map = Vec::new();
            for (key, value) in entries {
                let key = Key::new(self.string(key.get())?, self.place(key.get()));
                check_name(&map, &key)?;
                map.push((key, self.node(value.get(), depth + 1)?));
            }
            Value::Map(map)
        } else if begins('"') {
            Value::Scalar(Scalar { text: self.string(part)?, is_plain: false })
        } else {
            Value::Scalar(Scalar { text: part.to_owned(), is_plain: true })
        };
        Ok(Node { value, span })
    }

    fn string(&self, part: &'t str) -> Result<String, Problem> {
        serde_json::from_str(part).map_err(|error| self.not_json(part, &error))
    }

    /// What editors write, and JSON does not have: a comment, or a comma behind the last value. `at` is where the text is not JSON.
    fn editor_mistake(&self, at: usize) -> Option<Problem> {
        let (before, rest) = self.text.split_at_checked(at)?;
        if let Some(sign) = ["//", "/*", "#"].into_iter().find(|sign| rest.starts_with(sign)) {
            let line = rest.lines().next().unwrap_or(sign);
            let message = "JSON has no comments: remove this one".to_owned();
            return Some(Problem { message, span: self.place(line) });
        }
        let comma = before.trim_end().strip_suffix(',').filter(|_| rest.starts_with(['}', ']']))?;
        let message = "a comma behind the last value is not JSON: remove it".to_owned();
        Some(Problem { message, span: self.place(&self.text[comma.len()..=comma.len()]) })
    }

    /// The place in a part at which it is not JSON.
    fn not_json(&self, part: &str, error: &serde_json::Error) -> Problem {
        let lines = part.split_inclusive('\n').take(error.line().saturating_sub(1));
        let line = lines.map(str::len).sum::<usize>();
        let at = part.floor_char_boundary(line + error.column().saturating_sub(1));
        if let Some(problem) = self.editor_mistake(self.place(part).start - self.offset + at) {
            return problem;
        }
        let at = self.place(part).start + at;
        let words = error.to_string();
        let words = words.split(" at line ").next().unwrap_or_default();
        Problem { message: format!("this is not JSON: {words}"), span: at..at }
    }
}

/// The entries of a map as text, in order.
struct Map<'t>(Vec<(&'t RawValue, &'t RawValue)>);

impl<'t> Deserialize<'t> for Map<'t> {
    fn deserialize<D: Deserializer<'t>>(from: D) -> Result<Self, D::Error> {
        struct Entries;

        impl<'t> Visitor<'t> for Entries {
            type Value = Map<'t>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map")
            }

            fn visit_map<M: MapAccess<'t>>(self, mut map: M) -> Result<Map<'t>, M::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Map(entries))
            }
        }

        from.deserialize_map(Entries)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::parse;
    use crate::yaml::{Value, parse as parse_yaml};

    #[test]
    fn c4_json_is_read_with_the_places_that_yaml_has() {
        let text = "{ \"a\": [1, -2.5e3, \"é\\n\", true, null], \n  \"b\" : { \"c\": {} , \"d\": [] } }\n";
        assert_eq!(parse(text, 7), Ok(parse_yaml(text, 7).unwrap().unwrap()));
    }

    #[test]
    fn c4_json_holds_what_yaml_does_not() {
        let key = "k".repeat(2_000);
        let text = format!("\u{feff}{{\"{key}\": \"\u{7f}\u{85}\u{feff}\u{fffe}\\ud83d\\ude00\\/\"}}");
        let node = parse(&text, 0).unwrap();
        assert_eq!(node.to_json(), json!({ key.as_str(): "\u{7f}\u{85}\u{feff}\u{fffe}\u{1f600}/" }));
        let Value::Map(entries) = &node.value else { panic!("a map") };
        assert_eq!(&text[entries[0].0.span.clone()], format!("\"{key}\""));
    }

    #[test]
    fn c4_what_editors_write_in_json_is_named() {
        let (comma, comment) =
            ("a comma behind the last value is not JSON: remove it", "JSON has no comments: remove this one");
        for (text, message, place) in [
            ("{\n  \"a\": 1,\n}", comma, ","),
            ("[1, 2 , ]", comma, ", ]"),
            ("[{ \"a\": [1,], }]", comma, ",], }]"),
            ("{ // of ü\n \"a\": 1 }", comment, "// of ü\n"),
            ("{ \"a\": 1 } /* x */", comment, "/* x */"),
            ("{ \"a\": /* x */ 1 }", comment, "/* x */ 1"),
            ("# x\n{}", comment, "# x"),
        ] {
            let problem = parse(text, 0).unwrap_err();
            assert_eq!(problem.message, message, "{text}");
            assert!(text[problem.span.start..].starts_with(place), "{text}: {:?}", problem.span);
        }
    }

    #[test]
    fn c4_what_is_not_json_has_a_place() {
        let problem = |text: &str| {
            let problem = parse(text, 0).unwrap_err();
            (problem.message, problem.span.start)
        };
        assert_eq!(problem("{\n  \"a\": tru\n}").1, 13);
        assert_eq!(
            problem("{ \"a\": 1, \"a\": 2 }"),
            ("`a` is given twice; keep one of them".to_owned(), 10)
        );
        let (message, at) = problem("[\"\\ud800\"]");
        assert!(message.starts_with("this is not JSON: ") && at < 10, "{message} {at}");
        let deep = format!("{}1{}", "[".repeat(40), "]".repeat(40));
        assert_eq!(problem(&deep), ("lists and maps must be at most 32 deep here".to_owned(), 32));
        assert!(problem("").0.starts_with("this is not JSON: "));
    }
}
