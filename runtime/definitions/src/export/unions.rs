//! Unions and `allOf`: merged, or as one list of words.

use std::collections::HashSet;

use serde_json::{Value, json};

use super::error::{ExportError, Site};
use super::keywords::{Object, literals, object, parts};

/// The maximum number of parts that are merged into the options of one union.
const MOST_MERGED: usize = 100_000;

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
