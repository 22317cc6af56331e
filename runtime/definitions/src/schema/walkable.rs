//! Checks once for each schema from an untrusted source whether values can be checked against it.

use std::collections::HashMap;

use serde_json::Value;

use super::budget::LINKS;
use super::keywords::{combined, referenced, subschemas};

/// The maximum depth of a schema.
const DEPTH: usize = 128;

/// The maximum number of parts of a schema.
const PARTS: usize = 200_000;

/// The maximum size of a schema, in bytes. A request to a model is smaller.
const BYTES: usize = 1 << 20;

/// The maximum number of schemas for one value, with references inlined.
const ALTERNATIVES: u64 = 100_000;

/// The reason why values cannot be checked against a schema; `None` if they can. Call this once for each
/// schema from an untrusted source: a malicious schema can make a check endless.
pub fn unwalkable(schema: &Value) -> Option<String> {
    let mut walk = Walk { root: schema, known: HashMap::new(), parts: 0, bytes: 0 };
    walk.whole(schema).err()
}

struct Walk<'s> {
    root: &'s Value,
    /// The cost of one value for each schema. `None` while it is being computed.
    known: HashMap<*const Value, Option<Cost>>,
    parts: usize,
    /// The total length of texts and names.
    bytes: usize,
}

/// The cost of checking one value against a schema, without its parts.
#[derive(Clone, Copy)]
struct Cost {
    schemas: u64,
    /// The longest chain of schemas.
    length: usize,
}

impl<'s> Walk<'s> {
    fn whole(&mut self, schema: &'s Value) -> Result<(), String> {
        self.size(schema, 0)?;
        let mut open = vec![schema];
        while let Some(schema) = open.pop() {
            if schema.is_object() {
                self.cost(schema, 0)?;
            }
            open.extend(subschemas(schema).into_iter().map(|part| part.schema));
        }
        Ok(())
    }

    /// Counts a value with its parts.
    fn size(&mut self, value: &Value, depth: usize) -> Result<(), String> {
        self.count(value, depth)?;
        match value {
            Value::Object(fields) => fields.values().try_for_each(|field| self.size(field, depth + 1)),
            Value::Array(items) => items.iter().try_for_each(|item| self.size(item, depth + 1)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Ok(()),
        }
    }

    /// Counts a part without its own parts.
    fn count(&mut self, part: &Value, depth: usize) -> Result<(), String> {
        self.parts += 1;
        self.bytes += match part {
            Value::Object(fields) => fields.keys().map(String::len).sum(),
            Value::String(text) => text.len(),
            _ => 0,
        };
        if depth > DEPTH {
            return Err(format!("it is nested more than {DEPTH} levels deep"));
        }
        if self.parts > PARTS {
            return Err(format!("it has more than {PARTS} parts"));
        }
        if self.bytes > BYTES {
            return Err(format!("its texts and names are longer than {BYTES} bytes"));
        }
        Ok(())
    }

    /// `way` is the number of schemas on the path to this one, which is limited.
    fn cost(&mut self, schema: &'s Value, way: usize) -> Result<Cost, String> {
        if way > LINKS {
            return Err(format!("it refers on more than {LINKS} times in a row"));
        }
        let place = std::ptr::from_ref(schema);
        match self.known.insert(place, None) {
            Some(Some(known)) => {
                self.known.insert(place, Some(known));
                return Ok(known);
            }
            Some(None) => return Err("it refers to itself without an end".to_owned()),
            None => {}
        }
        let mut cost = Cost { schemas: 1, length: 0 };
        let target = schema["$ref"].as_str().and_then(|to| referenced(self.root, to));
        for next in target.into_iter().chain(combined(schema)) {
            let next = self.cost(next, way + 1)?;
            cost.schemas = cost.schemas.saturating_add(next.schemas);
            cost.length = cost.length.max(next.length + 1);
        }
        if cost.length > LINKS {
            return Err(format!("it refers on more than {LINKS} times in a row"));
        }
        if cost.schemas > ALTERNATIVES {
            return Err(format!(
                "with its references written out it has more than {ALTERNATIVES} alternatives"
            ));
        }
        self.known.insert(place, Some(cost));
        Ok(cost)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, json};

    use super::*;

    #[test]
    fn a4_a_schema_that_cannot_be_walked_is_seen() {
        let chain = |levels: usize, last: Value| {
            let next = |at: usize| json!({ "anyOf": [{ "$ref": format!("#/$defs/A{}", at + 1) }, { "$ref": format!("#/$defs/A{}", at + 1) }] });
            let mut definitions: Map<_, _> = (0..levels).map(|at| (format!("A{at}"), next(at))).collect();
            definitions.insert(format!("A{levels}"), last);
            json!({ "$ref": "#/$defs/A0", "$defs": definitions })
        };
        let nested = (0..200).fold(json!({}), |inner, _| json!({ "items": inner }));
        for (schema, reason) in [
            (json!({ "type": "object", "$ref": "#", "anyOf": [{ "$ref": "#" }] }), "itself"),
            (json!({ "properties": { "a": { "allOf": [{ "$ref": "#/properties/a" }] } } }), "itself"),
            (chain(5, json!({ "$ref": "#/$defs/A2" })), "itself"),
            (chain(20, json!({})), "alternatives"),
            (chain(100, json!({})), "in a row"),
            (nested, "levels deep"),
            (json!({ "prefixItems": vec![json!({}); PARTS] }), "parts"),
            (json!({ "enum": vec![0; PARTS] }), "parts"),
            (json!({ "examples": ["a".repeat(BYTES)] }), "bytes"),
            (json!({ "properties": { "a".repeat(BYTES): {} } }), "bytes"),
        ] {
            let told = unwalkable(&schema).unwrap_or_default();
            assert!(told.contains(reason), "{told} of {}", schema.to_string().get(..100).unwrap_or_default());
        }
    }

    #[test]
    fn a4_recursive_schemas_that_go_into_the_value_are_walked() {
        for schema in [
            json!({ "type": "object", "properties": { "next": { "$ref": "#" }, "all": { "items": { "$ref": "#" } } } }),
            json!({
                "$ref": "#/$defs/Tree",
                "$defs": { "Tree": { "anyOf": [{ "type": "null" }, { "properties": { "left": { "$ref": "#/$defs/Tree" } } }] } }
            }),
            json!({ "$ref": "https://elsewhere", "properties": { "$ref": { "enum": [{ "$ref": "#" }] } } }),
            json!({ "anyOf": vec![json!({ "type": "object" }); 16_000] }),
        ] {
            assert_eq!(unwalkable(&schema), None);
        }
    }
}
