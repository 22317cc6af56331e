//! Finds the fields of a flattened `Option` of a struct that lacks others: serde reads it as `None`, and the fields are lost.
//!
//! The schema has these fields among those of the outer struct, and none of them is required. So they are found by a test of the type: it reads
//! a value of which one of these fields is wrong, because the whole `Option` is `None` then.

use std::cell::RefCell;
use std::collections::HashMap;

use serde_json::{Map, Value, json};

use super::check::check;
use super::found::Path;
use super::problem::{Problem, expected};

type Object = Map<String, Value>;

/// The recursion limit of the schemas for one value, and of the value.
const DEPTH: usize = 128;
/// How often the type is asked.
const MOST_READS: usize = 100;

/// The problems with the fields that a type would drop from a value that fits its schema, a part of `root`. `reads` says whether the type reads a value.
pub(crate) fn halves(
    value: &Value,
    schema: &Value,
    root: &Value,
    path: &str,
    reads: impl Fn(Value) -> bool,
) -> Vec<Problem> {
    let search = Search { value, root, reads, known: RefCell::default() };
    let mut found = Vec::new();
    search.walk(
        &mut Place { pointer: String::new(), depth: 0 },
        value,
        schema,
        &Path::root(path),
        &mut found,
    );
    found
}

struct Place {
    pointer: String,
    depth: usize,
}

struct Search<'s, R> {
    value: &'s Value,
    root: &'s Value,
    reads: R,
    /// Whether a wrong value of a field, known by its schema, is dropped.
    known: RefCell<HashMap<*const Value, bool>>,
}

impl<'s, R: Fn(Value) -> bool> Search<'s, R> {
    fn walk(
        &self,
        place: &mut Place,
        value: &Value,
        schema: &'s Value,
        path: &Path<'_>,
        found: &mut Vec<Problem>,
    ) {
        if place.depth == DEPTH || !found.is_empty() || !(value.is_object() || value.is_array()) {
            return;
        }
        place.depth += 1;
        let target =
            schema["$ref"].as_str().and_then(|pointer| self.root.pointer(pointer.strip_prefix('#')?));
        let options =
            ["anyOf", "oneOf", "allOf"].into_iter().filter_map(|key| schema[key].as_array()).flatten();
        for part in target.into_iter().chain(options) {
            self.walk(place, value, part, path, found);
        }
        let length = place.pointer.len();
        match value {
            Value::Object(fields) => {
                if let Some(properties) = schema["properties"].as_object() {
                    self.object(place, fields, schema, properties, path, found);
                }
                for (name, field) in fields {
                    let property = schema["properties"].get(name).unwrap_or(&schema["additionalProperties"]);
                    place.pointer.push_str(&step(name));
                    self.walk(place, field, property, &path.field(name), found);
                    place.pointer.truncate(length);
                }
            }
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    let schema = schema["prefixItems"].get(index).unwrap_or(&schema["items"]);
                    place.pointer.push_str(&format!("/{index}"));
                    self.walk(place, item, schema, &path.item(index), found);
                    place.pointer.truncate(length);
                }
            }
            _ => {}
        }
        place.depth -= 1;
    }

    fn object(
        &self,
        place: &Place,
        fields: &Object,
        schema: &'s Value,
        properties: &'s Object,
        path: &Path<'_>,
        found: &mut Vec<Problem>,
    ) {
        let required = schema["required"].as_array().map_or(&[][..], Vec::as_slice);
        // An optional field of another kind may be `null`, or shows its default.
        let may_be_lost = |(name, property): &(&'s String, &'s Value)| {
            !required.iter().any(|each| each == *name)
                && property.get("default").is_none()
                && !check(&Value::Null, property, self.root, "").is_empty()
        };
        let (given, missing): (Vec<_>, Vec<_>) =
            properties.iter().filter(may_be_lost).partition(|(name, _)| fields.contains_key(*name));
        if given.is_empty() || missing.is_empty() {
            return;
        }
        let is_dropped = |(name, property): &(&'s String, &'s Value)| self.is_dropped(place, name, property);
        let Some((beside, _)) = given.into_iter().find(is_dropped) else { return };
        for (name, property) in missing.into_iter().filter(is_dropped) {
            let path = path.field(name).to_string();
            found.push(Problem::half(path, &expected(property), beside));
        }
    }

    /// Whether the type reads the value with a wrong field here.
    fn is_dropped(&self, place: &Place, name: &str, property: &'s Value) -> bool {
        let mut known = self.known.borrow_mut();
        if known.len() == MOST_READS {
            return false;
        }
        *known.entry(property).or_insert_with(|| {
            let wrong = [json!({ "\u{1}": [] }), json!("\u{1}"), json!([{}])];
            let wrong = wrong.into_iter().find(|wrong| !check(wrong, property, self.root, "").is_empty());
            let mut changed = self.value.clone();
            match (wrong, changed.pointer_mut(&place.pointer).and_then(Value::as_object_mut)) {
                (Some(wrong), Some(fields)) => {
                    fields.insert(name.to_owned(), wrong);
                    (self.reads)(changed)
                }
                _ => false,
            }
        })
    }
}

fn step(name: &str) -> String {
    format!("/{}", name.replace('~', "~0").replace('/', "~1"))
}
