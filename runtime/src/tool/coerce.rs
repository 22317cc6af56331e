//! Reads a value of the wrong type as the right one, where nothing is lost.

use std::borrow::Cow;
use std::cell::Cell;

use serde_json::{Map, Number, Value};

use super::check::{by_pattern, check, resolve};
use crate::args::{Literals, Unique, rounds_any, same_number};

type Object = Map<String, Value>;

/// Changes `value` to what `schema` (a part of `root`) wants, where that is possible without loss:
/// `"5"` for a number, `"true"` for a boolean, `5.0` for an integer, `5` where only texts fit and one of them is `"5"`, a
/// list or an object written as a string, and a field left out for a `null` that stands for nothing. Says whether
/// it changed anything. `literals` are the numbers of the text that the value was read from.
pub(crate) fn coerce(value: &mut Value, schema: &Value, root: &Value, literals: &Literals<'_>) -> bool {
    walk(value, schema, Source { root, literals }, &[], 0)
}

/// Where the schema and the value come from.
#[derive(Clone, Copy)]
struct Source<'s> {
    root: &'s Value,
    literals: &'s Literals<'s>,
}

/// `beside` are the properties that stand next to the options of which `schema` is one: those of a struct into which
/// an enum is flattened.
fn walk(value: &mut Value, schema: &Value, source: Source<'_>, beside: &[&Object], depth: usize) -> bool {
    if depth > 64 {
        return false;
    }
    if let Some(text) = spelled(value, schema, source) {
        *value = text.into();
        return true;
    }
    let mut changed = own(value, schema, source, depth);
    let target = resolve(schema, source.root);
    let options = options(schema);
    if target.is_none() && options.is_none() {
        return changed;
    }
    let known: Vec<&Object> = beside.iter().copied().chain(schema["properties"].as_object()).collect();
    if let Some(target) = target {
        changed |= walk(value, target, source, &known, depth + 1);
    }
    if let Some(option) = options.and_then(|options| meant(value, options, &known, source.root)) {
        changed |= walk(value, option, source, &known, depth + 1);
    }
    changed
}

/// The text that a number or a boolean spells, where the schema takes one of several texts and nothing else that it
/// could be.
fn spelled<'s>(value: &Value, schema: &'s Value, source: Source<'s>) -> Option<&'s str> {
    let wanted = match value {
        Value::Bool(value) => Cow::Borrowed(if *value { "true" } else { "false" }),
        // Most schemas are of no texts, so the text that was read is asked last.
        Value::Number(number) if !texts(schema, source.root, 0)?.is_empty() => {
            source.literals.spelling(number)?
        }
        _ => return None,
    };
    let mut same = texts(schema, source.root, 0)?.into_iter().filter(|text| **text == *wanted);
    same.next().filter(|_| same.next().is_none())
}

/// The texts that a schema takes; none if it takes other single values too.
fn texts<'s>(schema: &'s Value, root: &'s Value, depth: usize) -> Option<Vec<&'s str>> {
    if depth > 8 {
        return None;
    }
    if let Some(target) = resolve(schema, root) {
        return texts(target, root, depth + 1);
    }
    if let Some(only) = schema.get("const") {
        return only.as_str().map(|text| vec![text]);
    }
    if let Some(members) = schema["enum"].as_array() {
        let texts = members.iter().filter(|member| !member.is_null());
        return texts.map(Value::as_str).collect();
    }
    if let Some(options) = options(schema) {
        let texts =
            options.iter().map(|option| texts(option, root, depth + 1)).collect::<Option<Vec<_>>>()?;
        return Some(texts.concat());
    }
    let is_single = !matches!(schema["type"].as_str(), Some("null" | "object" | "array"));
    (!is_single).then(Vec::new)
}

fn options(schema: &Value) -> Option<&[Value]> {
    schema["anyOf"].as_array().or_else(|| schema["oneOf"].as_array()).map(Vec::as_slice)
}

