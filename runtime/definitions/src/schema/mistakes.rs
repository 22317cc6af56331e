//! Finds keywords with unusable values, which a check of values would ignore. Such a schema rejects less than
//! its author intended.

use serde_json::{Map, Value};

use super::keywords::{KeywordKind, referenced};
use super::pattern::compiles;
use super::walkable::unwalkable;
use crate::text::nearest;

const TYPES: [&str; 7] = ["object", "array", "string", "number", "integer", "boolean", "null"];

/// The first mistake in a schema, with its location as a JSON pointer; `None` if every keyword can be
/// checked. Unknown keywords are ignored.
pub fn mistake(schema: &Value) -> Option<String> {
    if let Some(endless) = unwalkable(schema) {
        return Some(endless);
    }
    Walk { root: schema }.schema(schema, "").err()
}

struct Walk<'s> {
    root: &'s Value,
}

type Checked = Result<(), String>;

impl Walk<'_> {
    /// Checks a schema and its subschemas.
    fn schema(&self, schema: &Value, place: &str) -> Checked {
        match schema {
            Value::Object(keywords) => keywords.iter().try_for_each(|(key, value)| {
                let place = within(place, key);
                self.keyword(key, value, &place)
            }),
            Value::Bool(_) => Ok(()),
            other => wrong(place, other, "expected a schema: an object, `true` or `false`"),
        }
    }

    fn keyword(&self, key: &str, value: &Value, place: &str) -> Checked {
        match KeywordKind::new(key) {
            KeywordKind::Types => kinds(value, place),
            KeywordKind::Reference => self.reference(value, place),
            KeywordKind::Pattern => match value.as_str() {
                Some(text) => pattern(text, place),
                None => wrong(place, value, "expected a pattern in quotes"),
            },
            KeywordKind::Members => match value.as_array() {
                Some(values) if !values.is_empty() => Ok(()),
                _ => wrong(place, value, "expected a list of the allowed values"),
            },
            KeywordKind::Names => names(value, place),
            KeywordKind::NameMap => named(value, place, names),
            KeywordKind::Limit if key == "multipleOf" && value.as_f64().is_none_or(|step| step <= 0.0) => {
                wrong(place, value, "expected a number above 0")
            }
            KeywordKind::Limit if !value.is_number() => wrong(place, value, "expected a number"),
            KeywordKind::Count if !value.is_u64() => {
                wrong(place, value, "expected a whole number of 0 or more, without a fraction")
            }
            KeywordKind::Flag if !value.is_boolean() => wrong(place, value, "expected `true` or `false`"),
            KeywordKind::SchemaList(_) => match value.as_array() {
                Some(schemas) if !schemas.is_empty() => (0..)
                    .zip(schemas)
                    .try_for_each(|(at, schema): (usize, _)| self.schema(schema, &format!("{place}/{at}"))),
                _ => wrong(place, value, "expected a list of schemas"),
            },
            KeywordKind::Schema(_) if key == "items" && value.is_array() => {
                wrong(place, value, "expected one schema for all items; `prefixItems` has one for each place")
            }
            KeywordKind::Schema(_) => self.schema(value, place),
            KeywordKind::SchemaMap(_) => named(value, place, |schema, place| self.schema(schema, place))
                .and_then(|()| {
                    let mut patterns =
                        value.as_object().into_iter().flatten().filter(|_| key == "patternProperties");
                    patterns.try_for_each(|(text, _)| pattern(text, &within(place, text)))
                }),
            KeywordKind::Dependencies => named(value, place, |needed, place| {
                if needed.is_array() { names(needed, place) } else { self.schema(needed, place) }
            }),
            KeywordKind::Limit
            | KeywordKind::Count
            | KeywordKind::Flag
            | KeywordKind::Text
            | KeywordKind::Word
            | KeywordKind::Value
            | KeywordKind::Examples
            | KeywordKind::Unknown => Ok(()),
        }
    }

    fn reference(&self, value: &Value, place: &str) -> Checked {
        let expected = "expected a place in this schema, as in `#/$defs/Name`";
        let Some(target) = value.as_str() else { return wrong(place, value, expected) };
        match referenced(self.root, target) {
            Some(_) => Ok(()),
            None if target.starts_with('#') => {
                let defined = ["$defs", "definitions"].into_iter().flat_map(|key| {
                    let names = self.root[key].as_object().into_iter().flat_map(Map::keys);
                    names.map(move |name| format!("#/{key}/{name}"))
                });
                let defined: Vec<String> = defined.collect();
                let near = nearest(target, defined.iter().map(String::as_str));
                let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
                wrong(place, value, &format!("there is nothing at that place of the schema{near}"))
            }
            None => wrong(place, value, expected),
        }
    }
}

/// The values of an object whose keys are names.
fn named(value: &Value, place: &str, check: impl Fn(&Value, &str) -> Checked) -> Checked {
    match value {
        Value::Object(named) => named.iter().try_for_each(|(name, value)| check(value, &within(place, name))),
        other => wrong(place, other, "expected an object, with names as its keys"),
    }
}

