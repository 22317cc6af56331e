//! Removes definitions that nothing refers to, so that the types of a hidden parameter are not shown.

use std::collections::HashSet;

use serde_json::{Map, Value};

/// The keywords that hold definitions.
const PLACES: [&str; 2] = ["$defs", "definitions"];

/// Removes the definitions that are reached from nowhere else in the schema.
pub(crate) fn remove_unused(root: &mut Map<String, Value>) {
    if !PLACES.iter().any(|place| root.contains_key(*place)) {
        return;
    }
    let mut used = HashSet::new();
    let mut open = Vec::new();
    for (key, value) in root.iter().filter(|(key, _)| !PLACES.contains(&key.as_str())) {
        references(key, value, &mut open);
    }
    while let Some(pointer) = open.pop() {
        let Some((place, name)) = definition(pointer) else { continue };
        if used.insert((place.to_owned(), name.clone()))
            && let Some(schema) = root.get(place).and_then(|named| named.get(&name))
        {
            references("", schema, &mut open);
        }
    }
    for place in PLACES {
        let Some(Value::Object(named)) = root.get_mut(place) else { continue };
        let all = std::mem::take(named);
        named.extend(all.into_iter().filter(|(name, _)| used.contains(&(place.to_owned(), name.clone()))));
        if named.is_empty() {
            crate::json::remove(root, place);
        }
    }
}

/// Collects the references in a value.
fn references<'s>(key: &str, value: &'s Value, found: &mut Vec<&'s str>) {
    match value {
        Value::String(pointer) if key == "$ref" => found.push(pointer),
        Value::Object(fields) => fields.iter().for_each(|(key, value)| references(key, value, found)),
        Value::Array(items) => items.iter().for_each(|item| references("", item, found)),
        _ => {}
    }
}

/// The keyword and the name of the definition that a reference leads into.
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
        let Value::Object(root) = &mut schema else { panic!("it is an object") };
        remove_unused(root);
        let names = |place: &str| schema[place].as_object().unwrap().keys().cloned().collect::<Vec<_>>();
        assert_eq!(
            (names("$defs"), names("definitions")),
            (vec!["A".into(), "B".into()], vec!["x/y".into()])
        );
        let mut alone = json!({ "$defs": { "A": { "$ref": "#/$defs/A" } } });
        let Value::Object(root) = &mut alone else { panic!("it is an object") };
        remove_unused(root);
        assert!(root.is_empty());
    }
}
