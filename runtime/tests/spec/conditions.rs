//! S4, S6: what a schema says of parameters beside their list names them as they are seen.

use onionskin::ToolSpec;
use onionskin::mcp::McpToolSpec as _;
use onionskin::spec::Transform;
use serde_json::{Value, json};

fn search() -> ToolSpec {
    ToolSpec::from_mcp(
        json!({
            "name": "search",
            "description": "Searches.",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "words": { "type": "string" }, "tag": { "type": "string" }, "api_key": { "type": "string" },
                    "limit": { "type": "integer" },
                },
                "required": ["api_key"],
                "anyOf": [{ "required": ["words"] }, { "required": ["tag", "api_key"] }],
                "oneOf": [{ "properties": { "words": { "minLength": 1 }, "api_key": { "minLength": 1 } } }],
                "allOf": [{
                    "if": { "properties": { "words": { "const": "all" } } },
                    "then": { "required": ["limit", "api_key"] },
                }],
                "if": { "properties": { "api_key": { "const": "none" } } },
                "then": { "required": ["words"] },
                "not": { "required": ["words", "tag"] },
                "dependentRequired": { "words": ["api_key", "tag"], "api_key": ["limit"] },
                "dependentSchemas": { "words": { "required": ["limit"] }, "api_key": { "maxProperties": 3 } },
                "propertyNames": { "enum": ["words", "tag", "api_key", "limit"] },
            },
        })
        .to_string()
        .as_str(),
    )
    .unwrap()
}

fn check_without_the_key(schema: &Value) {
    assert_eq!(schema["anyOf"], json!([{ "required": ["text"] }, { "required": ["tag"] }]));
    assert_eq!(schema["oneOf"], json!([{ "properties": { "text": { "minLength": 1 } } }]));
    assert_eq!(
        schema["allOf"],
        json!([{ "if": { "properties": { "text": { "const": "all" } } }, "then": { "required": ["limit"] } }])
    );
    assert_eq!((&schema["if"], &schema["then"]), (&Value::Null, &Value::Null));
    assert_eq!(schema["not"], json!({ "required": ["text", "tag"] }));
    assert_eq!(schema["dependentRequired"], json!({ "text": ["tag"] }));
    assert_eq!(schema["dependentSchemas"], json!({ "text": { "required": ["limit"] } }));
    assert_eq!(schema["propertyNames"], json!({ "enum": ["text", "tag", "limit"] }));
    assert!(!schema.to_string().contains("api_key") && !schema.to_string().contains("\"words\""), "{schema}");
}

#[test]
fn s6_conditions_of_an_imported_schema_name_what_is_seen() {
    let mut spec = search();
    let whole = spec.input_schema().clone();
    spec.transform(Transform::new().rename("words", "text").hide("api_key", "k")).unwrap();
    check_without_the_key(spec.input_schema());
    spec.transform(Transform::new().rename("text", "words")).unwrap();
    assert_eq!(spec.input_schema()["anyOf"][0], whole["anyOf"][0]);
}

#[test]
fn s4_conditions_of_an_imported_schema_do_not_name_what_is_bound() {
    let mut spec = search();
    let whole = spec.input_schema().clone();
    spec.transform(Transform::new().rename("words", "text")).unwrap();
    spec.bind("api_key", None, None).unwrap();
    check_without_the_key(spec.input_schema());
    spec.unbind("api_key").unwrap();
    spec.transform(Transform::new().rename("text", "words")).unwrap();
    assert_eq!(spec.input_schema(), &whole);
}

#[test]
fn s4_a_condition_that_denies_what_is_bound_is_left_to_the_tool() {
    let mut spec = search();
    spec.bind("tag", None, json!("a")).unwrap();
    assert_eq!(spec.input_schema().get("not"), None);
    assert_eq!(spec.input_schema()["if"], json!({ "properties": { "api_key": { "const": "none" } } }));
}
