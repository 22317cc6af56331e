//! Removes definitions without references, so that the types of a hidden parameter are not visible.

use std::collections::HashSet;

use serde_json::Value;

use super::keywords::{Applies, subschemas};

/// The keywords that hold definitions.
const PLACES: [&str; 2] = ["$defs", "definitions"];

/// Removes the definitions that are not reachable from the rest of the schema.
pub fn remove_unused(root: &mut Value) {
    let mut open = Vec::new();
    if let Some(to) = root["$ref"].as_str() {
        open.push(to);
    }
    for part in subschemas(root).iter().filter(|part| part.applies != Some(Applies::ByReference)) {
        references(part.schema, &mut open);
    }
    let mut used = HashSet::new();
    while let Some(pointer) = open.pop() {
        let Some((place, name)) = definition(pointer) else { continue };
        if used.insert((place.to_owned(), name.clone())) {
            references(&root[place][&name], &mut open);
        }
    }
    let Value::Object(root) = root else { return };
    for place in PLACES {
        let Some(Value::Object(named)) = root.get_mut(place) else { continue };
        named.retain(|name, _| used.contains(&(place.to_owned(), name.clone())));
        if named.is_empty() {
            crate::json::remove(root, place);
        }
    }
}

/// Collects the references in a schema.
fn references<'s>(schema: &'s Value, found: &mut Vec<&'s str>) {
    found.extend(schema["$ref"].as_str());
    for part in subschemas(schema) {
        references(part.schema, found);
    }
}

/// The keyword and the name of the definition that a reference points into.
fn definition(pointer: &str) -> Option<(&str, String)> {
    let (place, rest) = pointer.strip_prefix("#/")?.split_once('/')?;
    let name = rest.split('/').next()?.replace("~1", "/").replace("~0", "~");
    Some((place, name))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn s6_only_definitions_that_are_used_stay() {
        let mut schema = json!({
            "properties": { "a": { "items": { "$ref": "#/$defs/A" } }, "b": { "$ref": "#/definitions/x~1y" } },
            "$defs": {
                "A": { "$ref": "#/$defs/B/properties/c" },
                "B": { "properties": { "c": { "$ref": "#/$defs/A" } } },
                "C": { "$ref": "#/$defs/D" },
                "D": {},
            },
            "definitions": { "x/y": {} },
        });
        remove_unused(&mut schema);
        let names = |place: &str| schema[place].as_object().unwrap().keys().cloned().collect::<Vec<_>>();
        assert_eq!(
            (names("$defs"), names("definitions")),
            (vec!["A".into(), "B".into()], vec!["x/y".into()])
        );
        let mut alone = json!({ "$defs": { "A": { "$ref": "#/$defs/A" } } });
        remove_unused(&mut alone);
        assert_eq!(alone, json!({}));
    }
}
