//! The keywords of JSON Schema, and their texts in descriptions.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::error::{ExportError, Site};

pub(super) type Object = Map<String, Value>;

/// The maximum number of parts that are merged into the options of one union.
const MOST_MERGED: usize = 100_000;

/// The number of values in a value, itself included; a long text counts for several.
pub(super) fn parts(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(parts).sum::<usize>(),
        Value::Object(fields) => {
            1 + fields.iter().map(|(name, field)| name.len() / 64 + parts(field)).sum::<usize>()
        }
        Value::String(text) => 1 + text.len() / 64,
        Value::Null | Value::Bool(_) | Value::Number(_) => 1,
    }
}

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

/// Unwraps a single `allOf`, and merges several ones where objects allow it.
pub(super) fn all_of(site: &Site<'_>, schema: &mut Object, path: &str) -> Result<(), ExportError> {
    while let Some(Value::Array(all)) = schema.remove("allOf") {
        for part in all {
            let Value::Object(part) = part else {
                return Err(site.refuse(
                    path,
                    "has an `allOf` with an item that is not a schema",
                    "correct the schema",
                ));
            };
            let both = |key: &str| schema.contains_key(key) && part.contains_key(key);
            let clash = ["anyOf", "oneOf", "allOf", "$ref", "enum", "const", "items", "prefixItems"];
            if let Some(key) = clash.into_iter().find(|key| both(key)) {
                return Err(site.refuse(
                    path,
                    format!("has an `allOf` whose parts each have `{key}`"),
                    "write one schema that says the same",
                ));
            }
            let listed = schema.get("required").and_then(Value::as_array).map_or(0, Vec::len);
            site.spend(part.values().map(parts).sum::<usize>() + listed, path)?;
            merge(schema, &part);
        }
    }
    Ok(())
}

/// Merges two object schemas; the second one wins.
pub(super) fn merge(merged: &mut Object, over: &Object) {
    for (key, value) in over {
        match (key.as_str(), merged.get_mut(key), value) {
            ("properties", Some(Value::Object(known)), Value::Object(more)) => {
                known.extend(more.iter().map(|(name, schema)| (name.clone(), schema.clone())));
            }
            ("required", Some(Value::Array(known)), Value::Array(more)) => {
                let mut seen: HashSet<Value> = known.iter().cloned().collect();
                known.extend(more.iter().filter(|name| seen.insert((*name).clone())).cloned());
            }
            _ => {
                merged.insert(key.clone(), value.clone());
            }
        }
    }
}

/// Distinct schemas in the order of their first use.
#[derive(Default)]
pub(super) struct Distinct {
    pub(super) in_order: Vec<Value>,
    seen: HashSet<Value>,
}

impl Distinct {
    pub(super) fn push(&mut self, schema: Value) {
        if self.seen.insert(schema.clone()) {
            self.in_order.push(schema);
        }
    }

    /// The only schema, or the result of `join` for several; `None` if there are none.
    pub(super) fn into_schema(mut self, join: impl FnOnce(&[Value]) -> Object) -> Option<Object> {
        match &mut self.in_order[..] {
            [] => None,
            [only] => Some(object(only.take())),
            several => Some(join(several)),
        }
    }

    /// The schema of a tuple's items; `None` for different schemas, unless the order may be lost.
    pub(super) fn into_item(self, site: &Site<'_>) -> Option<Object> {
        let differ = self.in_order.len() > 1;
        self.into_schema(any_of).filter(|_| !differ || site.lossy)
    }
}

/// A union.
pub(super) fn any_of(options: &[Value]) -> Object {
    object(json!({ "anyOf": options }))
}

/// The items of a tuple.
pub(super) fn tuple(schema: &Object) -> Option<&Vec<Value>> {
    match (schema.get("prefixItems"), schema.get("items")) {
        (Some(Value::Array(tuple)), _) | (None, Some(Value::Array(tuple))) => Some(tuple),
        _ => None,
    }
}

/// Removes the description.
pub(super) fn take_description(schema: &mut Object) -> Option<String> {
    match schema.remove("description") {
        Some(Value::String(text)) => Some(text),
        _ => None,
    }
}

/// The names of the properties that a schema of an object requires.
pub(super) fn required(schema: &Object) -> impl Iterator<Item = &str> {
    schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}

