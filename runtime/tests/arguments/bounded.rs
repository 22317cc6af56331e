//! Messages to a model are short, however long its arguments are.

use std::collections::HashMap;

use onionskin::{ScriptedModel, ScriptedTurn, ToolSpec, agent, tool};
use serde_json::{Value, json};

#[derive(serde::Deserialize, schemars::JsonSchema)]
enum Kind {
    Small,
    Large,
}

/// Takes it.
#[tool]
async fn takes(map: HashMap<String, u8>, list: Vec<Kind>, text: Option<u64>) -> usize {
    map.len() + list.len() + usize::from(text.is_some())
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Wanted {
    map: HashMap<String, u8>,
    list: Vec<Kind>,
}

fn closure() -> ToolSpec {
    ToolSpec::from_fn("closure", "Takes it.", |args: Wanted, _| async move {
        Ok(args.map.len() + args.list.len())
    })
}

/// Long texts of every kind that a tool refuses.
fn wrong() -> Vec<(&'static str, String)> {
    let long = "k".repeat(10_000);
    let map = |value: &str| (0..100_000).map(|at| format!("\"{at}\":{value}")).collect::<Vec<_>>().join(",");
    vec![
        ("a long key", json!({ &long: 1 }).to_string()),
        ("many keys", format!("{{{}}}", map("1"))),
        ("a map of wrong values", format!(r#"{{"map":{{{}}},"list":[]}}"#, map("\"x\""))),
        (
            "a map of long keys",
            json!({ "map": { &long: "x", format!("{long}2"): [] }, "list": [] }).to_string(),
        ),
        ("a list of wrong values", json!({ "map": {}, "list": vec!["x"; 100_000] }).to_string()),
        ("a long name of an enum", json!({ "map": {}, "list": [long.repeat(1000)] }).to_string()),
        ("a long number", format!(r#"{{"map":{{}},"list":[],"text":{}}}"#, "9".repeat(1_000_000))),
        ("a long text", json!({ "map": long.repeat(1000), "list": [] }).to_string()),
        ("a long key twice", format!(r#"{{"{long}":1,"{long}":1}}"#)),
        ("no JSON", long.repeat(1000)),
        ("a long string", json!(long.repeat(1000)).to_string()),
        ("a long variant", json!({ "map": {}, "list": [{ long.repeat(100): 1 }] }).to_string()),
    ]
}

#[tokio::test]
async fn t11_what_is_wrong_with_long_arguments_is_reported_in_short() {
    for (what, text) in wrong() {
        for spec in [takes::spec(), closure()] {
            let told = spec.call(text.as_str()).await.expect_err(what).to_string();
            assert!(
                told.len() < 8_000,
                "{what}: {} bytes: {}",
                told.len(),
                &told[..told.floor_char_boundary(500)]
            );
            assert!(told.contains("it did not run"), "{what}: {told}");
        }
    }
    let (_, many) = wrong().swap_remove(1);
    let told = takes::spec().call(many).await.unwrap_err().to_string();
    assert!(told.lines().count() <= 22 && told.contains("more"), "{told}");
}

agent! {
    Taker { instruction: "Take.", function_tools: [takes] }
}

#[tokio::test]
async fn a7_a_long_name_of_an_unknown_tool_is_shown_in_short() {
    let script = ScriptedModel::turns([
        ScriptedTurn::call_unknown("x".repeat(10_000_000), Value::Object(serde_json::Map::new())),
        ScriptedTurn::say("done"),
    ]);
    let handle = Taker::builder().model(script).build().await.unwrap();
    let output = handle.run("go").await.unwrap();
    let told = output.tool_calls[0].to_text().into_owned();
    assert!(told.len() < 1_000 && told.contains("Unknown tool name: 'xxx"), "{} bytes", told.len());
    assert!(told.contains("more bytes'") && told.contains("'takes'"), "{told}");
}