/// The value of `type`.
fn kinds(value: &Value, place: &str) -> Checked {
    let known = |kind: &Value| kind.as_str().is_some_and(|kind| TYPES.contains(&kind));
    let wrong_kind = match value {
        Value::Array(kinds) if !kinds.is_empty() => kinds.iter().find(|kind| !known(kind)),
        kind => Some(kind).filter(|kind| !known(kind)),
    };
    let Some(kind) = wrong_kind else { return Ok(()) };
    let expected = match kind.as_str().and_then(|kind| nearest(kind, TYPES)) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("the types are {}", TYPES.join(", ")),
    };
    wrong(place, kind, &expected)
}

fn names(value: &Value, place: &str) -> Checked {
    match value.as_array() {
        Some(names) if names.iter().all(Value::is_string) => Ok(()),
        _ => wrong(place, value, "expected a list of names"),
    }
}

fn pattern(text: &str, place: &str) -> Checked {
    if compiles(text) {
        return Ok(());
    }
    let expected =
        "expected a regular expression of the crate `regex-lite`, which has no look-around and no `\\p`";
    wrong(place, &text.into(), expected)
}

fn wrong(place: &str, found: &Value, expected: &str) -> Checked {
    let place = if place.is_empty() { "its top".to_owned() } else { format!("`{place}`") };
    let found = found.to_string();
    Err(format!("at {place} there is `{}`: {expected}", crate::text::short(&found, 80)))
}

/// The pointer to a part.
fn within(place: &str, key: &str) -> String {
    format!("{place}/{}", key.replace('~', "~0").replace('/', "~1"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn t4_what_a_check_would_pass_over_is_named_with_its_place() {
        let of = |x: Value| json!({ "type": "object", "properties": { "x": x }, "$defs": { "Point": {} } });
        for (schema, place, words) in [
            (of(json!({ "type": "interger" })), "/properties/x/type", "did you mean `integer`?"),
            (
                of(json!({ "type": ["string", "nothing at all"] })),
                "/properties/x/type",
                "the types are object,",
            ),
            (of(json!({ "$ref": "#/$defs/Pont" })), "/properties/x/$ref", "did you mean `#/$defs/Point`?"),
            (of(json!({ "$ref": "#point" })), "/properties/x/$ref", "nothing at that place"),
            (of(json!({ "$ref": "other.json" })), "/properties/x/$ref", "as in `#/$defs/Name`"),
            (of(json!({ "pattern": "(?=a)" })), "/properties/x/pattern", "regex-lite"),
            (
                of(json!({ "patternProperties": { "(": {} } })),
                "/properties/x/patternProperties/(",
                "regex-lite",
            ),
            (of(json!({ "maxLength": 2.0 })), "/properties/x/maxLength", "without a fraction"),
            (of(json!({ "maximum": "5" })), "/properties/x/maximum", "expected a number"),
            (of(json!({ "exclusiveMinimum": true })), "/properties/x/exclusiveMinimum", "expected a number"),
            (of(json!({ "multipleOf": 0 })), "/properties/x/multipleOf", "above 0"),
            (of(json!({ "enum": [] })), "/properties/x/enum", "allowed values"),
            (of(json!({ "anyOf": [] })), "/properties/x/anyOf", "a list of schemas"),
            (of(json!({ "anyOf": [{ "type": "text" }] })), "/properties/x/anyOf/0/type", "the types are"),
            (of(json!({ "items": [{}] })), "/properties/x/items", "`prefixItems`"),
            (of(json!("string")), "/properties/x`", "expected a schema"),
            (json!({ "type": "object", "required": "x" }), "/required", "a list of names"),
            (json!({ "type": "object", "properties": ["x"] }), "/properties", "with names as its keys"),
            (
                json!({ "properties": { "a/b": { "uniqueItems": 1 } } }),
                "/properties/a~1b/uniqueItems",
                "`true`",
            ),
            (json!({ "dependencies": { "a": [1] } }), "/dependencies/a", "a list of names"),
            (json!({ "allOf": [{ "$ref": "#" }] }), "", "refers to itself"),
            (json!(5), "its top", "expected a schema"),
        ] {
            let found = mistake(&schema).unwrap_or_default();
            assert!(found.contains(place) && found.contains(words), "`{found}` of {schema}");
        }
    }

    #[test]
    fn t4_names_and_values_are_not_keywords() {
        for schema in [
            json!({ "type": "object", "properties": { "type": { "type": "string" }, "pattern": { "const": "(" } } }),
            json!({ "default": { "type": "interger" }, "examples": [{ "$ref": 5 }], "enum": [{ "type": 5 }] }),
            json!({ "type": ["integer", "null"], "minimum": -1.5, "x-own": { "type": "mine" } }),
            json!({ "$ref": "#/$defs/A~1B", "$defs": { "A/B": true } }),
            json!(true),
        ] {
            assert_eq!(mistake(&schema), None, "{schema}");
        }
    }
}
