//! Holds a value against a schema and says everything that is wrong, by path, in words for a model.
//!
//! It covers what schemars writes for Rust types and what MCP servers send. A keyword that it does not
//! know never refuses a value: decoding, or the server, still decides.

use std::cell::Cell;

use serde_json::Value;

use super::problem::{Problem, describe, expected, join};

/// Whether a schema limits values beyond what decoding into its type already does.
pub(crate) fn has_limits(schema: &Value) -> bool {
    match schema {
        Value::Object(object) => object.iter().any(|(key, value)| match key.as_str() {
            "minimum" | "maximum" => !implied_by_format(schema, key, value),
            "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" | "minLength" | "maxLength"
            | "pattern" | "uniqueItems" | "minProperties" | "maxProperties" => true,
            // A fixed-size array says both; decoding checks it.
            "minItems" | "maxItems" => object.get("minItems") != object.get("maxItems"),
            "default" | "examples" | "enum" | "const" | "description" => false,
            // Their keys are names of somebody's own, not keywords: a field may well be called `description`.
            "properties" | "patternProperties" | "dependentSchemas" | "$defs" | "definitions" => {
                value.as_object().is_some_and(|named| named.values().any(has_limits))
            }
            _ => has_limits(value),
        }),
        Value::Array(items) => items.iter().any(has_limits),
        _ => false,
    }
}

/// `u8` shows as 0 to 255: the type itself refuses the rest.
fn implied_by_format(schema: &Value, key: &str, value: &Value) -> bool {
    let bounds = match schema["format"].as_str() {
        Some("uint8") => (0, 0xFF),
        Some("uint16") => (0, 0xFFFF),
        Some("uint32") => (0, 0xFFFF_FFFF),
        Some("int8") => (-0x80, 0x7F),
        Some("int16") => (-0x8000, 0x7FFF),
        Some("uint" | "uint64" | "uint128") => return key == "minimum" && value == 0,
        _ => return false,
    };
    value.as_i64() == Some(if key == "minimum" { bounds.0 } else { bounds.1 })
}

/// Everything that `schema` (a part of `root`) has against `value`.
pub(crate) fn check(value: &Value, schema: &Value, root: &Value, path: &str) -> Vec<Problem> {
    let mut problems = Vec::new();
    let steps = Cell::new(STEPS);
    walk(value, schema, Root { schema: root, steps: &steps }, path, 0, &mut problems);
    if steps.get() == 0 {
        return vec![Problem::at(path, "too large or too deeply nested to be checked")];
    }
    problems
}

/// A schema that refers to itself, or branches in every branch, ends here; what was not checked is refused.
const STEPS: u32 = 1_000_000;

/// Deeper than any value that can be read goes, however many references each of its levels takes.
const DEPTH: usize = 1024;

/// The document that references point into, and how much may still be looked at.
#[derive(Clone, Copy)]
struct Root<'s> {
    schema: &'s Value,
    steps: &'s Cell<u32>,
}

