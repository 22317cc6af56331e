//! Names of arguments that a provider refuses. Anthropic and Bedrock take letters, digits, `_`, `.` and `-`, up to 64 of them, and refuse the
//! whole request otherwise. They look at the arguments themselves, and not at the properties of objects within them.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};

use super::visible::{cut, name};

/// The longest name of an argument that all providers take.
const LONGEST_NAME: usize = 64;
/// The most arguments of one tool that get another name. Each of them is looked up among the others.
const MOST_RENAMED: usize = 1_000;
/// A longer name is cut in a message.
const SHOWN: usize = 60;

/// The arguments whose names some provider refuses, each with a name that all take.
pub(super) fn renamed(schema: &Value) -> Vec<(String, String)> {
    let Some(properties) = schema["properties"].as_object() else { return Vec::new() };
    let mut renamed = Vec::new();
    let mut taken: HashSet<String> = properties.keys().cloned().collect();
    // How often each plain name was met.
    let mut met: HashMap<String, usize> = HashMap::new();
    for own in properties.keys().filter(|own| !is_taken_by_all(own)) {
        let plain: String = own.chars().map(|c| if is_plain(c) { c } else { '_' }).collect();
        let plain = plain.trim_matches('_');
        let plain = if plain.is_empty() { "argument" } else { plain };
        let plain = &plain[..plain.len().min(LONGEST_NAME - 4)];
        let count = met.entry(plain.to_owned()).or_insert(0);
        let new = loop {
            *count += 1;
            let number = if *count == 1 { String::new() } else { format!("_{count}") };
            let new = format!("{}{number}", &plain[..plain.len().min(LONGEST_NAME - number.len())]);
            if taken.insert(new.clone()) {
                break new;
            }
        };
        renamed.push((own.clone(), new));
    }
    renamed
}

/// Refuses a schema with too many arguments whose names some provider refuses, or with one that only a part of its root declares, such as an option of a union, under a name that some provider
/// refuses: the export writes all arguments into one object, and a transformed tool renames the root's arguments itself.
///
/// # Errors
/// Returns the reason why no agent can use the tool.
pub(super) fn check_parts(root: &Map<String, Value>) -> Result<(), String> {
    let declared = root.get("properties").and_then(Value::as_object);
    let own = declared.into_iter().flat_map(Map::keys);
    if own.filter(|own| !is_taken_by_all(own)).count() > MOST_RENAMED {
        return Err(format!(
            "more than {MOST_RENAMED} of its arguments have names that some provider refuses"
        ));
    }
    let (mut open, mut referred) = (vec![root], HashSet::new());
    while let Some(part) = open.pop() {
        for own in part.get("properties").and_then(Value::as_object).into_iter().flat_map(Map::keys) {
            if !is_taken_by_all(own) && declared.is_none_or(|declared| !declared.contains_key(own)) {
                return Err(format!(
                    "its argument `{}` has a name that some provider refuses, and is declared in a part of the schema only",
                    name(&cut(own.clone(), SHOWN))
                ));
            }
        }
        let parts =
            ["allOf", "anyOf", "oneOf"].into_iter().filter_map(|key| part.get(key)?.as_array()).flatten();
        open.extend(parts.filter_map(Value::as_object));
        let pointer = part.get("$ref").and_then(Value::as_str).and_then(|to| to.strip_prefix('#'));
        open.extend(
            pointer.filter(|pointer| referred.insert(*pointer)).and_then(|pointer| at(root, pointer)),
        );
    }
    Ok(())
}

/// The object at a JSON pointer.
fn at<'v>(root: &'v Map<String, Value>, pointer: &str) -> Option<&'v Map<String, Value>> {
    let Some(rest) = pointer.strip_prefix('/') else { return Some(root).filter(|_| pointer.is_empty()) };
    let (key, rest) = rest.find('/').map_or((rest, ""), |end| rest.split_at(end));
    root.get(&key.replace("~1", "/").replace("~0", "~"))?.pointer(rest)?.as_object()
}

fn is_taken_by_all(name: &str) -> bool {
    !name.is_empty() && name.len() <= LONGEST_NAME && name.chars().all(is_plain)
}

fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-')
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a4_arguments_have_names_that_all_providers_take() {
        let long = "x".repeat(80);
        let schema =
            json!({ "properties": { "$top": {}, "top": {}, "a-b.c": {}, "é": {}, "": {}, (long): {} } });
        let renamed = renamed(&schema);
        let new = |own: &str| renamed.iter().find(|(name, _)| name == own).map(|(_, new)| new.as_str());
        assert_eq!((new("$top"), new("top"), new("a-b.c")), (Some("top_2"), None, None));
        assert!(renamed.iter().all(|(_, new)| is_taken_by_all(new)), "{renamed:?}");
        assert_eq!(renamed.len(), 4);
    }

    #[test]
    fn a4_many_arguments_of_one_plain_name_are_numbered_and_bounded() {
        let named = |count: u32| {
            let name = |at| format!("{}{}", "x".repeat(70), char::from_u32(0x4e00 + at).unwrap());
            let properties: Map<String, Value> = (0..count).map(|at| (name(at), json!({}))).collect();
            json!({ "type": "object", "properties": properties })
        };
        let schema = named(1_000);
        let names: HashSet<String> = renamed(&schema).into_iter().map(|(_, new)| new).collect();
        assert_eq!(names.len(), 1_000);
        assert!(names.iter().all(|name| is_taken_by_all(name)));
        assert_eq!(check_parts(schema.as_object().unwrap()), Ok(()));
        let reason = check_parts(named(1_001).as_object().unwrap()).unwrap_err();
        assert_eq!(reason, "more than 1000 of its arguments have names that some provider refuses");
    }

    #[test]
    fn a4_an_argument_of_a_part_of_the_root_has_a_name_that_all_providers_take() {
        let of = |schema: Value| check_parts(schema.as_object().unwrap());
        let top = json!({ "properties": { "$top": {} } });
        for schema in [
            json!({ "anyOf": [{ "properties": { "a": {} } }, top] }),
            json!({ "oneOf": [{ "allOf": [top] }] }),
            json!({ "$ref": "#/$defs/a~1b", "$defs": { "a/b": { "anyOf": [{ "$ref": "#/$defs/c" }] }, "c": top } }),
        ] {
            let reason = of(schema.clone()).unwrap_err();
            assert!(reason.starts_with("its argument `$top` has a name"), "{reason} of {schema}");
        }
        for schema in [
            json!({ "properties": { "$top": {} }, "anyOf": [{ "properties": { "$top": { "minimum": 1 } }, "required": ["$top"] }] }),
            json!({ "properties": { "a": { "anyOf": [top] } }, "$defs": { "b": top } }),
            json!({ "$ref": "#" }),
            json!({ "anyOf": [{ "$ref": "#/$defs/a" }], "$defs": { "a": { "$ref": "#/$defs/a" } } }),
        ] {
            assert_eq!(of(schema.clone()), Ok(()), "{schema}");
        }
        // Each level refers to the next one twice.
        let level = |level: u32| {
            let next = json!({ "$ref": format!("#/$defs/{}", level + 1) });
            (level.to_string(), json!({ "anyOf": [next, next] }))
        };
        let defs: Map<String, Value> = (0..100).map(level).collect();
        assert_eq!(of(json!({ "$ref": "#/$defs/0", "$defs": defs })), Ok(()));
    }
}
