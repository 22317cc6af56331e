//! Inlines references that are not recursive.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::decoded::is_unknown;
use super::error::{ExportError, Site};
use super::keywords::{Object, parts};
use super::recursive::recursive;
use crate::schema::KeywordKind;

/// The maximum number of parts of a schema after inlining.
const MOST_PARTS: usize = 100_000;

/// The maximum depth of a schema.
const DEPTH: usize = 128;

/// Returns the schema with its references inlined. Recursive types remain in `$defs`, with
/// `{"$ref": "#/$defs/.."}`.
pub(super) fn inline<'s>(site: &'s Site<'_>, root: &'s Value) -> Result<Object, ExportError> {
    let Value::Object(object) = root else {
        return Err(site.refuse(
            "$",
            "is not a schema of an object",
            "give the arguments a schema of type `object`",
        ));
    };
    let mut inliner = Inliner { site, root, recursive: recursive(root), parts: 0 };
    let mut out = inliner.children(object, "$", 0)?;
    // The root is inlined even if it is recursive, because providers need an object there.
    if let Some(Value::String(pointer)) = out.remove("$ref") {
        if pointer == "#" {
            return Err(site.refuse("$", "refers to itself", "describe the arguments"));
        }
        let target = match site.target(root, &pointer, "$")? {
            Value::Object(target) if inliner.recursive.contains_key(&pointer) => {
                Value::Object(inliner.children(target, "$", 1)?)
            }
            target => inliner.walk(target, "$", 1)?,
        };
        out = beside_reference(target, out);
    }
    let mut definitions = Map::new();
    for (pointer, name) in inliner.recursive.clone() {
        if pointer != "#" {
            let target = site.target(root, &pointer, "$")?;
            definitions.insert(name, inliner.walk(target, "$", 1)?);
        }
    }
    if !definitions.is_empty() {
        out.insert("$defs".into(), Value::Object(definitions));
    }
    Ok(out)
}

struct Inliner<'s> {
    site: &'s Site<'s>,
    root: &'s Value,
    recursive: BTreeMap<String, String>,
    parts: usize,
}

impl Inliner<'_> {
    fn walk(&mut self, schema: &Value, path: &str, depth: usize) -> Result<Value, ExportError> {
        let depth_counts = if depth > DEPTH { MOST_PARTS + 1 } else { 0 };
        self.count(1 + depth_counts, path)?;
        let Value::Object(object) = schema else {
            self.count(parts(schema), path)?;
            return Ok(schema.clone());
        };
        let Some(Value::String(pointer)) = object.get("$ref") else {
            return Ok(Value::Object(self.children(object, path, depth)?));
        };
        // Looking the reference up or copying it counts too.
        self.count(pointer.len() / 16, path)?;
        let mut out = match self.recursive.get(pointer) {
            Some(_) if pointer == "#" => json!({ "$ref": "#" }),
            Some(name) => json!({ "$ref": format!("#/$defs/{name}") }),
            None => {
                let target = self.site.target(self.root, pointer, path)?;
                self.walk(target, path, depth + 1)?
            }
        };
        let beside = self.children(object, path, depth)?;
        if let (Some(_), Value::Object(out)) = (self.recursive.get(pointer), &mut out) {
            out.extend(beside);
            return Ok(Value::Object(std::mem::take(out)));
        }
        Ok(Value::Object(beside_reference(out, beside)))
    }

    /// Counts written parts.
    fn count(&mut self, parts: usize, path: &str) -> Result<(), ExportError> {
        self.site.spend(parts, path)?;
        self.parts += parts;
        if self.parts > MOST_PARTS {
            let reason = "is too large or too deeply nested with its references written out";
            return Err(self.site.refuse(path, reason, "describe less"));
        }
        Ok(())
    }

    /// The same schema with its parts processed.
    fn children(&mut self, object: &Object, path: &str, depth: usize) -> Result<Object, ExportError> {
        let mut out = Map::new();
        for (key, value) in object.iter().filter(|(key, value)| !is_unknown(key, value)) {
            // Definitions are written where they are used, and `walk` follows references below the root.
            let is_followed = depth > 0 && key == "$ref" && value.is_string();
            if is_followed || matches!(key.as_str(), "$defs" | "definitions") {
                continue;
            }
            let kind = KeywordKind::new(key);
            let value = match value {
                Value::Object(named) if matches!(kind, KeywordKind::SchemaMap(_)) => {
                    let mut walked = Map::new();
                    for (name, schema) in named {
                        walked.insert(name.clone(), self.walk(schema, &property(path, name), depth + 1)?);
                    }
                    Value::Object(walked)
                }
                Value::Array(parts) if kind.applies().is_some() => {
                    let is_list = matches!(key.as_str(), "prefixItems" | "items");
                    let walked = parts.iter().enumerate().map(|(at, part)| {
                        let inner = if is_list { format!("{path}[{at}]") } else { path.to_owned() };
                        self.walk(part, &inner, depth + 1)
                    });
                    Value::Array(walked.collect::<Result<_, _>>()?)
                }
                Value::Object(_) if matches!(kind, KeywordKind::Schema(_)) => {
                    let is_item = matches!(key.as_str(), "items" | "contains");
                    let inner = if is_item { items(path) } else { path.to_owned() };
                    self.walk(value, &inner, depth + 1)?
                }
                other => {
                    self.count(parts(other), path)?;
                    other.clone()
                }
            };
            out.insert(key.clone(), value);
        }
        Ok(out)
    }
}

/// Merges the target of a reference with its sibling keywords. Both apply; a sibling text replaces that of
/// the target.
fn beside_reference(target: Value, mut beside: Object) -> Object {
    const WORDS: [&str; 8] =
        ["title", "description", "default", "examples", "deprecated", "$defs", "definitions", "$schema"];
    match target {
        Value::Object(mut target) if beside.keys().all(|key| WORDS.contains(&key.as_str())) => {
            target.extend(beside);
            target
        }
        target => {
            match beside.get_mut("allOf") {
                Some(Value::Array(all)) => all.push(target),
                _ => _ = beside.insert("allOf".into(), Value::Array(vec![target])),
            }
            beside
        }
    }
}

/// The path of a property: `$.name`, or `$['a name']` if it is not an identifier.
pub(super) fn property(path: &str, name: &str) -> String {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    if !name.is_empty() && name.chars().all(is_word) {
        format!("{path}.{name}")
    } else {
        format!("{path}['{name}']")
    }
}

/// The path of a list's items.
pub(super) fn items(path: &str) -> String {
    format!("{path}[*]")
}