fn walk(value: &Value, schema: &Value, root: Root<'_>, path: &str, depth: usize, out: &mut Vec<Problem>) {
    let left = if depth > DEPTH { 0 } else { root.steps.get().saturating_sub(1) };
    root.steps.set(left);
    if left == 0 {
        return;
    }
    let Value::Object(object) = schema else { return };
    if let Some(target) = resolve(schema, root.schema) {
        walk(value, target, root, path, depth + 1, out);
    }
    let fits = |schema: &Value| {
        let mut problems = Vec::new();
        walk(value, schema, root, path, depth + 1, &mut problems);
        problems
    };
    for key in ["anyOf", "oneOf"] {
        if let Some(options) = object.get(key).and_then(Value::as_array) {
            let verdicts: Vec<_> = options.iter().map(fits).collect();
            if verdicts.iter().all(|problems| !problems.is_empty()) {
                // The option that was meant tells most, else one that got further than to differ in kind.
                let deep = |(_, problems): &(_, Vec<Problem>)| {
                    problems.iter().all(|problem| problem.path.len() > path.len())
                };
                let mut deep: Vec<_> = options.iter().zip(verdicts).filter(deep).collect();
                let meant = deep.iter().position(|(option, _)| is_meant(value, option, root.schema));
                if deep.is_empty() {
                    out.push(mismatch(path, schema, value));
                } else {
                    out.extend(deep.swap_remove(meant.unwrap_or_default()).1);
                }
                return;
            }
        }
    }
    if let Some(parts) = object.get("allOf").and_then(Value::as_array) {
        out.extend(parts.iter().flat_map(fits));
    }
    if !has_type(value, object.get("type"))
        || object.get("enum").and_then(Value::as_array).is_some_and(|options| !options.contains(value))
        || object.get("const").is_some_and(|only| only != value)
    {
        out.push(mismatch(path, schema, value));
        return;
    }
    match value {
        Value::Object(fields) => walk_object(fields, object, root, path, depth, out),
        Value::Array(items) => walk_list(items, object, root, path, depth, out),
        Value::String(text) => walk_text(text, object, path, out),
        Value::Number(number) => walk_number(number.as_f64().unwrap_or_default(), value, object, path, out),
        _ => {}
    }
}

/// Whether an object has the tags of an option, or what must be there where it has no tags.
fn is_meant(value: &Value, option: &Value, root: &Value) -> bool {
    let option = resolve(option, root).unwrap_or(option);
    let properties = option["properties"].as_object().into_iter().flatten();
    let mut tags = properties.filter_map(|(name, property)| Some((name, property.get("const")?))).peekable();
    if tags.peek().is_some() {
        return tags.all(|(name, only)| value.get(name) == Some(only));
    }
    let required = option["required"].as_array();
    required
        .is_some_and(|names| names.iter().all(|name| value.get(name.as_str().unwrap_or_default()).is_some()))
}

fn mismatch(path: &str, schema: &Value, value: &Value) -> Problem {
    Problem::at(path, format!("expected {}, found {}", expected(schema), describe(value)))
}

/// The schema that a `$ref` into the same document names.
pub(super) fn resolve<'s>(schema: &Value, root: &'s Value) -> Option<&'s Value> {
    root.pointer(schema.get("$ref")?.as_str()?.strip_prefix('#')?)
}

fn has_type(value: &Value, wanted: Option<&Value>) -> bool {
    let is = |kind: &str| match kind {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        // What is beyond `u64` has no fraction, whatever it was rounded to.
        "integer" => {
            value.is_i64()
                || value.is_u64()
                || value.as_f64().is_some_and(|number| number.abs() >= 9_223_372_036_854_775_808.0)
        }
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => true,
    };
    match wanted {
        Some(Value::String(kind)) => is(kind),
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).any(is),
        _ => true,
    }
}

type Object = serde_json::Map<String, Value>;

fn walk_object(
    fields: &Object,
    schema: &Object,
    root: Root<'_>,
    path: &str,
    depth: usize,
    out: &mut Vec<Problem>,
) {
    let empty = Object::new();
    let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&empty);
    for name in schema.get("required").and_then(Value::as_array).into_iter().flatten() {
        if let Some(name) = name.as_str()
            && !fields.contains_key(name)
        {
            let wanted = properties.get(name).map_or_else(|| "a value".to_owned(), expected);
            out.push(Problem::missing(join(path, name), &wanted));
        }
    }
    for (name, value) in fields {
        let property = properties.get(name).or_else(|| by_pattern(name, schema));
        match (property, schema.get("additionalProperties")) {
            (Some(property), _) => walk(value, property, root, &join(path, name), depth + 1, out),
            (None, Some(Value::Bool(false))) => {
                out.push(Problem::unknown_in(path, name, properties.keys().map(String::as_str)));
            }
            (None, Some(other)) => walk(value, other, root, &join(path, name), depth + 1, out),
            (None, None) => {}
        }
    }
    let count = fields.len() as u64;
    count_within(count, schema, ["minProperties", "maxProperties"], "entries", path, out);
}

