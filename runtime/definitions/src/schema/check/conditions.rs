//! Conditions of a schema: `not`, `if`, and the rules that depend on other keys.

use serde_json::Value;

use super::{Findings, Object, Place, Problem, Verdict, Walk, count_within};

/// The keywords of this module. Most schemas have none of them.
const KEYWORDS: [&str; 7] =
    ["not", "if", "dependentRequired", "dependentSchemas", "dependencies", "propertyNames", "contains"];

impl<'s> Walk<'s> {
    /// Checks the conditions of a schema for a value that fits the rest of it.
    pub(super) fn walk_conditions(
        &self,
        value: &Value,
        schema: &'s Object,
        place: Place<'_>,
        found: &mut Findings,
    ) {
        if !KEYWORDS.iter().any(|key| schema.contains_key(*key)) {
            return;
        }
        if let Some(excluded) = schema.get("not")
            && self.fits(value, excluded, place)
        {
            found.add(place.path, |path| Problem::excluded(path, excluded, value));
        }
        if let Some(condition) = schema.get("if") {
            let key = if self.fits(value, condition, place) { "then" } else { "else" };
            if let Some(schema) = schema.get(key) {
                self.walk(value, schema, place, found);
            }
        }
        match value {
            Value::Object(fields) => {
                for key in ["dependentRequired", "dependentSchemas", "dependencies"] {
                    self.walk_dependent((value, fields), schema.get(key), place, found);
                }
                if let Some(names) = schema.get("propertyNames") {
                    for name in fields.keys() {
                        self.walk(&name.as_str().into(), names, Place::new(&place.path.field(name)), found);
                    }
                }
            }
            Value::Array(items) => {
                if let Some(contained) = schema.get("contains") {
                    let fits =
                        |(index, item)| self.fits(item, contained, Place::new(&place.path.item(index)));
                    let count = items.iter().enumerate().filter(|item| fits(*item)).count() as u64;
                    if schema.contains_key("minContains") || count > 0 {
                        let limits = ["minContains", "maxContains"];
                        count_within(count, schema, limits, "items that fit `contains`", place.path, found);
                    } else {
                        let unit = "items that fit `contains`";
                        found.add(place.path, |path| Problem::wrong_count(path, "at least", 1, unit, 0));
                    }
                }
            }
            _ => {}
        }
    }

    /// Checks the requirements of an object's keys: other keys, or a schema of the whole object.
    fn walk_dependent(
        &self,
        (value, fields): (&Value, &Object),
        dependent: Option<&'s Value>,
        place: Place<'_>,
        found: &mut Findings,
    ) {
        let dependent = dependent.and_then(Value::as_object).into_iter().flatten();
        for (key, needed) in dependent.filter(|(key, _)| self.budget.take(1) && fields.contains_key(*key)) {
            let Value::Array(names) = needed else {
                self.walk(value, needed, place, found);
                continue;
            };
            for name in names.iter().filter_map(Value::as_str) {
                if self.budget.take(1) && !fields.contains_key(name) {
                    found.add(&place.path.field(name), |path| Problem::missing_beside(path, key));
                }
            }
        }
    }

    /// Whether a value fits a schema.
    pub(super) fn fits(&self, value: &Value, schema: &'s Value, place: Place<'_>) -> bool {
        let mut verdict = Findings::Verdict(place.path.level, Verdict::Fits);
        self.walk(value, schema, place, &mut verdict);
        matches!(verdict, Findings::Verdict(_, Verdict::Fits))
    }
}
