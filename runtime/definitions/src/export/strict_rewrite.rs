//! Rewrites a schema into a strict [`Dialect`] of a provider.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::dialect::{Dialect, Optional};
use super::error::{ExportError, Site};
use super::inline::{inline, items, property};
use super::keywords::{Object, kinds, literals, object, parts, required, take_description, tuple};
use super::notes::{Notes, conditions, limits, remarks, with_docs};
use super::null::{union_of, with_null, without_null};
use super::root::plain_object;
use super::unions::{Distinct, all_of, options, words};

/// The schema in a strict dialect.
pub(super) fn strict(site: &Site<'_>, rules: &Dialect, schema: &Value) -> Result<Value, ExportError> {
    let mut root = inlined(site, schema)?;
    let definitions = root.remove("$defs");
    let walker = Walker { site, rules };
    let mut out = walker.rewrite(&Value::Object(root), "$")?;
    if let Some(Value::Object(definitions)) = definitions {
        let mut rewritten = Map::new();
        for (name, schema) in definitions {
            rewritten.insert(name, Value::Object(walker.rewrite(&schema, "$")?));
        }
        out.insert("$defs".into(), Value::Object(rewritten));
    }
    Ok(Value::Object(out))
}

/// The schema with its references inlined, and a root that providers accept.
pub(super) fn inlined(site: &Site<'_>, schema: &Value) -> Result<Object, ExportError> {
    let mut root = inline(site, schema)?;
    if site.lossy {
        return plain_object(site, &Value::Object(root));
    }
    all_of(site, &mut root, "$")?;
    plain_root(site, &root)?;
    Ok(root)
}

/// Providers require an object without a union at the root.
pub(super) fn plain_root(site: &Site<'_>, root: &Object) -> Result<(), ExportError> {
    if kinds(root) != ["object"] {
        return Err(site.refuse(
            "$",
            "is not of type `object`",
            "give the arguments a schema of type `object`",
        ));
    }
    for key in ["anyOf", "oneOf", "allOf", "not", "enum"] {
        if root.contains_key(key) {
            return Err(site.refuse(
                "$",
                format!("has `{key}` at the root"),
                "move the choice into a property, or export with `lossy` and leave it to the tool",
            ));
        }
    }
    Ok(())
}

struct Walker<'a> {
    site: &'a Site<'a>,
    rules: &'a Dialect,
}

