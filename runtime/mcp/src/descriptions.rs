//! Descriptions of servers, as models and people get them: without what nobody sees, and within a bound.

use std::sync::Arc;

use onionskin_core::text::without_hidden;
use rmcp::model::Tool;
use serde_json::{Map, Value};

use super::visible;

/// The bytes of a description, of a tool or of a part of its schemas. More is no description, and costs each request.
const LONGEST: usize = 16 << 10;

/// What was changed in the texts of a tool.
#[derive(Default)]
struct Changes {
    hidden: usize,
    cut: usize,
}

/// Takes hidden characters out of the descriptions and titles of a tool, and cuts those that are too long. A model reads characters that people
/// do not see, so a server could tell it what nobody reads. Returns a message for each kind of change.
pub(super) fn clean(tool: &mut Tool) -> Vec<String> {
    let mut changes = Changes::default();
    if let Some(text) = tool.description.as_mut() {
        changes.text(text.to_mut());
    }
    let titles = [tool.title.as_mut(), tool.annotations.as_mut().and_then(|hints| hints.title.as_mut())];
    titles.into_iter().flatten().for_each(|title| changes.text(title));
    for schema in [Some(&mut tool.input_schema), tool.output_schema.as_mut()].into_iter().flatten() {
        if has_texts(schema) {
            changes.schema(Arc::make_mut(schema));
        }
    }
    let mut notices = Vec::new();
    let name = visible::name(&tool.name);
    if changes.hidden > 0 {
        notices.push(format!(
            "the descriptions of the tool `{name}` have {} hidden characters, which are left out",
            changes.hidden
        ));
    }
    if changes.cut > 0 {
        notices.push(format!(
            "the tool `{name}` has {} descriptions of more than {LONGEST} bytes, which are cut",
            changes.cut
        ));
    }
    notices
}

/// Fields of schemas whose values are texts for readers.
const TEXTS: [&str; 3] = ["title", "description", "$comment"];
/// Fields of schemas whose values are data of the tool.
const DATA: [&str; 5] = ["const", "default", "enum", "example", "examples"];
/// Fields of schemas whose values have names of the tool as keys.
const NAMED: [&str; 5] = ["properties", "patternProperties", "dependentSchemas", "$defs", "definitions"];

/// Whether a schema has a text that is to change. Most have none, and stay shared.
fn has_texts(schema: &Map<String, Value>) -> bool {
    schema.iter().any(|(key, value)| match value {
        Value::String(text) => {
            TEXTS.contains(&key.as_str()) && (text.len() > LONGEST || without_hidden(text).1 > 0)
        }
        Value::Object(fields) => !DATA.contains(&key.as_str()) && has_texts(fields),
        Value::Array(items) => items.iter().filter_map(Value::as_object).any(has_texts),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    })
}

impl Changes {
    fn text(&mut self, text: &mut String) {
        let (kept, hidden) = without_hidden(text);
        let is_long = kept.len() > LONGEST;
        if hidden > 0 || is_long {
            let kept = visible::cut(kept.into_owned(), LONGEST - '…'.len_utf8());
            *text = kept;
            self.hidden += hidden;
            self.cut += usize::from(is_long);
        }
    }

    fn schema(&mut self, schema: &mut Map<String, Value>) {
        for (key, value) in schema.iter_mut() {
            match value {
                Value::String(text) if TEXTS.contains(&key.as_str()) => self.text(text),
                Value::Object(named) if NAMED.contains(&key.as_str()) => {
                    named
                        .values_mut()
                        .filter_map(Value::as_object_mut)
                        .for_each(|schema| self.schema(schema));
                }
                Value::Object(fields) if !DATA.contains(&key.as_str()) => self.schema(fields),
                Value::Array(items) if !DATA.contains(&key.as_str()) => {
                    items.iter_mut().filter_map(Value::as_object_mut).for_each(|schema| self.schema(schema));
                }
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a4_descriptions_lose_what_is_hidden_and_data_stays() {
        let mut tool: Tool = serde_json::from_value(json!({
            "name": "pay", "description": "Pays.\u{202e}\u{200b}", "title": "Pay\u{e0041}",
            "annotations": {"title": "a\u{1b}[2J"},
            "inputSchema": {"type": "object", "properties": {
                "default": {"description": "x\u{e0041}", "enum": ["\u{200b}"], "default": "\u{200b}"},
                "many": {"items": {"anyOf": [{"description": "y".repeat(20_000)}]}},
            }},
        }))
        .unwrap();
        let notices = clean(&mut tool);
        assert_eq!(
            notices[0],
            "the descriptions of the tool `pay` have 5 hidden characters, which are left out"
        );
        assert_eq!(notices[1], "the tool `pay` has 1 descriptions of more than 16384 bytes, which are cut");
        assert_eq!((tool.description.as_deref(), tool.title.as_deref()), (Some("Pays."), Some("Pay")));
        let default = &tool.input_schema["properties"]["default"];
        assert_eq!(*default, json!({"description": "x", "enum": ["\u{200b}"], "default": "\u{200b}"}));
        let long = &tool.input_schema["properties"]["many"]["items"]["anyOf"][0]["description"];
        assert!(long.as_str().unwrap().len() <= LONGEST);
        assert!(clean(&mut tool).is_empty());
    }
}
