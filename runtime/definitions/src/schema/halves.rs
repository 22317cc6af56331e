//! Finds an incomplete flattened `Option` of a struct: serde reads it as `None` and drops the fields that are
//! present.
//!
//! The schema lists these fields as optional fields of the outer struct. A trial read finds them: with a
//! wrong value for one of them, the type still reads the whole value, because the `Option` becomes `None`.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use serde_json::{Map, Value, json};

use super::check::check;
use super::findings::Path;
use super::keywords::{combined, referenced};
use super::problem::{Problem, expected};

type Object = Map<String, Value>;

/// The recursion limit of the schemas for one value, and of the value.
const DEPTH: usize = 128;
/// The maximum number of trial reads.
const MOST_READS: usize = 100;

/// The problems with the fields that the type would drop from a value that fits `schema`, a part of `root`.
/// `reads` returns whether the type reads a value.
pub fn halves(
    value: &Value,
    schema: &Value,
    root: &Value,
    path: &str,
    reads: impl Fn(Value) -> bool,
) -> Vec<Problem> {
    let (known, optional, seen) = (RefCell::default(), RefCell::default(), RefCell::default());
    let search = Search { value, root, reads, known, optional, seen };
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
    /// For the schema of a field: whether the type drops a wrong value of it.
    known: RefCell<HashMap<*const Value, bool>>,
    /// The optional fields of each schema.
    optional: RefCell<HashMap<*const Value, Rc<[OptionalField<'s>]>>>,
    /// The pairs of value and schema that were visited, so that the options of a recursive type do not
    /// multiply.
    seen: RefCell<HashSet<(*const Value, *const Value)>>,
}

/// A field that is not required.
struct OptionalField<'s> {
    name: &'s str,
    schema: &'s Value,
    /// Whether it has no default and may not be `null`: such a field belongs to a flattened `Option`.
    is_needed: bool,
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
        if !self.seen.borrow_mut().insert((value, schema)) {
            return;
        }
        place.depth += 1;
        let target = schema["$ref"].as_str().and_then(|to| referenced(self.root, to));
        for part in target.into_iter().chain(combined(schema)) {
            self.walk(place, value, part, path, found);
        }
        let length = place.pointer.len();
        match value {
            Value::Object(fields) => {
                self.object(place, fields, schema, path, found);
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
        path: &Path<'_>,
        found: &mut Vec<Problem>,
    ) {
        let optional = self.optional(schema);
        let is_given =
            |field: &OptionalField<'s>| fields.get(field.name).is_some_and(|value| !value.is_null());
        let is_missing = |field: &&OptionalField<'s>| field.is_needed && !is_given(field);
        if !optional.iter().any(|field| is_missing(&field)) {
            return;
        }
        let is_dropped = |field: &&OptionalField<'s>| self.is_dropped(place, field);
        let Some(beside) = optional.iter().filter(|field| is_given(field)).find(is_dropped) else { return };
        for OptionalField { name, schema, .. } in optional.iter().filter(is_missing).filter(is_dropped) {
            let path = path.field(name).to_string();
            found.push(Problem::half(path, &expected(schema), beside.name));
        }
    }

    /// The optional fields, which may belong to a flattened `Option`.
    fn optional(&self, schema: &'s Value) -> Rc<[OptionalField<'s>]> {
        let known = self.optional.borrow().get(&std::ptr::from_ref(schema)).cloned();
        known.unwrap_or_else(|| {
            let required: HashSet<&str> =
                schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
            let properties = schema["properties"].as_object().into_iter().flatten();
            let fields: Rc<[_]> = properties
                .filter(|(name, _)| !required.contains(name.as_str()))
                .map(|(name, property)| OptionalField {
                    name,
                    schema: property,
                    is_needed: property.get("default").is_none()
                        && !check(&Value::Null, property, self.root, "").is_empty(),
                })
                .collect();
            self.optional.borrow_mut().insert(schema, Rc::clone(&fields));
            fields
        })
    }

    /// Whether the type reads the value with a wrong field here.
    fn is_dropped(&self, place: &Place, field: &OptionalField<'s>) -> bool {
        let OptionalField { name, schema: property, .. } = *field;
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
