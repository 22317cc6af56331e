//! Reads a value of the wrong type as the right one, where nothing is lost.

use std::cell::Cell;

use serde_json::{Map, Value};

use super::check::{by_pattern, check, resolve};
use crate::args::Unique;

type Object = Map<String, Value>;

/// Changes `value` to what `schema` (a part of `root`) wants, where that is possible without loss:
/// `"5"` for a number, `"true"` for a boolean, `5.0` for an integer, a list or an object written as a
/// string, and a field left out for a `null` that stands for nothing. Says whether it changed anything.
pub(crate) fn coerce(value: &mut Value, schema: &Value, root: &Value) -> bool {
    walk(value, schema, root, &[], 0)
}

/// `beside` are the properties that stand next to the options of which `schema` is one: those of a struct into which
/// an enum is flattened.
fn walk(value: &mut Value, schema: &Value, root: &Value, beside: &[&Object], depth: usize) -> bool {
    if depth > 64 {
        return false;
    }
    let mut changed = own(value, schema, root, depth);
    let target = resolve(schema, root);
    let options = options(schema);
    if target.is_none() && options.is_none() {
        return changed;
    }
    let known: Vec<&Object> = beside.iter().copied().chain(schema["properties"].as_object()).collect();
    if let Some(target) = target {
        changed |= walk(value, target, root, &known, depth + 1);
    }
    if let Some(option) = options.and_then(|options| meant(value, options, &known, root)) {
        changed |= walk(value, option, root, &known, depth + 1);
    }
    changed
}

fn options(schema: &Value) -> Option<&[Value]> {
    schema["anyOf"].as_array().or_else(|| schema["oneOf"].as_array()).map(Vec::as_slice)
}

/// What the schema says without its options.
fn own(value: &mut Value, schema: &Value, root: &Value, depth: usize) -> bool {
    let mut changed = false;
    if let Some(better) = scalar(value, &schema["type"]) {
        *value = better;
        changed = true;
    }
    match value {
        Value::Object(fields) => {
            let before = fields.len();
            fields.retain(|name, field| !(field.is_null() && stands_for_nothing(name, schema, root)));
            changed |= fields.len() < before;
            for (name, field) in fields {
                let property = schema["properties"].get(name);
                let property = property.or_else(|| by_pattern(name, schema.as_object()?));
                let property = property.unwrap_or(&schema["additionalProperties"]);
                changed |= walk(field, property, root, &[], depth + 1);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter_mut().enumerate() {
                let schema = schema["prefixItems"].get(index).unwrap_or(&schema["items"]);
                changed |= walk(item, schema, root, &[], depth + 1);
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

fn scalar(value: &Value, wanted: &Value) -> Option<Value> {
    let wants = |kind: &str| match wanted {
        Value::String(only) => only == kind,
        Value::Array(kinds) => kinds.iter().any(|each| each == kind),
        _ => false,
    };
    match value {
        Value::String(_) if wants("string") => None,
        Value::String(text) => {
            let Unique(inner) = serde_json::from_str(text.trim()).ok()?;
            let fits = match &inner {
                Value::Number(number) => {
                    let same = number.to_string() == text.trim();
                    same && (wants("number") || (wants("integer") && !number.is_f64()))
                }
                Value::Bool(_) => wants("boolean"),
                Value::Array(_) => wants("array"),
                Value::Object(_) => wants("object"),
                _ => false,
            };
            fits.then_some(inner)
        }
        Value::Number(number) if number.is_f64() && wants("integer") && !wants("number") => {
            let number = number.as_f64()?;
            // Whole numbers up to 2^53 are exact in both forms.
            #[expect(clippy::cast_possible_truncation, reason = "checked to be whole and in range")]
            (number.fract() == 0.0 && number.abs() <= 9_007_199_254_740_992.0)
                .then(|| Value::from(number as i64))
        }
        _ => None,
    }
}