/// What the schema says without its options.
fn own(value: &mut Value, schema: &Value, source: Source<'_>, depth: usize) -> bool {
    let mut changed = false;
    if let Some(better) = scalar(value, schema, source.literals) {
        *value = better;
        changed = true;
    }
    match value {
        Value::Object(fields) => {
            let before = fields.len();
            fields.retain(|name, field| !(field.is_null() && stands_for_nothing(name, schema, source.root)));
            changed |= fields.len() < before;
            for (name, field) in fields {
                let property = schema["properties"].get(name);
                let property = property.or_else(|| by_pattern(name, schema.as_object()?));
                let property = property.unwrap_or(&schema["additionalProperties"]);
                changed |= walk(field, property, source, &[], depth + 1);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter_mut().enumerate() {
                let schema = schema["prefixItems"].get(index).unwrap_or(&schema["items"]);
                changed |= walk(item, schema, source, &[], depth + 1);
            }
        }
        _ => {}
    }
    changed
}

/// The option that is without doubt the one that was meant: the only one beside "nothing", or the only one that
/// has the object's fields and constants, but for those fields that are known already.
fn meant<'s>(value: &Value, options: &'s [Value], known: &[&Object], root: &Value) -> Option<&'s Value> {
    let mut real = options.iter().filter(|option| option["type"] != "null");
    match (real.next()?, real.next()) {
        (only, None) => return (!value.is_null()).then_some(only),
        _ if !value.is_object() => return None,
        _ => {}
    }
    let fields = value.as_object()?;
    let steps = Cell::new(STEPS);
    let mut fitting = options.iter().filter(|option| fits(fields, option, known, root, &steps));
    fitting.next().filter(|_| fitting.next().is_none())
}

/// So many options are looked at for one value; a schema that refers to itself has more.
const STEPS: u32 = 1000;

/// Whether an object has what an option asks for, and no fields that neither it nor its own options know.
fn fits(fields: &Object, option: &Value, known: &[&Object], root: &Value, steps: &Cell<u32>) -> bool {
    let left = steps.get().saturating_sub(1);
    steps.set(left);
    if left == 0 {
        return false;
    }
    let option = resolve(option, root).unwrap_or(option);
    let properties = option["properties"].as_object();
    let inner = options(option);
    if properties.is_none() && inner.is_none() {
        return false;
    }
    let mut required = option["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let mut constants = properties
        .into_iter()
        .flatten()
        .filter_map(|(name, property)| Some((fields.get(name)?, property.get("const")?)));
    if !required.all(|name| fields.contains_key(name)) || constants.any(|(field, only)| field != only) {
        return false;
    }
    let known: Vec<&Object> = known.iter().copied().chain(properties).collect();
    match inner {
        Some(options) => options.iter().any(|option| fits(fields, option, &known, root, steps)),
        None => fields.keys().all(|name| known.iter().any(|known| known.contains_key(name))),
    }
}

/// Whether `null` is no value of a field that may be left out: providers that require every field have the model
/// write it in its place.
fn stands_for_nothing(name: &str, schema: &Value, root: &Value) -> bool {
    let required = schema["required"].as_array().is_some_and(|names| names.iter().any(|each| each == name));
    let property = schema["properties"].get(name);
    !required && property.is_some_and(|property| !check(&Value::Null, property, root, name).is_empty())
}

fn scalar(value: &Value, schema: &Value, literals: &Literals<'_>) -> Option<Value> {
    let wants = |kind: &str| match &schema["type"] {
        Value::String(only) => only == kind,
        Value::Array(kinds) => kinds.iter().any(|each| each == kind),
        _ => false,
    };
    match value {
        Value::String(_) if wants("string") => None,
        Value::String(text) => {
            let text = text.trim();
            let Unique(inner) = serde_json::from_str(text).ok()?;
            let fits = match &inner {
                Value::Number(number) => {
                    let as_integer = wants("integer") && !number.is_f64();
                    number.to_string() == text
                        && (as_integer || (wants("number") && is_held(number, &schema["format"])))
                }
                Value::Bool(_) => wants("boolean"),
                // What is read from a text within the text has lost its digits.
                Value::Array(_) => wants("array") && !rounds_any(text),
                Value::Object(_) => wants("object") && !rounds_any(text),
                _ => false,
            };
            fits.then_some(inner)
        }
        Value::Number(number) if number.is_f64() && wants("integer") && !wants("number") => {
            let number = number.as_f64()?;
            // Whole numbers up to 2^53 are exact in both forms.
            let is_whole = number.fract() == 0.0 && number.abs() <= 9_007_199_254_740_992.0;
            #[expect(clippy::cast_possible_truncation, reason = "checked to be whole and in range")]
            (is_whole && literals.is_exact(number)).then(|| Value::from(number as i64))
        }
        _ => None,
    }
}

/// Whether a fraction of this format holds all digits of a number.
fn is_held(number: &Number, format: &Value) -> bool {
    let Some(wide) = number.as_f64() else { return false };
    #[expect(clippy::cast_possible_truncation, reason = "the loss is what is looked for")]
    let narrow = wide as f32;
    let is_narrow = format == "float";
    let held = match number.is_f64() {
        true if is_narrow => narrow.to_string(),
        true => wide.to_string(),
        false if is_narrow => format!("{narrow:.0}"),
        false => format!("{wide:.0}"),
    };
    same_number(&number.to_string(), &held)
}
