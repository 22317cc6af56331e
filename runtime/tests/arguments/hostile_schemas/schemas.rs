//! Schemas that are made to keep the host busy.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// References that lead back to where they began, in every form.
pub(crate) fn endless() -> Vec<Value> {
    let definitions = |a: Value, b: Value| {
        json!({
            "type": "object", "properties": { "a": { "$ref": "#/$defs/A" } }, "additionalProperties": { "$ref": "#/$defs/B" },
            "$defs": { "A": a, "B": b }
        })
    };
    let (a, b) = (json!({ "$ref": "#/$defs/A" }), json!({ "$ref": "#/$defs/B" }));
    let mut all = vec![
        json!({ "type": "object", "$ref": "#", "anyOf": [{ "$ref": "#" }] }),
        json!({ "type": "object", "$ref": "#", "oneOf": [{ "$ref": "#" }, { "$ref": "#" }] }),
        json!({ "type": "object", "allOf": [{ "$ref": "#" }, { "$ref": "#" }] }),
        json!({ "type": "object", "$ref": "#/anyOf/0", "anyOf": [{ "$ref": "#/anyOf/1" }, { "$ref": "#/anyOf/0" }] }),
        json!({ "type": "object", "properties": { "a": { "$ref": "#/properties/a" } } }),
        json!({ "type": "object", "properties": { "a": { "$ref": "#/properties" } } }),
        definitions(a.clone(), b.clone()),
        definitions(b.clone(), a.clone()),
    ];
    for key in ["anyOf", "oneOf", "allOf"] {
        all.push(definitions(json!({ key: [a, a, b] }), json!({ key: [b, a, { "type": "null" }] })));
        all.push(definitions(json!({ key: [b, b] }), json!({ "$ref": "#/$defs/A", key: [a, b] })));
        all.push(definitions(
            json!({ "items": a, key: [a] }),
            json!({ "additionalProperties": b, key: [b, b] }),
        ));
        all.push(definitions(
            json!({ "type": "object", "additionalProperties": { key: [a, a] } }),
            b.clone(),
        ));
        all.push(definitions(json!({ "type": "array", "items": { key: [a, a] } }), a.clone()));
    }
    all
}

/// `A0` is `A1` or `A1`, which is `A2` or `A2`, ..
pub(crate) fn doubling(key: &str, levels: usize, end: Value) -> Value {
    let mut definitions = Map::new();
    for level in 0..levels {
        let next = json!({ "$ref": format!("#/$defs/A{}", level + 1) });
        let schema = match key {
            "properties" => json!({ "type": "object", "properties": { "a": next, "b": next } }),
            "items" => json!({ "type": "array", "prefixItems": [next, next], "items": next }),
            key => json!({ key: [next, next] }),
        };
        definitions.insert(format!("A{level}"), schema);
    }
    definitions.insert(format!("A{levels}"), end);
    json!({ "type": "object", "properties": { "a": { "$ref": "#/$defs/A0" } }, "$defs": definitions })
}

pub(crate) fn nested(depth: usize, leaf: Value, step: impl Fn(Value) -> Value) -> Value {
    (0..depth).fold(leaf, |inner, _| step(inner))
}

/// Much of everything that a schema has side by side.
pub(crate) fn wide() -> Vec<Value> {
    let names: Vec<_> = (0..20_000).map(|at| format!("property_{at}")).collect();
    let properties: Map<_, _> =
        names.iter().map(|name| (name.clone(), json!({ "type": "string" }))).collect();
    let words: Vec<_> = (0..20_000).map(|at| json!({ "const": format!("word_{at}") })).collect();
    let kinds = vec!["object"; 5_000];
    let definitions: Map<_, _> = (0..2_000)
        .map(|at| (format!("x{at}/d"), json!({ "items": { "$ref": format!("#/$defs/x{at}~1d") } })))
        .collect();
    vec![
        json!({ "type": "object", "properties": properties, "required": names, "additionalProperties": false }),
        json!({ "type": "object", "properties": properties, "anyOf": vec![json!({ "required": names }); 50] }),
        json!({ "type": "object", "properties": { "a": { "anyOf": words } }, "required": ["a"] }),
        json!({ "type": "object", "properties": { "a": { "type": kinds, "properties": properties } } }),
        json!({ "type": "object", "properties": { "a": { "properties": properties, "anyOf": vec![json!({ "title": "x" }); 5_000] } } }),
        json!({ "type": "object", "properties": { "a": { "type": "array", "prefixItems": words } } }),
        json!({ "type": "object", "properties": { "a": { "$ref": "#/$defs/x0~1d" } }, "$defs": definitions }),
    ]
}

/// Schemas of all keywords, whose references point anywhere.
pub(crate) fn any_schema() -> impl Strategy<Value = Value> {
    let reference = prop::sample::select(vec![
        "#",
        "#/$defs/A",
        "#/$defs/B",
        "#/properties/a",
        "#/properties/a/anyOf/0",
        "#/$defs/A/items",
        "#/nowhere",
        "https://a/b",
    ]);
    let leaf = prop_oneof![
        3 => reference.prop_map(|to| json!({ "$ref": to })),
        1 => prop::sample::select(vec!["string", "integer", "object", "array", "null", "boolean", "thing"])
            .prop_map(|kind| json!({ "type": kind })),
        1 => Just(json!({ "enum": ["a", 1, null, {}] })),
        1 => Just(json!({ "const": "a", "default": 5, "examples": [1] })),
        1 => any::<bool>().prop_map(Value::from),
        1 => Just(json!({ "type": ["object", "null", "object"], "uniqueItems": true, "required": ["a", 5] })),
        1 => Just(json!([{ "$ref": "#" }])),
    ];
    leaf.prop_recursive(5, 40, 4, |inner| {
        let list = prop::collection::vec(inner.clone(), 0..4);
        let keyword = prop::sample::select(vec!["anyOf", "oneOf", "allOf", "prefixItems", "items"]);
        let one = prop::sample::select(vec![
            "items",
            "additionalProperties",
            "not",
            "if",
            "then",
            "contains",
            "propertyNames",
        ]);
        let named = prop::sample::select(vec!["properties", "patternProperties", "dependentSchemas"]);
        let fields = prop::collection::btree_map("[ab]|\\.\\*", inner.clone(), 0..3);
        let merged = prop::collection::vec(inner.clone(), 2..4).prop_map(|parts| {
            let objects = parts.into_iter().filter_map(|part| part.as_object().cloned());
            Value::Object(objects.flatten().collect())
        });
        prop_oneof![
            3 => (keyword, list).prop_map(|(key, list)| json!({ key: list })),
            2 => (one, inner).prop_map(|(key, schema)| json!({ key: schema })),
            3 => (named, fields).prop_map(|(key, fields)| json!({ "type": "object", key: fields })),
            3 => merged,
        ]
    })
}
