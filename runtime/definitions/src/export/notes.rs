//! The notes that an export adds to a description, for what its dialect cannot say in keywords.

use serde_json::{Value, json};

use super::error::{ExportError, Site};
use super::keywords::{Object, literals};

/// Keywords that limit a value and that a text can express.
const LIMITS: &[&str] = &[
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "pattern",
    "minItems",
    "maxItems",
    "uniqueItems",
    "contains",
    "minContains",
    "maxContains",
    "minProperties",
    "maxProperties",
];

/// Keywords that make a schema depend on other values.
const CONDITIONS: &[&str] =
    &["not", "if", "then", "else", "dependentRequired", "dependentSchemas", "dependencies"];

/// Notes for a description beside its own text.
#[derive(Default)]
pub(super) struct Notes(Vec<String>);

impl Notes {
    pub(super) fn add(&mut self, key: &str, value: &Value) {
        self.0.push(format!("{key}: {}", plain(value)));
    }

    /// The description of a rewritten schema: its own text and the notes.
    pub(super) fn describe(self, own: Option<&str>, schema: &mut Object) {
        let mut text = own.unwrap_or_default().to_owned();
        if !self.0.is_empty() {
            if !text.is_empty() {
                text.push(' ');
            }
            text.push_str(&format!("({})", self.0.join(", ")));
        }
        if !text.is_empty() {
            schema.insert("description".into(), text.into());
        }
    }
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Copies the limits that the dialect supports and adds notes for the others. Annotations and unknown
/// keywords are dropped.
pub(super) fn limits(
    schema: &Object,
    kind: &str,
    stays: fn(&str, &str, &Value) -> bool,
    out: &mut Object,
    notes: &mut Notes,
) {
    for key in ["format", "contentEncoding"].iter().chain(LIMITS) {
        let Some(value) = schema.get(*key) else { continue };
        if stays(kind, key, value) {
            out.insert((*key).into(), value.clone());
        } else if *key == "format" && matches!(kind, "integer" | "number") {
            // A width of Rust's integers means nothing to a model; the bounds beside it do.
        } else if *value != json!(false) {
            notes.add(key, value);
        }
    }
}

/// Adds notes for a default and an example.
pub(super) fn remarks(schema: &Object, notes: &mut Notes) {
    if let Some(default) = schema.get("default").filter(|default| !default.is_null()) {
        notes.add("default", default);
    }
    if let Some(example) = schema.get("examples").and_then(|examples| examples.get(0)) {
        notes.add("example", example);
    }
}

/// Rejects conditions, or leaves them to the tool.
pub(super) fn conditions(
    site: &Site<'_>,
    schema: &mut Object,
    path: &str,
    notes: &mut Notes,
) -> Result<(), ExportError> {
    // Excluded values can be written as a note, for example those of `NonZeroI64`.
    if let Some(Value::Object(not)) = schema.get("not")
        && let [value] = &literals(not)[..]
        && not.len() == 1
    {
        notes.add("not", value);
        schema.remove("not");
    }
    for key in CONDITIONS {
        if schema.remove(*key).is_some() && !site.lossy {
            return Err(site.refuse(
                path,
                format!("has the condition `{key}`"),
                "drop it and check in the tool, or export with `lossy`",
            ));
        }
    }
    Ok(())
}

/// A description with a list of the values' meanings.
pub(super) fn with_docs(description: Option<&str>, docs: &[String]) -> Option<String> {
    if docs.is_empty() {
        return description.map(str::to_owned);
    }
    let mut text = description.map(|text| format!("{text}\n\n")).unwrap_or_default();
    text.push_str(&docs.join("\n"));
    Some(text)
}