/// The schema of a key that is given by its form, as in a map whose keys are numbers.
pub(super) fn by_pattern<'s>(name: &str, schema: &'s Object) -> Option<&'s Value> {
    let patterns = schema.get("patternProperties")?.as_object()?;
    // A pattern of a foreign dialect may fit anything.
    let fits = |pattern: &str| regex_lite::Regex::new(pattern).map_or(true, |regex| regex.is_match(name));
    patterns.iter().find(|(pattern, _)| fits(pattern)).map(|(_, schema)| schema)
}

fn walk_list(
    items: &[Value],
    schema: &Object,
    root: Root<'_>,
    path: &str,
    depth: usize,
    out: &mut Vec<Problem>,
) {
    let prefix = schema.get("prefixItems").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    for (index, item) in items.iter().enumerate() {
        if let Some(schema) = prefix.get(index).or_else(|| schema.get("items")) {
            walk(item, schema, root, &format!("{path}[{index}]"), depth + 1, out);
        }
    }
    count_within(items.len() as u64, schema, ["minItems", "maxItems"], "items", path, out);
    if schema.get("uniqueItems") == Some(&Value::Bool(true))
        && let Some(at) = (1..items.len()).find(|&at| items[..at].contains(&items[at]))
    {
        out.push(Problem::at(format!("{path}[{at}]"), "stands twice in a list of different items"));
    }
}

fn walk_text(text: &str, schema: &Object, path: &str, out: &mut Vec<Problem>) {
    let count = text.chars().count() as u64;
    count_within(count, schema, ["minLength", "maxLength"], "characters", path, out);
    if let Some(pattern) = schema.get("pattern").and_then(Value::as_str)
        // A pattern of a foreign dialect cannot be held against the text here; its owner will.
        && let Ok(regex) = regex_lite::Regex::new(pattern)
        && !regex.is_match(text)
    {
        let found = describe(&Value::String(text.to_owned()));
        out.push(Problem::at(path, format!("expected text that matches {pattern:?}, found {found}")));
    }
}

fn walk_number(number: f64, value: &Value, schema: &Object, path: &str, out: &mut Vec<Problem>) {
    type Rule = fn(f64, f64) -> bool;
    let rules: [(&str, &str, Rule); 4] = [
        ("minimum", "at least", |number, limit| number >= limit),
        ("maximum", "at most", |number, limit| number <= limit),
        ("exclusiveMinimum", "more than", |number, limit| number > limit),
        ("exclusiveMaximum", "less than", |number, limit| number < limit),
    ];
    for (key, words, holds) in rules {
        if let Some(limit) = schema.get(key)
            && let Some(number_limit) = limit.as_f64()
            && !holds(number, number_limit)
        {
            out.push(Problem::at(path, format!("expected {words} {limit}, found {value}")));
        }
    }
    if let Some(step) = schema.get("multipleOf").and_then(Value::as_f64)
        && step > 0.0
        && (number / step - (number / step).round()).abs() > 1e-9
    {
        out.push(Problem::at(path, format!("expected a multiple of {step}, found {value}")));
    }
}

fn count_within(
    count: u64,
    schema: &Object,
    [least, most]: [&str; 2],
    unit: &str,
    path: &str,
    out: &mut Vec<Problem>,
) {
    let limit = |key| schema.get(key).and_then(Value::as_u64);
    if let Some(least) = limit(least).filter(|least| count < *least) {
        out.push(Problem::at(path, format!("expected at least {least} {unit}, found {count}")));
    }
    if let Some(most) = limit(most).filter(|most| count > *most) {
        out.push(Problem::at(path, format!("expected at most {most} {unit}, found {count}")));
    }
}
