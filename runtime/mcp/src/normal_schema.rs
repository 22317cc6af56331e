//! One normal form for the argument schemas of servers: JSON Schema 2020-12 that all providers take. One schema that a
//! provider refuses would fail every request of the agent.
//!
//! What can be said exactly is rewritten: older drafts, names of types in other languages, a missing `type`. A keyword whose
//! value has no meaning is left out, because no check could use it; the server checks its arguments itself. A schema that is
//! still unclear is refused.

use onionskin_core::schema::{KeywordKind, subschemas};
use serde_json::{Map, Number, Value, json};

use super::visible::{cut, name};

type Object = Map<String, Value>;

/// Up to this number, the changes of one schema are named.
const NAMED: usize = 3;
/// A longer value is cut in a message.
const SHOWN: usize = 60;

/// Brings the schema of arguments into the normal form, and returns what was changed, in words. Changes without a meaning, as
/// an empty `properties`, are not named.
///
/// # Errors
/// Returns the reason why no provider could take the schema.
pub(super) fn normalise(root: &mut Object) -> Result<Option<String>, String> {
    let mut walk = Walk::default();
    // Draft 3 marks a required argument at the argument. At the root it has no meaning.
    walk.schema(root, "")?;
    match root.get("type") {
        None => walk.note("", "it has no `type`"),
        Some(Value::String(kind)) if kind == "object" => {}
        Some(Value::Array(kinds)) if kinds.iter().any(|kind| kind == "object") => {}
        Some(kind) => {
            return Err(format!(
                "its arguments are of the type {}, and the arguments of a call are an object",
                shown(kind)
            ));
        }
    }
    root.insert("type".into(), "object".into());
    root.entry("properties").or_insert_with(|| json!({}));
    references(&Value::Object(std::mem::take(root)), root)?;
    Ok(walk.into_note())
}

/// The value in a message.
fn shown(value: &Value) -> String {
    format!("`{}`", name(&cut(value.to_string(), SHOWN)))
}

/// A keyword after the walk.
enum Rewrite {
    Same(Value),
    Other(Value),
    Nothing,
}

#[derive(Default)]
struct Walk {
    notes: Vec<String>,
    more: usize,
}

impl Walk {
    fn note(&mut self, place: &str, what: impl AsRef<str>) {
        if self.notes.len() == NAMED {
            self.more += 1;
            return;
        }
        let place = if place.is_empty() {
            String::new()
        } else {
            format!("at `{}` ", name(&cut(place.to_owned(), SHOWN)))
        };
        self.notes.push(format!("{place}{}", what.as_ref()));
    }

    fn into_note(self) -> Option<String> {
        let mut note = self.notes.join("; ");
        if self.more > 0 {
            note.push_str(&format!("; and {} more", self.more));
        }
        (!note.is_empty()).then_some(note)
    }

    fn schema(&mut self, schema: &mut Object, place: &str) -> Result<(), String> {
        self.older_drafts(schema, place);
        let mut retained = Map::new();
        for (key, value) in std::mem::take(schema) {
            let at = format!("{place}/{key}");
            let was = shown(&value);
            match self.keyword(&key, value, &at)? {
                Rewrite::Same(value) => _ = retained.insert(key, value),
                Rewrite::Other(value) => {
                    self.note(place, format!("`{key}` is {was}, read as {}", shown(&value)));
                    retained.insert(key, value);
                }
                Rewrite::Nothing => self.note(place, format!("`{key}` is {was}, and is left out")),
            }
        }
        *schema = retained;
        // Providers refuse a list without a schema of its items.
        let is_list = schema.get("type").is_some_and(|kind| *kind == "array" || lists(kind, "array"));
        if is_list && !schema.contains_key("items") && !schema.contains_key("prefixItems") {
            schema.insert("items".into(), json!({}));
        }
        Ok(())
    }

