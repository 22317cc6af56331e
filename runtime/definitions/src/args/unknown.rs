//! The name of an argument that the called tool does not have.

use serde_json::{Map, Value};

use crate::text::{first_of, nearest};

/// A server's tool may have very many arguments.
const MOST_COMPARED: usize = 1_000;

/// Why the tool's schema excludes this argument; `None` if the schema allows it or does not list all names.
#[cold]
pub(super) fn unknown(name: &str, schema: &Value) -> Option<String> {
    let known = names(schema)?;
    if known.contains_key(name) {
        return None;
    }
    let near = nearest(name, known.keys().take(MOST_COMPARED).map(String::as_str));
    let hint = match near {
        Some(near) => format!("did you mean `{near}`?"),
        None if known.is_empty() => "it has none.".to_owned(),
        None => format!("it has {}.", first_of(known.keys().map(|name| format!("`{name}`")), ", ")),
    };
    Some(format!(
        "the tool has no argument `{name}`; {hint} `args[..]` reads an argument of the called tool; for one that only some tools have, write \
         `args.get(\"{name}\")`"
    ))
}

/// The arguments of a tool, if its schema lists all of them in one place.
fn names(schema: &Value) -> Option<&Map<String, Value>> {
    let says_more = |key: &&str| !matches!(schema.get(key), None | Some(Value::Bool(false)));
    let elsewhere = [
        "additionalProperties",
        "patternProperties",
        "unevaluatedProperties",
        "allOf",
        "anyOf",
        "oneOf",
        "$ref",
        "if",
    ];
    if elsewhere.iter().any(says_more) {
        return None;
    }
    schema.get("properties")?.as_object()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::unknown;

    #[test]
    fn h4_only_a_schema_that_lists_all_arguments_knows_an_unknown_one() {
        let says = |schema: &Value| unknown("cents", schema);
        let pay = json!({ "type": "object", "properties": { "amount": {} }, "additionalProperties": false });
        assert!(says(&pay).unwrap().starts_with("the tool has no argument `cents`; it has `amount`"));
        let close = json!({ "properties": { "cent": {} } });
        assert!(says(&close).unwrap().contains("did you mean `cent`?"));
        for open in [
            json!({ "properties": { "cents": {} } }),
            json!({ "type": "object" }),
            json!({ "properties": { "amount": {} }, "additionalProperties": true }),
            json!({ "properties": { "amount": {} }, "additionalProperties": { "type": "string" } }),
            json!({ "properties": { "amount": {} }, "patternProperties": { "^c": {} } }),
            json!({ "properties": { "amount": {} }, "oneOf": [{ "required": ["cents"] }] }),
            json!({ "$ref": "#/$defs/x", "properties": {} }),
            json!(true),
        ] {
            assert_eq!(says(&open), None, "{open}");
        }
    }
}