/// The types that a schema names, or that its other keywords imply.
pub(super) fn kinds(schema: &Object) -> Vec<String> {
    match schema.get("type") {
        Some(Value::String(kind)) => vec![kind.clone()],
        Some(Value::Array(kinds)) => {
            let mut seen = HashSet::new();
            let kinds = kinds.iter().filter_map(Value::as_str).filter(|kind| seen.insert(*kind));
            kinds.map(str::to_owned).collect()
        }
        _ => {
            let has = |key: &str| schema.contains_key(key);
            let mut seen = HashSet::new();
            let listed = literals(schema);
            let listed = listed.iter().map(kind_of).filter(|kind| seen.insert(*kind));
            let mut kinds: Vec<String> = listed.map(str::to_owned).collect();
            if kinds.is_empty() && (has("properties") || has("additionalProperties")) {
                kinds.push("object".to_owned());
            } else if kinds.is_empty() && (has("items") || has("prefixItems")) {
                kinds.push("array".to_owned());
            }
            kinds
        }
    }
}

/// The values that a schema lists.
pub(super) fn literals(schema: &Object) -> Vec<Value> {
    match (schema.get("const"), schema.get("enum")) {
        (Some(value), _) => vec![value.clone()],
        (None, Some(Value::Array(values))) => values.clone(),
        _ => Vec::new(),
    }
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Converts a union of constants, which schemars writes for an enum with documented variants, to a list of
/// values with descriptions.
pub(super) fn words(options: &[Value]) -> Option<(Vec<Value>, Vec<String>)> {
    let (mut all, mut docs) = (Vec::new(), Vec::new());
    for option in options {
        let option = option.as_object()?;
        let known = ["type", "const", "enum", "description", "title", "deprecated"];
        let values = literals(option);
        if values.is_empty()
            || !values.iter().all(Value::is_string)
            || !option.keys().all(|key| known.contains(&key.as_str()))
        {
            return None;
        }
        if let Some(text) = option.get("description").and_then(Value::as_str) {
            let names: Vec<_> =
                values.iter().filter_map(Value::as_str).map(|name| format!("`{name}`")).collect();
            docs.push(format!("- {}: {}", names.join(", "), text.replace('\n', " ")));
        }
        all.extend(values);
    }
    (!all.is_empty()).then_some((all, docs))
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

/// Whether `null` is the only value of the schema.
pub(super) fn is_null(schema: &Value) -> bool {
    schema["type"] == "null" || schema["const"] == Value::Null && schema.get("const").is_some()
}

/// The union's options, with the keywords beside them merged into each.
pub(super) fn options(
    site: &Site<'_>,
    schema: &mut Object,
    path: &str,
) -> Result<Option<Vec<Value>>, ExportError> {
    let found = match (schema.remove("anyOf"), schema.remove("oneOf")) {
        (Some(_), Some(_)) => {
            return Err(site.refuse(path, "has both `anyOf` and `oneOf`", "keep one of them"));
        }
        (any, one) => any.or(one),
    };
    let Some(found) = found else { return Ok(None) };
    let Value::Array(options) = found else {
        return Err(site.refuse(path, "has a union that is not a list", "correct the schema"));
    };
    let mut base = schema.clone();
    for key in ["default", "examples", "title", "unevaluatedProperties", "discriminator"] {
        base.remove(key);
    }
    // The keywords beside the options are copied into each option.
    let beside = options.len().saturating_mul(base.values().map(parts).sum());
    if beside > MOST_MERGED {
        let reason = "is a union with too much beside it";
        return Err(site.refuse(path, reason, "say in each option what only it needs"));
    }
    site.spend(beside, path)?;
    let merged = options.into_iter().map(|option| match option {
        Value::Object(option) if !is_null_object(&option) => {
            let mut merged = base.clone();
            merge(&mut merged, &option);
            Value::Object(merged)
        }
        other => other,
    });
    Ok(Some(merged.collect()))
}

fn is_null_object(option: &Object) -> bool {
    option.get("type").is_some_and(|kind| kind == "null")
}

/// The keywords of a schema that was written as an object.
pub(super) fn object(value: Value) -> Object {
    match value {
        Value::Object(object) => object,
        _ => Map::new(),
    }
}