    /// What older drafts say with other keywords.
    fn older_drafts(&mut self, schema: &mut Object, place: &str) {
        for (exclusive, limit) in [("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")] {
            if let Some(Value::Bool(is_exclusive)) = schema.get(exclusive) {
                let is_exclusive = *is_exclusive;
                schema.remove(exclusive);
                self.note(place, format!("`{exclusive}` is `{is_exclusive}`, as in draft 4"));
                if is_exclusive && let Some(limit) = schema.remove(limit) {
                    schema.insert(exclusive.into(), limit);
                }
            }
        }
        if schema.get("items").is_some_and(Value::is_array) {
            self.note(place, "`items` is a list, as before draft 2020-12");
            let tuple = schema.remove("items").unwrap_or_default();
            if tuple != json!([]) {
                schema.insert("prefixItems".into(), tuple);
            }
            if let Some(rest) = schema.remove("additionalItems") {
                schema.insert("items".into(), rest);
            }
        }
        self.nullable(schema, place);
        let Some(Value::Object(properties)) = schema.get_mut("properties") else { return };
        let mut required = Vec::new();
        for (property, own) in properties.iter_mut() {
            let Value::Object(own) = own else { continue };
            if let Some(Value::Bool(is_required)) = own.get("required") {
                required.extend(is_required.then(|| Value::from(property.as_str())));
                own.remove("required");
            }
        }
        if !required.is_empty() {
            self.note(place, "`required` is `true` for an argument, as in draft 3");
            match schema.get_mut("required") {
                Some(Value::Array(names)) => names.extend(required),
                _ => _ = schema.insert("required".into(), required.into()),
            }
        }
    }

    /// What OpenAPI 3.0 says with `nullable`: the value may be `null` too.
    fn nullable(&mut self, schema: &mut Object, place: &str) {
        let Some(Value::Bool(is_nullable)) = schema.get("nullable") else { return };
        let is_nullable = *is_nullable;
        schema.remove("nullable");
        if !is_nullable {
            return;
        }
        self.note(place, "`nullable` is `true`, as in OpenAPI 3.0");
        if ["$ref", "allOf", "anyOf", "oneOf", "const"].iter().any(|key| schema.contains_key(*key)) {
            let mut outer = Map::new();
            for key in ["title", "description", "default"] {
                outer.extend(schema.remove(key).map(|value| (key.to_owned(), value)));
            }
            outer.insert("anyOf".into(), json!([std::mem::take(schema), { "type": "null" }]));
            *schema = outer;
            return;
        }
        let kinds = match schema.remove("type") {
            Some(Value::Array(kinds)) => Some(kinds),
            Some(kind) => Some(vec![kind]),
            None => None,
        };
        if let Some(mut kinds) = kinds {
            if !kinds.iter().any(|kind| kind == "null") {
                kinds.push("null".into());
            }
            schema.insert("type".into(), kinds.into());
        }
        if let Some(Value::Array(values)) = schema.get_mut("enum")
            && !values.contains(&Value::Null)
        {
            values.push(Value::Null);
        }
    }

    fn keyword(&mut self, key: &str, mut value: Value, at: &str) -> Result<Rewrite, String> {
        let is_kept = match KeywordKind::new(key) {
            KeywordKind::Unknown | KeywordKind::Value | KeywordKind::Dependencies => true,
            KeywordKind::Text | KeywordKind::Word | KeywordKind::Pattern => value.is_string(),
            KeywordKind::Flag => value.is_boolean(),
            KeywordKind::Members => value.as_array().is_some_and(|values| !values.is_empty()),
            KeywordKind::Limit => return Ok(number(value)),
            KeywordKind::Count => return Ok(count(value)),
            // `example` is OpenAPI's, with one value.
            KeywordKind::Examples if value.is_array() || key == "example" => true,
            KeywordKind::Examples => return Ok(Rewrite::Other(json!([value]))),
            KeywordKind::Reference if value.is_string() => true,
            KeywordKind::Reference => {
                return Err(format!("at `{}` is {}, which is no reference", name(at), shown(&value)));
            }
            KeywordKind::Types => return kinds(value),
            KeywordKind::Names => return Ok(names(value)),
            KeywordKind::NameMap => match &mut value {
                Value::Object(named) => {
                    named.retain(|_, names| {
                        names.as_array().is_some_and(|names| names.iter().all(Value::is_string))
                    });
                    !named.is_empty()
                }
                _ => false,
            },
            KeywordKind::Schema(_) => match &mut value {
                Value::Object(schema) => {
                    self.schema(schema, at)?;
                    true
                }
                other => other.is_boolean(),
            },
            KeywordKind::SchemaList(_) => match &mut value {
                Value::Array(schemas) => {
                    schemas.retain(|schema| schema.is_object() || schema.is_boolean());
                    for (place, schema) in schemas.iter_mut().enumerate() {
                        if let Value::Object(schema) = schema {
                            self.schema(schema, &format!("{at}/{place}"))?;
                        }
                    }
                    !schemas.is_empty()
                }
                _ => false,
            },
            KeywordKind::SchemaMap(_) => match &mut value {
                Value::Object(named) => {
                    for (property, schema) in named.iter_mut() {
                        self.named(property, schema, at)?;
                    }
                    true
                }
                _ => false,
            },
        };
        Ok(if is_kept { Rewrite::Same(value) } else { Rewrite::Nothing })
    }

