//! A flattened `Option` gets what the model wrote, or the call is refused: serde reads what it cannot read as `None`.

use onionskin::export::{self, ExportOptions};
use onionskin::{Tool as _, ToolSpec, tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
struct Point {
    x: i64,
    y: u8,
    note: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind")]
enum Tagged {
    File { path: String, lines: Option<u32> },
    Web { url: String },
    Nothing,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "t", content = "c")]
enum Adjacent {
    One { a: i64 },
    Two(String),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
enum External {
    One { a: i64 },
    Two(String),
    Bare,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Untagged {
    Line { from: i64, to: i64 },
    Word { word: String },
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
struct Sort {
    field: String,
    #[serde(default)]
    desc: bool,
    note: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
struct Flat<T> {
    id: u8,
    #[serde(flatten)]
    e: Option<T>,
}

macro_rules! tools {
    ($($name:ident: $type:ty),* $(,)?) => {
        $(
            /// Gives it back.
            #[tool]
            fn $name(x: $type) -> Value {
                serde_json::to_value(x).unwrap()
            }
        )*

        fn all(name: &str) -> [ToolSpec; 2] {
            match name {
                $(stringify!($name) => [
                    $name::spec(),
                    ToolSpec::from_fn(stringify!($name), "Gives it back.", |args: Wrapped<$type>, _| async move {
                        Ok(serde_json::to_value(args.x).unwrap())
                    }),
                ],)*
                other => panic!("{other}"),
            }
        }
    };
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Wrapped<T> {
    x: T,
}

tools! {
    of_struct: Flat<Point>, of_defaults: Flat<Sort>, of_tagged: Flat<Tagged>, of_adjacent: Flat<Adjacent>, of_external: Flat<External>,
    of_untagged: Flat<Untagged>, of_list: Vec<Flat<Point>>, of_option: Option<Flat<Tagged>>,
}

/// What the tool got; the problems if it did not run.
async fn got(spec: &ToolSpec, x: &Value) -> Result<Value, String> {
    let called = spec.call(json!({ "x": x })).await;
    // A value that is not an object is the text of its JSON.
    let read = |value: Value| match value {
        Value::String(text) => serde_json::from_str(&text).unwrap(),
        other => other,
    };
    called.map(read).map_err(|exit| exit.to_string())
}

#[tokio::test]
async fn t11_a_flattened_option_gets_what_fits_and_what_can_be_converted() {
    for (name, given, wanted) in [
        ("of_struct", json!({ "id": 1 }), json!({ "id": 1 })),
        ("of_struct", json!({ "id": 1, "x": 2, "y": 3 }), json!({ "id": 1, "x": 2, "y": 3, "note": null })),
        (
            "of_struct",
            json!({ "id": 1, "x": "2", "y": 3.0 }),
            json!({ "id": 1, "x": 2, "y": 3, "note": null }),
        ),
        ("of_struct", json!({ "id": 1, "x": null, "y": null, "note": null }), json!({ "id": 1 })),
        (
            "of_list",
            json!([{ "id": 1, "x": "2", "y": 3 }]),
            json!([{ "id": 1, "x": 2, "y": 3, "note": null }]),
        ),
        ("of_defaults", json!({ "id": 1, "note": null }), json!({ "id": 1 })),
        (
            "of_defaults",
            json!({ "id": 1, "field": "a" }),
            json!({ "id": 1, "field": "a", "desc": false, "note": null }),
        ),
        ("of_tagged", json!({ "id": 1 }), json!({ "id": 1 })),
        ("of_tagged", json!({ "id": 1, "kind": null, "path": null }), json!({ "id": 1 })),
        ("of_tagged", json!({ "id": 1, "kind": "Nothing" }), json!({ "id": 1, "kind": "Nothing" })),
        (
            "of_tagged",
            json!({ "id": 1, "kind": "File", "path": "p", "lines": "7" }),
            json!({ "id": 1, "kind": "File", "path": "p", "lines": 7 }),
        ),
        (
            "of_option",
            json!({ "id": 1, "kind": "File", "path": "p", "lines": "7" }),
            json!({ "id": 1, "kind": "File", "path": "p", "lines": 7 }),
        ),
        (
            "of_adjacent",
            json!({ "id": 1, "t": "One", "c": { "a": "5" } }),
            json!({ "id": 1, "t": "One", "c": { "a": 5 } }),
        ),
        ("of_external", json!({ "id": 1, "One": { "a": 5 } }), json!({ "id": 1, "One": { "a": 5 } })),
        ("of_external", json!({ "id": 1, "Bare": null }), json!({ "id": 1, "Bare": null })),
        ("of_external", json!({ "id": 1 }), json!({ "id": 1 })),
        ("of_untagged", json!({ "id": 1, "from": "5", "to": 6 }), json!({ "id": 1, "from": 5, "to": 6 })),
        ("of_untagged", json!({ "id": 1 }), json!({ "id": 1 })),
    ] {
        for spec in all(name) {
            let got = got(&spec, &given).await;
            let without_none = |value: &Value| value.to_string().replace(",\"lines\":null", "");
            assert_eq!(got.map(|got| without_none(&got)), Ok(wanted.to_string()), "{name} {given}");
        }
    }
}

#[tokio::test]
async fn t11_a_flattened_option_with_something_wrong_is_never_none() {
    for (name, given, told) in [
        (
            "of_struct",
            json!({ "id": 1, "x": "two", "y": 3 }),
            "`x.x`: expected an integer, found the string \"two\"",
        ),
        ("of_struct", json!({ "id": 1, "x": 2, "y": 300 }), "`x.y`: expected at most 255, found 300"),
        (
            "of_struct",
            json!({ "id": 1, "x": 1e20, "y": 3 }),
            "`x.x`: expected at most 9223372036854775807, found 1e+20",
        ),
        (
            "of_struct",
            json!({ "id": 1, "x": -1e20, "y": 3 }),
            "`x.x`: expected at least -9223372036854775808, found -1e+20",
        ),
        (
            "of_tagged",
            json!({ "id": 1, "kind": "File", "path": "p", "lines": 4_294_967_296_u64 }),
            "`x.lines`: expected at most 4294967295, found 4294967296",
        ),
        (
            "of_external",
            json!({ "id": 1, "One": { "a": u64::MAX } }),
            "`x.One.a`: expected at most 9223372036854775807, found 18446744073709551615",
        ),
        ("of_struct", json!({ "id": 1, "x": 2 }), "`x.y`: missing beside `x`; expected an integer"),
        ("of_struct", json!({ "id": 1, "x": "2" }), "`x.y`: missing beside `x`; expected an integer"),
        ("of_struct", json!({ "id": 1, "note": "n" }), "`x.x`: missing beside `note`; expected an integer"),
        (
            "of_defaults",
            json!({ "id": 1, "desc": true }),
            "`x.field`: missing beside `desc`; expected a string",
        ),
        (
            "of_defaults",
            json!({ "id": 1, "note": "n" }),
            "`x.field`: missing beside `note`; expected a string",
        ),
        (
            "of_defaults",
            json!({ "id": 1, "field": null, "desc": "true" }),
            "`x.field`: missing beside `desc`; expected a string",
        ),
        (
            "of_struct",
            json!({ "id": 1, "x": 2, "y": null }),
            "`x.y`: missing beside `x`; expected an integer",
        ),
        (
            "of_list",
            json!([{ "id": 1 }, { "id": 1, "y": 2 }]),
            "`x[1].x`: missing beside `y`; expected an integer",
        ),
        (
            "of_tagged",
            json!({ "id": 1, "kind": "Fil", "path": "p" }),
            "`x.kind`: expected one of \"File\", \"Web\", \"Nothing\"",
        ),
        ("of_tagged", json!({ "id": 1, "kind": "File" }), "`x.path`: missing; expected a string"),
        ("of_tagged", json!({ "id": 1, "kind": "File", "path": 5 }), "`x.path`: expected a string"),
        ("of_tagged", json!({ "id": 1, "path": "p" }), "`x.kind`: missing; expected one of \"File\""),
        ("of_option", json!({ "id": 1, "kind": "File" }), "`x.path`: missing; expected a string"),
        ("of_adjacent", json!({ "id": 1, "t": "One", "c": { "a": "x" } }), "`x.c.a`: expected an integer"),
        ("of_adjacent", json!({ "id": 1, "t": "Three", "c": 1 }), "`x.t`: expected one of \"One\", \"Two\""),
        ("of_external", json!({ "id": 1, "One": { "a": "x" } }), "`x.One.a`: expected an integer"),
        (
            "of_external",
            json!({ "id": 1, "one": { "a": 5 } }),
            "`x.one`: unknown argument; did you mean `One`?",
        ),
        (
            "of_external",
            json!({ "id": 1, "One": { "a": 5 }, "Two": "b" }),
            "`x.Two`: unknown argument; it takes `One`",
        ),
        ("of_adjacent", json!({ "id": 1, "t": "Two", "c": "a", "a": 1 }), "`x.a`: unknown argument"),
        ("of_untagged", json!({ "id": 1, "from": 1, "to": "x" }), "`x.to`: expected an integer"),
        ("of_untagged", json!({ "id": 1, "from": 1 }), "`x.to`: missing; expected an integer"),
    ] {
        for spec in all(name) {
            let error = got(&spec, &given).await.expect_err(&format!("{name} ran with {given}"));
            assert!(error.contains(told), "{name} {given}: {error}");
        }
    }
}

/// What a strict export makes a model send is what the tool gets.
#[test]
fn t5_a_strict_form_of_a_flattened_option_says_that_nothing_is_an_option() {
    let tool = export::openai_chat(of_tagged::default().definition(), &ExportOptions::new().strict());
    let text = tool.unwrap().to_string();
    assert!(text.contains(r#""kind":{"type":"null"}"#), "{text}");
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "op")]
enum Sum {
    Add { left: Option<Box<Sum>>, right: Option<Box<Sum>>, at: Option<u8> },
    Sub { left: Option<Box<Sum>>, right: Option<Box<Sum>>, at: Option<u8> },
    Mul { left: Option<Box<Sum>>, right: Option<Box<Sum>>, at: Option<u8> },
}

/// Takes a sum.
#[tool]
fn sum(x: Sum) -> String {
    drop(x);
    "ran".to_owned()
}

/// The options of a recursive type have the same fields, and do not multiply with the depth.
#[tokio::test]
async fn t11_a_deep_value_of_a_recursive_type_is_read_at_once() {
    let deep = (0..50).fold(json!({ "op": "Mul" }), |inner, _| json!({ "op": "Sub", "left": inner }));
    assert_eq!(sum::spec().call(json!({ "x": deep })).await.unwrap(), "ran");
    let wrong = (0..50).fold(json!({ "op": "Div" }), |inner, _| json!({ "op": "Sub", "left": inner }));
    let error = sum::spec().call(json!({ "x": wrong })).await.unwrap_err().to_string();
    assert!(error.contains("it did not run"), "{error}");
}
