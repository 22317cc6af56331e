//! Texts of servers in the descriptions of their tools, as models and people get them: without what nobody sees, and within a bound.

use std::collections::BTreeSet;
use std::sync::Arc;

use onionskin_core::schema::KeywordKind;
use onionskin_core::text::without_hidden;
use rmcp::model::Tool;
use serde_json::{Map, Value};

use super::visible;

/// The bytes of a text, of a tool or of a part of its schemas. More is no description, and costs each request.
const LONGEST_TEXT: usize = 16 << 10;

/// What was changed in the texts of a tool, and what stays.
#[derive(Default)]
struct Changes {
    hidden: usize,
    cut: usize,
    /// Of what a server compares with arguments.
    unchanged_hidden: usize,
    unchanged_long: usize,
    /// The keywords that have these.
    unchanged_in: BTreeSet<String>,
}

/// Takes hidden characters out of the texts of a tool that no check uses, and cuts those that are too long: descriptions, titles, examples, formats, and all texts
/// of unknown keywords. A model reads characters that people do not see, so a server could tell it what nobody reads. Values and names that
/// a server compares stay as they are. Returns a message for each kind of change, and for what stays.
pub(super) fn clean(tool: &mut Tool) -> Vec<String> {
    let mut changes = Changes::default();
    if let Some(text) = tool.description.as_mut() {
        changes.text(text.to_mut());
    }
    let titles = [tool.title.as_mut(), tool.annotations.as_mut().and_then(|hints| hints.title.as_mut())];
    titles.into_iter().flatten().for_each(|title| changes.text(title));
    for schema in [Some(&mut tool.input_schema), tool.output_schema.as_mut()].into_iter().flatten() {
        if schema.iter().any(|(key, value)| is_odd(key) || has_odd(value)) {
            changes.schema(Arc::make_mut(schema));
        }
    }
    changes.describe(&visible::name(&tool.name))
}

/// Whether a text has hidden characters or is too long.
fn is_odd(text: &str) -> bool {
    text.len() > LONGEST_TEXT || without_hidden(text).1 > 0
}