    /// The schema of a property. Some servers write the name of a type in its place.
    fn named(&mut self, property: &str, schema: &mut Value, at: &str) -> Result<(), String> {
        let at = format!("{at}/{property}");
        if let Value::Object(schema) = schema {
            return self.schema(schema, &at);
        }
        if !schema.is_boolean() {
            self.note(&at, format!("is {}, which is no schema", shown(schema)));
            let mut read = Map::new();
            if let Value::String(kind) = schema {
                read.insert("type".into(), kind.as_str().into());
                self.schema(&mut read, &at)?;
            }
            *schema = Value::Object(read);
        }
        Ok(())
    }
}

/// Brings the schema of a result into the normal form. One that is unclear stays as it is: no provider gets it.
pub(super) fn normalise_output(root: &mut Object) {
    let mut schema = root.clone();
    if Walk::default().schema(&mut schema, "").is_ok() {
        *root = schema;
    }
}

fn lists(kinds: &Value, kind: &str) -> bool {
    kinds.as_array().is_some_and(|kinds| kinds.iter().any(|each| each == kind))
}

/// One or several types, in JSON Schema's words. None for any type.
fn kinds(value: Value) -> Result<Rewrite, String> {
    let read = match &value {
        Value::String(only) => kind(only)?.map(Value::from),
        Value::Array(several) => {
            let mut read: Vec<&str> = Vec::new();
            for each in several.iter().filter_map(Value::as_str) {
                match kind(each)? {
                    Some(kind) if read.contains(&kind) => {}
                    Some(kind) => read.push(kind),
                    None => return Ok(Rewrite::Nothing),
                }
            }
            (!read.is_empty()).then(|| json!(read))
        }
        _ => None,
    };
    Ok(match read {
        Some(read) if read == value => Rewrite::Same(value),
        Some(read) => Rewrite::Other(read),
        None => Rewrite::Nothing,
    })
}

/// The type with this name, in JSON Schema or in a language that servers are written in. None for any type.
///
/// # Errors
/// Returns a reason for a name that none of them has.
fn kind(written: &str) -> Result<Option<&'static str>, String> {
    Ok(Some(match written.to_ascii_lowercase().as_str() {
        "string" | "str" => "string",
        "integer" | "int" => "integer",
        "number" | "float" | "double" => "number",
        "boolean" | "bool" => "boolean",
        "object" | "dict" => "object",
        "array" | "list" => "array",
        "null" | "none" => "null",
        "any" => return Ok(None),
        _ => return Err(format!("its input schema names the unknown type {}", shown(&written.into()))),
    }))
}

fn names(value: Value) -> Rewrite {
    let Value::Array(written) = &value else { return Rewrite::Nothing };
    let mut read: Vec<&Value> = Vec::new();
    let mut distinct = std::collections::HashSet::new();
    read.extend(written.iter().filter(|name| name.is_string() && distinct.insert(*name)));
    if read.len() == written.len() { Rewrite::Same(value) } else { Rewrite::Other(json!(read)) }
}

fn number(value: Value) -> Rewrite {
    match &value {
        Value::Number(_) => Rewrite::Same(value),
        Value::String(text) => {
            text.parse::<Number>().map_or(Rewrite::Nothing, |read| Rewrite::Other(read.into()))
        }
        _ => Rewrite::Nothing,
    }
}

fn count(value: Value) -> Rewrite {
    if value.is_u64() {
        return Rewrite::Same(value);
    }
    match number(value) {
        Rewrite::Same(Value::Number(read)) | Rewrite::Other(Value::Number(read)) => {
            // `3.0`, as some languages write a whole number.
            let whole = read.as_f64().filter(|read| read.fract() == 0.0 && (0.0..=9e15).contains(read));
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "checked to be whole and in range"
            )]
            whole.map_or(Rewrite::Nothing, |whole| Rewrite::Other((whole as u64).into()))
        }
        Rewrite::Same(_) | Rewrite::Other(_) | Rewrite::Nothing => Rewrite::Nothing,
    }
}

