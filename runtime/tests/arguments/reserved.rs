//! Keys that `serde_json` keeps for itself: its `Value` reads JSON within JSON behind them, and a hook would not.

use std::collections::BTreeMap;

use onionskin::{Exit, ToolSpec, tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// Takes anything.
#[tool]
fn any(v: Value) -> String {
    v.to_string()
}

/// Takes anything, or nothing.
#[tool]
fn maybe(v: Option<Value>) -> String {
    format!("{v:?}")
}

/// Takes a list.
#[tool]
fn list(v: Vec<Value>) -> String {
    format!("{v:?}")
}

/// Takes a map.
#[tool]
fn map(v: BTreeMap<String, Value>) -> String {
    format!("{v:?}")
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Open {
    #[serde(flatten)]
    rest: Map<String, Value>,
}

/// Takes any keys.
#[tool]
fn open(v: Open) -> String {
    format!("{:?}", v.rest)
}

#[tokio::test]
async fn h4_no_key_makes_an_argument_one_value_for_hooks_and_another_for_the_tool() {
    let closure = ToolSpec::from_fn("closure", "Takes anything.", |v: Map<String, Value>, _| async move {
        Ok(format!("{v:?}"))
    });
    let pay = json!({ "$serde_json::private::RawValue": "{\"cents\":500000}" });
    for spec in [any::spec(), maybe::spec(), list::spec(), map::spec(), open::spec(), closure] {
        for text in [
            json!({ "v": pay }).to_string(),
            json!({ "v": [pay] }).to_string(),
            json!({ "v": { "a": { "b": pay } } }).to_string(),
            json!({ "v": { "$serde_json::private::Number": "5" } }).to_string(),
            pay.to_string(),
            json!({ "v": pay }).to_string().replace('$', "\\u0024"),
            // Repaired first.
            format!("{},}}", json!({ "v": pay }).to_string().trim_end_matches('}')) + "}}",
        ] {
            let Err(Exit::Tool(error)) = spec.call(text.as_str()).await else {
                panic!("{} {text}", spec.name())
            };
            assert!(error.to_string().contains("did not run"), "{text}: {error}");
        }
    }
    // Within a text it is a text, or no object.
    let text = json!({ "a": pay }).to_string();
    assert_eq!(any::spec().call(json!({ "v": text })).await.unwrap(), json!(json!(text).to_string()));
    map::spec().call(json!({ "v": text })).await.unwrap_err();
    let told = any::spec().call(json!({ "v": pay }).to_string().as_str()).await.unwrap_err();
    let Exit::Tool(told) = told else { panic!("{told:?}") };
    assert!(told.to_string().contains("the key `$serde_json::private::RawValue` is reserved"), "{told}");
}
