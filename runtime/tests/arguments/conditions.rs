//! Conditions of a schema, which only a tool by hand or an imported schema has.

use onionskin::{Args, ToolDefinition, ToolSpec, call};
use serde_json::{Value, json};

fn refusal(schema: &Value, args: &Value) -> Option<String> {
    let tool = ToolDefinition::new("t", "Does.").with_input_schema(schema.clone());
    let error = tool.fit_args(&mut Args::from(args.to_string())).err()?.to_string();
    Some(error.strip_prefix("Invalid arguments for `t`; it did not run:\n- ").unwrap().to_owned())
}

#[test]
fn t2_a_tool_by_hand_gets_no_arguments_that_a_condition_of_its_schema_refuses() {
    let object = |more: Value| {
        let mut schema = json!({ "type": "object", "properties": { "x": {}, "y": {} } });
        schema.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        schema
    };
    let x = |schema: Value| object(json!({ "properties": { "x": schema, "y": {} } }));
    let list = |contains: Value| {
        let mut schema = json!({ "type": "array" });
        schema.as_object_mut().unwrap().extend(contains.as_object().unwrap().clone());
        x(schema)
    };
    let needs = json!({ "x": ["y"] });
    let condition = json!({
        "if": { "properties": { "x": { "const": 1 } }, "required": ["x"] },
        "then": { "required": ["y"] },
        "else": { "properties": { "y": false } },
    });
    for (schema, good, bad, words) in [
        (x(json!(false)), json!({}), json!({ "x": 1 }), "`x`: not allowed here; remove it"),
        (
            x(json!({ "type": "array", "prefixItems": [{}], "items": false })),
            json!({ "x": [1] }),
            json!({ "x": [1, 2] }),
            "`x[1]`: not allowed here; remove it",
        ),
        (
            x(json!({ "not": { "type": "integer" } })),
            json!({ "x": "1" }),
            json!({ "x": 1 }),
            "`x`: expected a value that does not fit {\"type\":\"integer\"}, found the number 1",
        ),
        (
            object(json!({ "not": { "required": ["x", "y"] } })),
            json!({ "x": 1 }),
            json!({ "x": 1, "y": 2 }),
            "expected a value that does not fit {\"required\":[\"x\",\"y\"]}, found an object",
        ),
        (
            object(json!({ "dependentRequired": needs })),
            json!({ "y": 1 }),
            json!({ "x": 1 }),
            "`y`: missing; `x` needs it",
        ),
        (
            object(json!({ "dependencies": needs })),
            json!({ "x": 1, "y": 1 }),
            json!({ "x": 1 }),
            "`y`: missing; `x` needs it",
        ),
        (
            object(json!({ "dependentSchemas": { "x": { "required": ["y"] } } })),
            json!({}),
            json!({ "x": 1 }),
            "`y`: missing; expected a value",
        ),
        (
            object(condition.clone()),
            json!({ "x": 1, "y": 1 }),
            json!({ "x": 1 }),
            "`y`: missing; expected a value",
        ),
        (object(condition), json!({ "x": 2 }), json!({ "x": 2, "y": 1 }), "`y`: not allowed here; remove it"),
        (
            object(json!({ "propertyNames": { "maxLength": 1 } })),
            json!({ "x": 1 }),
            json!({ "xy": 1 }),
            "`xy`: expected at most 1 characters, found 2",
        ),
        (
            list(json!({ "contains": { "type": "string" } })),
            json!({ "x": [1, "a"] }),
            json!({ "x": [1] }),
            "`x`: expected at least 1 items that fit `contains`, found 0",
        ),
        (
            list(json!({ "contains": { "type": "string" }, "minContains": 0, "maxContains": 1 })),
            json!({ "x": [] }),
            json!({ "x": ["a", "b"] }),
            "`x`: expected at most 1 items that fit `contains`, found 2",
        ),
    ] {
        assert_eq!(refusal(&schema, &good), None, "{schema}");
        assert_eq!(refusal(&schema, &bad).as_deref(), Some(words), "{schema}");
    }
}

#[test]
fn t2_a_condition_that_refers_to_itself_is_not_followed_without_end() {
    for key in ["not", "if"] {
        let schema = json!({ "type": "object", "$defs": { "a": { (key): { "$ref": "#/$defs/a" } } }, "$ref": "#/$defs/a" });
        let told = refusal(&schema, &json!({})).unwrap();
        assert!(told.contains("too large or too deeply nested to be checked"), "{told}");
    }
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
#[schemars(extend("dependentRequired" = json!({ "street": ["town"] })))]
struct Address {
    street: Option<String>,
    town: Option<String>,
}

#[tokio::test]
async fn t2_a_condition_that_a_type_adds_to_its_schema_holds_for_a_closure() {
    let tool = ToolSpec::from_fn("send", "Sends.", |to: Address, _| async move {
        Ok(format!("{} {}", to.street.unwrap_or_default(), to.town.unwrap_or_default()))
    });
    assert_eq!(call!(tool, street = "High Street", town = "Ely").await.unwrap(), "High Street Ely");
    let error = call!(tool, street = "High Street").await.unwrap_err().to_string();
    assert!(error.contains("`town`: missing; `street` needs it"), "{error}");
}