/// Puts the schema into `root`, if all of its references lead to a place in it.
fn references(schema: &Value, root: &mut Object) -> Result<(), String> {
    let mut open = vec![schema];
    while let Some(part) = open.pop() {
        if let Some(to) = part["$ref"].as_str() {
            let target = to.strip_prefix('#').and_then(|pointer| schema.pointer(pointer));
            if target.is_none_or(|target| !target.is_object() && !target.is_boolean()) {
                return Err(format!(
                    "its input schema refers to {}, which it does not contain",
                    shown(&part["$ref"])
                ));
            }
        }
        open.extend(subschemas(part).into_iter().map(|part| part.schema));
    }
    if let Value::Object(object) = schema {
        root.clone_from(object);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn normal(schema: Value) -> Result<(Value, Option<String>), String> {
        let Value::Object(mut root) = schema else { panic!("it is an object") };
        let note = normalise(&mut root)?;
        Ok((Value::Object(root), note))
    }

    #[test]
    fn a4_a_normal_schema_stays_what_it_is() {
        let schema = json!({
            "type": "object",
            "properties": {
                "a": { "type": ["string", "null"], "minLength": 1, "default": 5 },
                "type": { "enum": ["x"] },
                "$ref": { "$ref": "#/$defs/A" },
            },
            "required": ["a"],
            "anyOf": [{ "required": ["a"] }, { "required": ["type"] }],
            "$defs": { "A": { "type": "array", "prefixItems": [true], "items": false } },
            "x-own": null,
        });
        assert_eq!(normal(schema.clone()).unwrap(), (schema, None));
        let bare = json!({ "type": "object", "properties": {} });
        assert_eq!(normal(json!({ "type": "object" })).unwrap(), (bare, None));
    }

    #[test]
    fn a4_what_can_be_said_exactly_is_rewritten_and_reported() {
        for (schema, normal_form, note) in [
            (json!({}), json!({ "type": "object", "properties": {} }), "it has no `type`"),
            (
                json!({ "type": "object", "properties": null, "required": null }),
                json!({ "type": "object", "properties": {} }),
                "`properties` is `null`, and is left out; `required` is `null`, and is left out",
            ),
            (
                json!({ "type": "object", "properties": { "a": { "type": "str" }, "b": "int", "c": { "type": "ARRAY" } } }),
                json!({ "type": "object", "properties": {
                    "a": { "type": "string" }, "b": { "type": "integer" }, "c": { "type": "array", "items": {} },
                } }),
                "at `/properties/a` `type` is `\"str\"`, read as `\"string\"`; at `/properties/b` is `\"int\"`",
            ),
            (
                json!({ "type": "object", "properties": {
                    "n": { "type": "number", "minimum": 1, "exclusiveMinimum": true, "maximum": "9", "exclusiveMaximum": false, "required": true },
                } }),
                json!({ "type": "object", "required": ["n"], "properties": {
                    "n": { "type": "number", "exclusiveMinimum": 1, "maximum": 9 },
                } }),
                "as in draft 3",
            ),
            (
                json!({ "type": "object", "properties": { "t": { "items": [{ "type": "any" }], "additionalItems": false, "minItems": 1.0 } } }),
                json!({ "type": "object", "properties": { "t": { "prefixItems": [{}], "items": false, "minItems": 1 } } }),
                "`items` is a list",
            ),
            (
                json!({ "type": "object", "properties": {
                    "a": { "type": "str", "nullable": true, "enum": ["x"] }, "b": { "$ref": "#/$defs/B", "nullable": true, "title": "T" },
                    "c": { "nullable": false, "type": "string" }, "nullable": { "type": ["string", "null"], "nullable": true },
                }, "$defs": { "B": { "type": "string" } } }),
                json!({ "type": "object", "properties": {
                    "a": { "type": ["string", "null"], "enum": ["x", null] },
                    "b": { "title": "T", "anyOf": [{ "$ref": "#/$defs/B" }, { "type": "null" }] },
                    "c": { "type": "string" }, "nullable": { "type": ["string", "null"] },
                }, "$defs": { "B": { "type": "string" } } }),
                "at `/properties/a` `nullable` is `true`, as in OpenAPI 3.0",
            ),
        ] {
            let (read, why) = normal(schema.clone()).unwrap();
            assert_eq!(read, normal_form, "{schema}");
            assert!(why.as_ref().is_some_and(|why| why.contains(note)), "{why:?} of {schema}");
            assert_eq!(normal(read.clone()).unwrap(), (read, None), "twice");
        }
    }

    #[test]
    fn a4_what_no_provider_takes_is_refused() {
        for (schema, reason) in [
            (json!({ "type": "array" }), "its arguments are of the type `\"array\"`"),
            (json!({ "properties": { "a": { "type": "date" } } }), "the unknown type `\"date\"`"),
            (json!({ "properties": { "a": { "$ref": "#/$defs/A" } } }), "refers to `\"#/$defs/A\"`"),
            (json!({ "$ref": "https://example.com/a.json" }), "which it does not contain"),
            (json!({ "$ref": 5 }), "which is no reference"),
        ] {
            let error = normal(schema.clone()).unwrap_err();
            assert!(error.contains(reason), "{error} of {schema}");
        }
    }
}
