//! An error about an enum of objects lists all of its variants, then the fields of the one that was meant.

use std::collections::BTreeMap;

use onionskin::{Args, ToolDefinition, ToolSpec, tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind")]
enum Tagged {
    Delete { path: String },
    Rename { path: String, to: String },
    List,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "t", content = "c")]
enum Adjacent {
    Delete { path: String },
    Rename(String, String),
    List,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
enum External {
    Delete { path: String },
    Rename { path: String, to: String },
    List,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Untagged {
    Delete { path: String, force: bool },
    Rename { from: String, to: String },
}

macro_rules! tools {
    ($($name:ident: $type:ty),* $(,)?) => {
        $(
            /// Takes it.
            #[tool]
            fn $name(x: $type) -> String {
                format!("{x:?}")
            }
        )*

        fn spec(name: &str) -> ToolSpec {
            match name {
                $(stringify!($name) => $name::spec(),)*
                other => panic!("{other}"),
            }
        }
    };
}

tools! {
    tagged: Tagged, maybe: Option<Tagged>, list: Vec<Tagged>, map: BTreeMap<String, Option<Tagged>>,
    adjacent: Adjacent, external: External, maybe_external: Option<External>, untagged: Untagged,
}

/// The lines of the error about `x`.
async fn error_lines(name: &str, x: &Value) -> Vec<String> {
    let error =
        spec(name).call(json!({ "x": x })).await.expect_err(&format!("{name} ran with {x}")).to_string();
    error.lines().skip(1).map(str::to_owned).collect()
}

#[tokio::test]
async fn t11_an_error_about_an_enum_lists_all_its_variants() {
    let kinds = "one of \"Delete\", \"Rename\", \"List\"";
    for (name, x, line) in [
        ("tagged", json!({ "path": "p" }), format!("- `x.kind`: missing; expected {kinds}")),
        ("tagged", json!({ "kind": "Move", "path": "p" }), format!("- `x.kind`: expected {kinds}, found the string \"Move\"")),
        ("tagged", json!("List"), format!("- `x`: expected an object with `kind`: {kinds}, found the string \"List\"")),
        ("maybe", json!({ "kind": "Move" }), format!("- `x.kind`: expected {kinds}, found the string \"Move\"")),
        ("maybe", json!({}), format!("- `x.kind`: missing; expected {kinds}")),
        ("list", json!([{ "kind": "List" }, { "kind": 5 }]), format!("- `x[1].kind`: expected {kinds}, found the number 5")),
        ("map", json!({ "a": null, "b": { "kind": null } }), format!("- `x.b.kind`: expected {kinds}, found null")),
        ("adjacent", json!({ "t": "Move", "c": {} }), format!("- `x.t`: expected {kinds}, found the string \"Move\"")),
        (
            "external",
            json!({ "Delte": { "path": "p" } }),
            "- `x`: expected one of the keys `Delete`, `Rename`, found `Delte`; did you mean `Delete`?".to_owned(),
        ),
        (
            "external",
            json!("Lst"),
            "- `x`: expected \"List\" or an object with one of the keys `Delete`, `Rename`, found the string \"Lst\"".to_owned(),
        ),
        ("maybe_external", json!({}), "- `x`: expected one of the keys `Delete`, `Rename`, found none".to_owned()),
        ("untagged", json!({}), "- `x`: expected an object with `path`, `force`, or with `from`, `to`".to_owned()),
    ] {
        assert_eq!(error_lines(name, &x).await, [line], "{name} {x}");
    }
}

#[tokio::test]
async fn t11_the_problems_of_the_variant_that_was_meant_are_reported() {
    for (name, x, lines) in [
        (
            "tagged",
            json!({ "kind": "Rename", "path": 5 }),
            &["- `x.to`: missing; expected a string", "- `x.path`: expected a string, found the number 5"][..],
        ),
        (
            "tagged",
            json!({ "kind": "List", "path": "p" }),
            &["- `x.path`: unknown argument; it takes `kind`"],
        ),
        ("maybe", json!({ "kind": "Delete" }), &["- `x.path`: missing; expected a string"]),
        ("adjacent", json!({ "t": "Delete", "c": {} }), &["- `x.c.path`: missing; expected a string"]),
        ("external", json!({ "Rename": { "path": "p" } }), &["- `x.Rename.to`: missing; expected a string"]),
        ("untagged", json!({ "from": "a" }), &["- `x.to`: missing; expected a string"]),
        (
            "untagged",
            json!({ "path": "a", "force": "maybe" }),
            &["- `x.force`: expected true or false, found the string \"maybe\""],
        ),
    ] {
        assert_eq!(error_lines(name, &x).await, lines, "{name} {x}");
    }
}

/// The unions of servers: discriminators of several forms, and references.
#[test]
fn t11_a_union_of_a_server_is_reported_as_an_enum_is() {
    let option = |kind: &str, field: &str| json!({ "type": "object", "properties": { "op": { "enum": [kind] }, field: { "type": "string" } }, "required": ["op", field] });
    let root = json!({
        "$defs": { "A": option("add", "text"), "B": option("drop", "id") },
        "type": "object",
        "properties": { "step": { "anyOf": [{ "$ref": "#/$defs/A" }, { "$ref": "#/$defs/B" }, { "type": "null" }] } },
    });
    let fit = |schema: &Value, step: &Value| -> Vec<String> {
        let tool = ToolDefinition::new("go", "Goes.").with_input_schema(schema.clone());
        let args = Args::from(json!({ "step": step }).to_string());
        tool.fit(&args).err().unwrap_or_default().iter().map(ToString::to_string).collect()
    };
    let problems = |step: Value| fit(&root, &step);
    assert_eq!(
        problems(json!({ "op": "move" })),
        ["`step.op`: expected one of \"add\", \"drop\", found the string \"move\""]
    );
    assert_eq!(problems(json!({ "op": "drop" })), ["`step.id`: missing; expected a string"]);
    assert_eq!(problems(json!({ "op": "add", "text": "a" })), [""; 0]);
    let many: Vec<Value> = (0..3000).map(|number| option(&format!("k{number}"), "f")).collect();
    let many = json!({ "type": "object", "properties": { "step": { "oneOf": many } } });
    let told = fit(&many, &json!({ "op": "x" }));
    assert!(
        matches!(&told[..], [only] if only.starts_with("`step.op`: expected one of \"k0\", ") && only.len() < 1200),
        "{told:?}"
    );
}

/// Takes a map whose keys are no texts.
#[tool]
fn flags(x: BTreeMap<String, BTreeMap<bool, u8>>) -> String {
    format!("{x:?}")
}

/// A map whose keys are single letters.
#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "it is read only")]
struct Letters {
    x: BTreeMap<char, u8>,
}

#[tokio::test]
async fn t11_a_key_that_its_type_refuses_is_named_with_its_field() {
    assert_eq!(
        flags::spec().call(json!({ "x": { "a": { "true": 1 } } })).await.unwrap(),
        "{\"a\": {true: 1}}"
    );
    let error =
        flags::spec().call(json!({ "x": { "a": { "true": 1 }, "b": { "yes": 1 } } })).await.unwrap_err();
    assert!(error.to_string().contains("- `x.b.yes`: "), "{error}");
    let spec = ToolSpec::from_fn("letters", "Takes letters.", |_: Letters, _| async { Ok(String::new()) });
    let error = spec.call(json!({ "x": { "a": 1, "bc": 2 } })).await.unwrap_err().to_string();
    assert!(error.contains("`x.bc`: "), "{error}");
}