/// Whether a text or a name in the value is odd. Most schemas have none, and stay shared.
fn has_odd(value: &Value) -> bool {
    match value {
        Value::String(text) => is_odd(text),
        Value::Object(fields) => fields.iter().any(|(key, value)| is_odd(key) || has_odd(value)),
        Value::Array(items) => items.iter().any(has_odd),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

impl Changes {
    fn text(&mut self, text: &mut String) {
        let (shown, hidden) = without_hidden(text);
        let is_long = shown.len() > LONGEST_TEXT;
        if hidden > 0 || is_long {
            let shown = visible::cut(shown.into_owned(), LONGEST_TEXT - '…'.len_utf8());
            *text = shown;
            self.hidden += hidden;
            self.cut += usize::from(is_long);
        }
    }

    fn schema(&mut self, schema: &mut Map<String, Value>) {
        for (key, value) in schema.iter_mut() {
            self.stays("names", key);
            match KeywordKind::new(key) {
                KeywordKind::SchemaMap(_) => match value {
                    Value::Object(named) => named.iter_mut().for_each(|(name, schema)| {
                        self.stays("names", name);
                        self.part(schema);
                    }),
                    other => self.part(other),
                },
                KeywordKind::Names | KeywordKind::NameMap => self.all_stays("names", value),
                KeywordKind::Members
                | KeywordKind::Value
                | KeywordKind::Pattern
                | KeywordKind::Reference
                | KeywordKind::Types => self.all_stays(&format!("`{key}`"), value),
                KeywordKind::Examples => self.example(value),
                KeywordKind::Schema(_)
                | KeywordKind::SchemaList(_)
                | KeywordKind::Dependencies
                | KeywordKind::Text
                | KeywordKind::Word
                | KeywordKind::Limit
                | KeywordKind::Count
                | KeywordKind::Flag
                | KeywordKind::Unknown => self.part(value),
            }
        }
    }

    /// A text, or what holds schemas.
    fn part(&mut self, value: &mut Value) {
        match value {
            Value::String(text) => self.text(text),
            Value::Object(fields) => self.schema(fields),
            Value::Array(items) => items.iter_mut().for_each(|item| self.part(item)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// A value that nothing is compared with.
    fn example(&mut self, value: &mut Value) {
        match value {
            Value::String(text) => self.text(text),
            Value::Object(fields) => fields.iter_mut().for_each(|(key, value)| {
                self.stays("names", key);
                self.example(value);
            }),
            Value::Array(items) => items.iter_mut().for_each(|item| self.example(item)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// Counts a text that stays as it is.
    fn stays(&mut self, place: &str, text: &str) {
        if is_odd(text) {
            self.unchanged_hidden += without_hidden(text).1;
            self.unchanged_long += usize::from(text.len() > LONGEST_TEXT);
            self.unchanged_in.insert(place.to_owned());
        }
    }

    fn all_stays(&mut self, place: &str, value: &Value) {
        match value {
            Value::String(text) => self.stays(place, text),
            Value::Object(fields) => fields.iter().for_each(|(key, value)| {
                self.stays(place, key);
                self.all_stays(place, value);
            }),
            Value::Array(items) => items.iter().for_each(|item| self.all_stays(place, item)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn describe(self, name: &str) -> Vec<String> {
        let Self { hidden, cut, unchanged_hidden, unchanged_long, unchanged_in } = self;
        let mut notices = Vec::new();
        if hidden > 0 {
            notices.push(format!(
                "the texts of the tool `{name}` have {hidden} hidden characters, which are left out"
            ));
        }
        if cut > 0 {
            notices.push(format!(
                "the tool `{name}` has {cut} texts of more than {LONGEST_TEXT} bytes, which are cut"
            ));
        }
        let unchanged = [
            (unchanged_hidden, "hidden characters".to_owned()),
            (unchanged_long, format!("texts of more than {LONGEST_TEXT} bytes")),
        ];
        let unchanged: Vec<_> = unchanged
            .into_iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, what)| format!("{count} {what}"))
            .collect();
        if !unchanged.is_empty() {
            let places: Vec<_> = unchanged_in.into_iter().collect();
            notices.push(format!(
                "the schemas of the tool `{name}` have {} in {}: models get them as they are, because the server compares them",
                unchanged.join(" and "),
                places.join(", ")
            ));
        }
        notices
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a4_texts_lose_what_is_hidden_and_data_stays() {
        let long = "y".repeat(20_000);
        let mut tool: Tool = serde_json::from_value(json!({
            "name": "pay", "description": "Pays.\u{202e}\u{200b}", "title": "Pay\u{e0041}",
            "annotations": {"title": "a\u{1b}[2J"},
            "inputSchema": {"type": "object", "properties": {
                "default": {"description": "x\u{e0041}", "enum": ["\u{200b}"], "default": "\u{200b}"},
                "many": {"items": {"anyOf": [{"description": long}]}},
                "more": {
                    "x-note": [{"hint": "a\u{200b}"}, long], "examples": [{"enum": "b\u{200b}"}], "example": "c\u{200b}",
                    "format": "d\u{200b}", "contentMediaType": "e\u{200b}", "pattern": "f\u{200b}", "const": [long],
                },
            }, "required": ["g\u{200b}"], "$defs": {"h\u{200b}": {"title": "i\u{200b}"}}},
        }))
        .unwrap();
        let expected = [
            "the texts of the tool `pay` have 11 hidden characters, which are left out",
            "the tool `pay` has 2 texts of more than 16384 bytes, which are cut",
            "the schemas of the tool `pay` have 5 hidden characters and 1 texts of more than 16384 bytes in `const`, `default`, `enum`, \
             `pattern`, names: models get them as they are, because the server compares them",
        ];
        assert_eq!(clean(&mut tool), expected);
        assert_eq!((tool.description.as_deref(), tool.title.as_deref()), (Some("Pays."), Some("Pay")));
        let default = &tool.input_schema["properties"]["default"];
        assert_eq!(*default, json!({"description": "x", "enum": ["\u{200b}"], "default": "\u{200b}"}));
        let cut = &tool.input_schema["properties"]["many"]["items"]["anyOf"][0]["description"];
        assert!(cut.as_str().unwrap().len() <= LONGEST_TEXT);
        let expected = json!({
            "x-note": [{"hint": "a"}, cut], "examples": [{"enum": "b"}], "example": "c",
            "format": "d", "contentMediaType": "e", "pattern": "f\u{200b}", "const": [long],
        });
        assert_eq!(tool.input_schema["properties"]["more"], expected);
        assert_eq!(tool.input_schema["$defs"], json!({"h\u{200b}": {"title": "i"}}));
        let again = clean(&mut tool);
        assert!(again.len() == 1 && again[0].contains("as they are"), "{again:?}");
    }
}