impl Walker<'_> {
    fn rewrite(&self, schema: &Value, path: &str) -> Result<Object, ExportError> {
        self.site.spend(parts(schema), path)?;
        let Some(schema) = schema.as_object() else { return Err(self.anything(path)) };
        let mut schema = schema.clone();
        let mut notes = Notes::default();
        conditions(self.site, &mut schema, path, &mut notes)?;
        all_of(self.site, &mut schema, path)?;
        let mut description = take_description(&mut schema);
        remarks(&schema, &mut notes);
        let mut out = if let Some(reference) = schema.remove("$ref") {
            if !self.rules.recursion {
                let next = "give it a fixed depth, or export without `strict`";
                return Err(self.site.refuse(path, "is recursive", next));
            }
            // A reference allows no keywords beside it.
            if description.is_some() {
                object(json!({ "anyOf": [{ "$ref": reference }] }))
            } else {
                return Ok(object(json!({ "$ref": reference })));
            }
        } else if let Some(options) = options(self.site, &mut schema, path)? {
            match words(&options) {
                Some((words, docs)) => {
                    description = with_docs(description.as_deref(), &docs);
                    object(json!({ "type": "string", "enum": words }))
                }
                None => self.union(&options, path)?,
            }
        } else {
            self.plain(&schema, path, &mut notes)?
        };
        let inner = take_description(&mut out);
        notes.describe(description.or(inner).as_deref(), &mut out);
        Ok(out)
    }

    fn anything(&self, path: &str) -> ExportError {
        self.site.refuse(path, "takes a value of any type", "give it a type, or export without `strict`")
    }

    fn union(&self, options: &[Value], path: &str) -> Result<Object, ExportError> {
        let mut union = Distinct::default();
        for option in options {
            let mut option = self.rewrite(option, path)?;
            let inner = match option.get("anyOf") {
                Some(Value::Array(_)) if option.len() == 1 => option.remove("anyOf"),
                _ => None,
            };
            let new = match inner {
                Some(Value::Array(inner)) => inner,
                _ => vec![Value::Object(option)],
            };
            for option in new {
                union.push(option);
            }
        }
        union
            .into_schema(|options| union_of(options, self.rules.type_lists))
            .ok_or_else(|| self.site.refuse(path, "is a union of nothing", "correct the schema"))
    }

    fn plain(&self, schema: &Object, path: &str, notes: &mut Notes) -> Result<Object, ExportError> {
        let kinds = kinds(schema);
        let listed = literals(schema);
        if !listed.is_empty() {
            return self.listed(schema, listed, &kinds, path);
        }
        match &kinds[..] {
            [] => Err(self.anything(path)),
            [kind] => self.one_type(schema, kind, path, notes),
            kinds => {
                let scalar = |kind: &String| !matches!(kind.as_str(), "object" | "array");
                if self.rules.type_lists && kinds.iter().all(scalar) {
                    let mut out = object(json!({ "type": kinds }));
                    let kind = kinds.iter().find(|kind| *kind != "null").map_or("null", String::as_str);
                    limits(schema, kind, self.rules.stays, &mut out, notes);
                    return Ok(out);
                }
                let each = kinds.iter().map(|kind| {
                    self.site.spend(0, path)?;
                    let mut one = keywords_for_type(schema, kind);
                    one.insert("type".into(), kind.as_str().into());
                    Ok(Value::Object(one))
                });
                self.union(&each.collect::<Result<Vec<_>, ExportError>>()?, path)
            }
        }
    }

    /// A list of values.
    fn listed(
        &self,
        schema: &Object,
        listed: Vec<Value>,
        kinds: &[String],
        path: &str,
    ) -> Result<Object, ExportError> {
        if listed.iter().any(|value| value.is_array() || value.is_object()) {
            return Err(self.site.refuse(
                path,
                "lists values that are not scalars",
                "list strings or numbers",
            ));
        }
        let mut out = Map::new();
        match kinds {
            [kind] => out.insert("type".into(), kind.as_str().into()),
            kinds if self.rules.type_lists => out.insert("type".into(), json!(kinds)),
            _ => None,
        };
        match schema.get("const") {
            Some(value) => out.insert("const".into(), value.clone()),
            None => out.insert("enum".into(), listed.into()),
        };
        Ok(out)
    }

    fn one_type(
        &self,
        schema: &Object,
        kind: &str,
        path: &str,
        notes: &mut Notes,
    ) -> Result<Object, ExportError> {
        let mut out = match kind {
            "object" => self.object(schema, path)?,
            "array" => self.array(schema, path, notes)?,
            "string" | "number" | "integer" | "boolean" | "null" => object(json!({ "type": kind })),
            other => {
                let reason = format!("is of the unknown type `{other}`");
                return Err(self.site.refuse(path, reason, "use a type of JSON Schema"));
            }
        };
        limits(schema, kind, self.rules.stays, &mut out, notes);
        Ok(out)
    }

    fn object(&self, schema: &Object, path: &str) -> Result<Object, ExportError> {
        let empty = Map::new();
        let known = schema.get("properties").and_then(Value::as_object);
        if is_open(schema, known) && !(self.site.lossy && known.is_some_and(|known| !known.is_empty())) {
            let (reason, next) = if known.is_some_and(|known| !known.is_empty()) {
                ("is open for properties of any name", "close it, export with `lossy`, or without `strict`")
            } else {
                (
                    "is a map with keys of any name",
                    "use a list of objects with a key and a value, or export without `strict`",
                )
            };
            return Err(self.site.refuse(path, reason, next));
        }
        let required: HashSet<&str> = required(schema).collect();
        let (mut properties, mut names) = (Map::new(), Vec::new());
        for (name, schema) in known.unwrap_or(&empty) {
            let mut property = self.rewrite(schema, &property(path, name))?;
            let optional = !required.contains(name.as_str());
            if optional && self.rules.optional == Optional::Null {
                property = with_null(property, self.rules.type_lists);
            } else if optional {
                property = without_null(property);
            }
            if !optional || self.rules.optional == Optional::Null {
                names.push(Value::from(name.as_str()));
            }
            properties.insert(name.clone(), Value::Object(property));
        }
        Ok(object(json!({
            "type": "object",
            "properties": properties,
            "required": names,
            "additionalProperties": false,
        })))
    }

    fn array(&self, schema: &Object, path: &str, notes: &mut Notes) -> Result<Object, ExportError> {
        let Some(tuple) = tuple(schema) else {
            let item = schema.get("items").unwrap_or(&Value::Null);
            let item = self.rewrite(item, &items(path))?;
            return Ok(object(json!({ "type": "array", "items": item })));
        };
        let (mut differing, mut order) = (Distinct::default(), Vec::new());
        for (at, item) in tuple.iter().enumerate() {
            let item = Value::Object(self.rewrite(item, &format!("{path}[{at}]"))?);
            order.push(item["type"].as_str().unwrap_or("other").to_owned());
            differing.push(item);
        }
        let differ = differing.in_order.len() > 1;
        let item = differing.into_item(self.site).ok_or_else(|| {
            let next = "use a struct with named fields, or export with `lossy`, which takes any order";
            self.site.refuse(path, "is a tuple of different types", next)
        })?;
        if differ {
            notes.add("items in this order", &order.join(", ").into());
        }
        Ok(object(json!({ "type": "array", "items": item })))
    }
}

/// Of a schema with several types, the keywords for this type.
fn keywords_for_type(schema: &Object, kind: &str) -> Object {
    let about = |key: &str| match key {
        "properties"
        | "required"
        | "additionalProperties"
        | "patternProperties"
        | "minProperties"
        | "maxProperties" => kind == "object",
        "items" | "prefixItems" | "minItems" | "maxItems" | "uniqueItems" => kind == "array",
        "minLength" | "maxLength" | "pattern" | "format" => kind == "string",
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" => {
            matches!(kind, "integer" | "number")
        }
        _ => false,
    };
    schema.iter().filter(|(key, _)| about(key)).map(|(key, value)| (key.clone(), value.clone())).collect()
}

/// Whether an object accepts properties that are not listed.
pub(super) fn is_open(schema: &Object, known: Option<&Object>) -> bool {
    let patterns = schema.get("patternProperties").and_then(Value::as_object);
    if patterns.is_some_and(|patterns| !patterns.is_empty()) {
        return true;
    }
    match schema.get("additionalProperties") {
        None => known.is_none(),
        Some(Value::Bool(open)) => *open,
        Some(_) => true,
    }
}
