//! Finds the keys of an object that no part of its schema knows (`unevaluatedProperties: false`). A struct
//! with a flattened enum has its own fields and the fields of one variant.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{DEPTH, Findings, Object, Place, Problem, Walk};

/// The names that a schema knows in an object.
type Names<'s> = BTreeSet<&'s str>;

impl<'s> Walk<'s> {
    /// Refuses keys that the schema of the object, and its parts that fit, do not know.
    pub(super) fn walk_unevaluated(
        &self,
        value: &Value,
        fields: &Object,
        schema: &'s Value,
        place: Place<'_>,
        found: &mut Findings,
    ) {
        if schema.get("unevaluatedProperties") != Some(&Value::Bool(false)) {
            return;
        }
        let mut names = Names::new();
        if !self.names(value, schema, place, 0, &mut names) {
            return;
        }
        let unknown = fields.keys().filter(|name| self.budget.take(1) && !names.contains(name.as_str()));
        for name in unknown {
            found.add(&place.path.field(name), |path| Problem::unknown_at(path, name, names.iter().copied()));
        }
    }

    /// Adds the names that a schema knows; of several matching options, those of the first. Returns whether
    /// the names are complete.
    fn names(
        &self,
        value: &Value,
        schema: &'s Value,
        place: Place<'_>,
        depth: usize,
        names: &mut Names<'s>,
    ) -> bool {
        let Value::Object(object) = schema else { return *schema == Value::Bool(false) };
        let own = object.get("properties").and_then(Value::as_object);
        let is_told = ["properties", "$ref", "allOf", "anyOf", "oneOf", "enum", "const"];
        if depth == DEPTH
            || !is_told.iter().any(|key| object.contains_key(*key))
            || object.get("additionalProperties").is_some_and(|more| *more != Value::Bool(false))
            || ["patternProperties", "if"].iter().any(|key| object.contains_key(*key))
            || !self.budget.take(1 + own.map_or(0, |own| own.len() as u64))
        {
            return false;
        }
        names.extend(own.into_iter().flat_map(Object::keys).map(String::as_str));
        let mut known = |part: &'s Value| self.names(value, part, place, depth + 1, names);
        let each = object.get("allOf").and_then(Value::as_array).into_iter().flatten();
        if !self.resolve(object).into_iter().chain(each).all(&mut known) {
            return false;
        }
        ["anyOf", "oneOf"].into_iter().filter_map(|key| object.get(key)?.as_array()).all(|options| {
            let fits = options.iter().find(|option| self.fits(value, option, place));
            fits.is_none_or(&mut known)
        })
    }
}
