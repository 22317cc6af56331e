//! Rewrites the root of a schema to the form that all providers accept: one object without a union.
//!
//! The result accepts all values of the schema and more; the tool itself checks the rest. The description
//! mentions removed unions.

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use super::decoded::decoded;
use super::error::{ExportError, Site};
use super::keywords::{Object, is_null, kinds, literals, parts, required};
use super::notes::Notes;
use super::unions::Distinct;

/// The maximum length of a chain of references.
const LINKS: usize = 32;

/// Keywords that providers reject at the root.
const REJECTED: [&str; 4] = ["not", "enum", "const", "$ref"];

/// The root as one object without a reference or a union.
pub(super) fn plain_object(site: &Site<'_>, schema: &Value) -> Result<Object, ExportError> {
    let not_an_object = || {
        let next = "give the arguments a schema of type `object`";
        site.refuse("$", "is not of type `object`", next)
    };
    let schema = &decoded(schema);
    let root = schema.as_object().ok_or_else(not_an_object)?;
    let mut merge = Merge { site, root: schema, notes: Vec::new() };
    let mut out = merge.flat(root, 0)?;
    if out.get("type").is_some_and(|kind| *kind != "object" && !lists_object(kind)) {
        return Err(not_an_object());
    }
    out.insert("type".into(), "object".into());
    out.entry("properties").or_insert_with(|| json!({}));
    let mut notes = Notes::default();
    for note in merge.notes {
        notes.add("give the arguments of one of these", &note.into());
    }
    let own = out.remove("description");
    notes.describe(own.as_ref().and_then(Value::as_str), &mut out);
    Ok(out)
}

fn lists_object(kind: &Value) -> bool {
    kind.as_array().is_some_and(|kinds| kinds.iter().any(|kind| kind == "object"))
}

struct Merge<'s> {
    site: &'s Site<'s>,
    root: &'s Value,
    notes: Vec<String>,
}

impl<'s> Merge<'s> {
    /// An object with all properties that a schema and its parts can have.
    fn flat(&mut self, schema: &'s Object, depth: usize) -> Result<Object, ExportError> {
        self.site.spend(1 + schema.values().map(parts).sum::<usize>(), "$")?;
        if depth > LINKS {
            return Err(self.site.refuse("$", "refers on and on", "describe the arguments in one place"));
        }
        let mut out = schema.clone();
        let several = |key: &str| schema.get(key).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let referred = match schema.get("$ref").and_then(Value::as_str) {
            Some(pointer) => Some(self.site.target(self.root, pointer, "$")?),
            None => None,
        };
        for key in REJECTED.iter().chain(&["allOf", "anyOf", "oneOf"]) {
            out.remove(*key);
        }
        for part in referred.into_iter().chain(several("allOf")) {
            if let Value::Object(part) = part {
                let part = self.flat(part, depth + 1)?;
                self.add(&mut out, &part, "allOf")?;
                require(&mut out, required(&part));
            }
        }
        for key in ["anyOf", "oneOf"] {
            self.choose(&mut out, several(key), depth)?;
        }
        Ok(out)
    }

    /// Adds the properties of all options. A property is required if all options require it.
    fn choose(&mut self, out: &mut Object, options: &'s [Value], depth: usize) -> Result<(), ExportError> {
        let mut in_all: Option<Vec<String>> = None;
        let mut choices = Distinct::default();
        for option in options.iter().filter(|option| !is_null(option)) {
            let Value::Object(option) = option else { continue };
            let option = self.flat(option, depth + 1)?;
            if option.contains_key("type") && !kinds(&option).iter().any(|kind| kind == "object") {
                continue;
            }
            self.add(out, &option, "anyOf")?;
            let names: Vec<String> = required(&option).map(str::to_owned).collect();
            choices.push(choice(&option, &names).into());
            match &mut in_all {
                Some(in_all) => in_all.retain(|name| names.contains(name)),
                None => in_all = Some(names),
            }
        }
        require(out, in_all.iter().flatten().map(String::as_str));
        let choices: Vec<_> = choices.in_order.iter().filter_map(Value::as_str).collect();
        if choices.len() > 1 {
            self.notes.push(choices.join("; "));
        }
        Ok(())
    }

    /// Adds the properties of a part. A property in both gets both schemas, joined with the keyword `both`.
    fn add(&self, out: &mut Object, part: &Object, both: &str) -> Result<(), ExportError> {
        // An object that is closed for one part may be open for another.
        if out.get("additionalProperties") != part.get("additionalProperties") {
            out.remove("additionalProperties");
        }
        let Some(Value::Object(more)) = part.get("properties") else { return Ok(()) };
        self.site.spend(more.values().map(parts).sum(), "$")?;
        let known = out.entry("properties").or_insert_with(|| json!({}));
        let Value::Object(known) = known else { return Ok(()) };
        for (name, schema) in more {
            match known.get_mut(name) {
                None => _ = known.insert(name.clone(), schema.clone()),
                Some(known) if known == schema => {}
                Some(known) => *known = joined(known.take(), schema, both),
            }
        }
        Ok(())
    }
}

/// The text for an option: the arguments that it requires, and the value of its tag.
fn choice(option: &Object, names: &[String]) -> String {
    let properties = option.get("properties");
    let tag = |name: &str| properties?.get(name)?.get("const");
    let word = |name: &String| match tag(name) {
        Some(only) => format!("{name} = {only}"),
        None => name.clone(),
    };
    if names.is_empty() { "none".to_owned() } else { names.iter().map(word).collect::<Vec<_>>().join(" + ") }
}

fn require<'n>(out: &mut Object, names: impl Iterator<Item = &'n str>) {
    let mut all: Vec<Value> = required(out).map(Value::from).collect();
    let mut seen: HashSet<Value> = all.iter().cloned().collect();
    all.extend(names.map(Value::from).filter(|name| seen.insert(name.clone())));
    if all.is_empty() {
        out.remove("required");
    } else {
        out.insert("required".into(), all.into());
    }
}

/// Two schemas of one property. The values of tags become one list.
fn joined(one: Value, other: &Value, key: &str) -> Value {
    let listed = |schema: &Value| schema.as_object().map(literals).unwrap_or_default();
    let (mut words, more) = (listed(&one), listed(other));
    if key == "anyOf" && !words.is_empty() && !more.is_empty() {
        for word in more {
            if !words.contains(&word) {
                words.push(word);
            }
        }
        let mut out = Map::new();
        if words.iter().all(Value::is_string) {
            out.insert("type".into(), "string".into());
        }
        out.insert("enum".into(), words.into());
        return Value::Object(out);
    }
    match one {
        Value::Object(mut union) if union.len() == 1 && union.get(key).is_some_and(Value::is_array) => {
            if let Some(Value::Array(all)) = union.get_mut(key)
                && !all.contains(other)
            {
                all.push(other.clone());
            }
            Value::Object(union)
        }
        one => json!({ key: [one, other] }),
    }
}

#[cfg(test)]
mod tests {
    use super::super::error::Provider;
    use super::*;

    fn plain(schema: &Value) -> Result<Value, String> {
        let site = Site::new("t", Provider::OPENAI, true);
        plain_object(&site, schema).map(Value::Object).map_err(|error| error.to_string())
    }

    #[test]
    fn s3_a_root_is_one_object_whatever_it_was_made_of() {
        let text = json!({ "type": "string" });
        assert_eq!(plain(&json!({})).unwrap(), json!({ "type": "object", "properties": {} }));
        let chosen = json!({
            "type": "object",
            "properties": { "path": text, "url": text },
            "oneOf": [{ "required": ["path"] }, { "required": ["url"] }],
        });
        assert_eq!(
            plain(&chosen).unwrap(),
            json!({
                "type": "object",
                "properties": { "path": text, "url": text },
                "description": "(give the arguments of one of these: path; url)",
            })
        );
        let tagged = json!({
            "anyOf": [
                { "$ref": "#/$defs/A" },
                { "properties": { "kind": { "const": "b" }, "n": { "type": "integer" } }, "required": ["kind", "n"] },
                { "type": "null" },
            ],
            "$defs": { "A": { "properties": { "kind": { "const": "a" } }, "required": ["kind"] } },
        });
        let flat = plain(&tagged).unwrap();
        assert_eq!(flat["properties"]["kind"], json!({ "type": "string", "enum": ["a", "b"] }));
        assert_eq!(flat["required"], json!(["kind"]));
        assert_eq!(
            flat["description"],
            r#"(give the arguments of one of these: kind = "a"; kind = "b" + n)"#
        );
        let whole = json!({
            "$ref": "#/$defs/A",
            "$defs": { "A": { "allOf": [{ "properties": { "x": text }, "required": ["x"] }, { "properties": { "x": { "minLength": 1 } } }] } },
        });
        let flat = plain(&whole).unwrap();
        assert_eq!(flat["properties"]["x"], json!({ "allOf": [text, { "minLength": 1 }] }));
        assert_eq!((&flat["required"], flat.get("$ref")), (&json!(["x"]), None));
        for wrong in
            [json!([]), json!({ "type": "array" }), json!({ "$ref": "#/$defs/B" }), json!({ "$ref": "#" })]
        {
            assert!(plain(&wrong).is_err(), "{wrong}");
        }
    }
}
