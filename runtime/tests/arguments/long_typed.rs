//! For any arguments: what the schema refuses does not reach the function, what reaches it is all that the model wrote, and what serde reads
//! and the schema allows reaches it.

use std::collections::{BTreeMap, BTreeSet};

use onionskin::{Exit, ToolSpec, tool};
use proptest::prelude::*;
use proptest::sample::Index;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
struct Point {
    x: i64,
    y: u8,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Tagged {
    Move { x: i64, to: Option<String> },
    Draw { path: Vec<Point> },
    Stop,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "t", content = "c")]
enum Adjacent {
    One { x: f64 },
    Two(bool, String),
    Stop,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
enum External {
    One { x: i32 },
    Two(String),
    Stop,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Untagged {
    Number(i64),
    Named { name: String, x: Option<u8> },
    Point { x: i64, y: i64 },
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Level {
    Low,
    High,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
struct Flat<T> {
    id: u8,
    #[serde(flatten)]
    rest: T,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
struct Sort {
    name: String,
    #[serde(default)]
    level: bool,
    to: Option<String>,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
struct Deep {
    level: Option<Level>,
    by_name: BTreeMap<String, Option<Tagged>>,
    by_number: BTreeMap<u16, Level>,
    at: Option<Point>,
    #[serde(default)]
    tags: Vec<String>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Args<T> {
    x: T,
}

/// A type: its tools, as a function and as a closure, some of its values, and how serde reads it.
struct Case {
    tools: [ToolSpec; 2],
    values: Vec<Value>,
    reads: fn(Value) -> Option<Value>,
}

fn reads<T: DeserializeOwned + Serialize>(value: Value) -> Option<Value> {
    serde_json::from_value::<T>(value).ok().map(|read| serde_json::to_value(read).unwrap())
}

macro_rules! all {
    ($($name:ident: $type:ty = [$($value:expr),* $(,)?];)*) => {
        $(
            /// Gives it back.
            #[tool]
            fn $name(x: $type) -> String {
                serde_json::to_string(&x).unwrap()
            }
        )*

        fn cases() -> Vec<Case> {
            vec![$(Case {
                tools: [
                    $name::spec(),
                    ToolSpec::from_fn(stringify!($name), "Gives it back.", |args: Args<$type>, _| async move {
                        Ok(serde_json::to_string(&args.x).unwrap())
                    }),
                ],
                values: vec![$($value),*],
                reads: reads::<$type>,
            },)*]
        }
    };
}

all! {
    tagged: Tagged = [json!({ "kind": "move", "x": 1, "to": "a" }), json!({ "kind": "draw", "path": [{ "x": 1, "y": 2 }] }), json!({ "kind": "stop" })];
    adjacent: Adjacent = [json!({ "t": "One", "c": { "x": 1.5 } }), json!({ "t": "Two", "c": [true, "a"] }), json!({ "t": "Stop" })];
    external: External = [json!({ "One": { "x": 1 } }), json!({ "Two": "a" }), json!("Stop")];
    untagged: Untagged = [json!(5), json!({ "name": "a", "x": 1 }), json!({ "x": 1, "y": 2 })];
    some: Option<Tagged> = [json!(null), json!({ "kind": "move", "x": 1, "to": null })];
    list: Vec<External> = [json!([]), json!(["Stop", { "One": { "x": 1 } }, { "Two": "a" }])];
    flat_struct: Flat<Point> = [json!({ "id": 1, "x": 1, "y": 2 })];
    flat_tagged: Flat<Tagged> = [json!({ "id": 1, "kind": "move", "x": 1, "to": "a" }), json!({ "id": 1, "kind": "stop" })];
    maybe_struct: Flat<Option<Point>> = [json!({ "id": 1 }), json!({ "id": 1, "x": 1, "y": 2 })];
    maybe_sort: Flat<Option<Sort>> = [json!({ "id": 1 }), json!({ "id": 1, "name": "a", "level": true, "to": "b" })];
    maybe_tagged: Flat<Option<Tagged>> = [json!({ "id": 1 }), json!({ "id": 1, "kind": "move", "x": 1, "to": "a" }), json!({ "id": 1, "kind": "stop" })];
    maybe_adjacent: Flat<Option<Adjacent>> = [json!({ "id": 1 }), json!({ "id": 1, "t": "One", "c": { "x": 1 } }), json!({ "id": 1, "t": "Stop" })];
    maybe_external: Flat<Option<External>> = [json!({ "id": 1 }), json!({ "id": 1, "One": { "x": 1 } }), json!({ "id": 1, "Two": "a" })];
    maybe_flat_list: Vec<Flat<Option<Point>>> = [json!([{ "id": 1 }, { "id": 1, "x": 1, "y": 2 }])];
    deep: Deep = [
        json!({ "level": "low", "by_name": { "a": { "kind": "stop" }, "b": null }, "by_number": { "7": "high" }, "at": { "x": 1, "y": 2 }, "tags": ["a"] }),
        json!({ "by_name": {}, "by_number": {} }),
    ];
}

/// Something that is done to a value: where, what, and with what.
type Change = (Index, u8, Index, Index);

fn pool() -> Vec<Value> {
    vec![
        json!(null),
        json!(true),
        json!(0),
        json!(7),
        json!(-1),
        json!(300),
        json!(1.0),
        json!(1.5),
        json!("7"),
        json!("1.50"),
        json!("true"),
        json!("a"),
        json!("move"),
        json!("Stop"),
        json!("low"),
        json!([]),
        json!([1, 2]),
        json!({}),
        json!({ "x": 1 }),
        json!({ "x": 1, "y": 2 }),
        json!({ "kind": "stop" }),
        json!("{\"x\":1,\"y\":2}"),
        json!(9_007_199_254_740_993_i64),
        json!(1e20),
    ]
}

const KEYS: [&str; 14] =
    ["x", "y", "id", "kind", "to", "path", "t", "c", "One", "Two", "Stop", "name", "level", "zz"];

fn places(value: &Value, at: &str, into: &mut Vec<String>) {
    into.push(at.to_owned());
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                places(field, &format!("{at}/{name}"), into);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                places(item, &format!("{at}/{index}"), into);
            }
        }
        _ => {}
    }
}

fn change(value: &mut Value, (place, what, key, other): &Change) {
    let mut all = Vec::new();
    places(value, "", &mut all);
    let at: &String = place.get(&all);
    let here = value.pointer_mut(at).unwrap();
    let (key, other) = (*key.get(&KEYS), other.get(&pool()).clone());
    match (what % 6, &mut *here) {
        (0, _) => *here = other,
        (1, Value::Object(fields)) => {
            fields.insert(key.to_owned(), other);
        }
        (2, Value::Object(fields)) => {
            let name = fields.keys().next().cloned();
            name.map(|name| fields.remove(&name));
        }
        (3, Value::Object(fields)) => {
            fields.remove(key);
        }
        (4, Value::Number(_) | Value::Bool(_)) => *here = here.to_string().into(),
        (5, Value::Array(items)) => items.push(other),
        _ => {}
    }
}

/// Whether all that was written is in what was read, converted or not. `null` may be nothing.
fn is_kept(written: &Value, read: &Value) -> bool {
    match (written, read) {
        (Value::Null, _) => true,
        (Value::Object(written), Value::Object(read)) => written
            .iter()
            .all(|(name, value)| value.is_null() || read.get(name).is_some_and(|read| is_kept(value, read))),
        (Value::Array(written), Value::Array(read)) => {
            written.len() == read.len()
                && written.iter().zip(read).all(|(written, read)| is_kept(written, read))
        }
        (Value::String(text), Value::Object(_) | Value::Array(_)) => {
            serde_json::from_str(text).is_ok_and(|written: Value| is_kept(&written, read))
        }
        (written, read) if written == read => true,
        (written, read) => {
            let number = |value: &Value| match value {
                Value::String(text) => text.trim().parse::<f64>().ok(),
                value => value.as_f64(),
            };
            let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            text(written) == text(read)
                || number(written).is_some_and(|written| number(read) == Some(written))
        }
    }
}

/// The names of the fields that an object of this schema can have, in any of its options.
fn field_names(schema: &Value, root: &Value, names: &mut BTreeSet<String>) {
    if let Some(target) = schema["$ref"].as_str().and_then(|place| root.pointer(place.strip_prefix('#')?)) {
        field_names(target, root, names);
    }
    names.extend(schema["properties"].as_object().into_iter().flat_map(|fields| fields.keys().cloned()));
    for word in ["allOf", "anyOf", "oneOf"] {
        schema[word].as_array().into_iter().flatten().for_each(|option| field_names(option, root, names));
    }
}

/// As [`is_kept`], for a struct that takes any key beside its flattened enum: what is no field of the variant is left out. Without a variant,
/// no field of any is.
fn is_kept_by(names: &BTreeSet<String>, is_open: bool, written: &Value, read: &Value) -> bool {
    let (true, Value::Object(fields), Value::Object(got)) = (is_open, written, read) else {
        return is_kept(written, read);
    };
    fields.iter().all(|(name, value)| match got.get(name) {
        Some(got) => is_kept(value, got),
        None => value.is_null() || got.len() > 1 || !names.contains(name),
    })
}

proptest! {
    #![proptest_config(super::long_arguments::config())]

    #[test]
    fn long_t11_a_function_gets_all_that_was_written_and_nothing_that_its_schema_refuses(
        case in 0..15_usize,
        base: Index,
        changes in prop::collection::vec(any::<Change>(), 0..4),
    ) {
        let case = &cases()[case];
        let mut x = base.get(&case.values).clone();
        for one in &changes {
            change(&mut x, one);
        }
        let args = json!({ "x": x });
        for tool in &case.tools {
            let schema = &tool.definition().input_schema;
            let validator = jsonschema::draft202012::new(schema).unwrap();
            let mut names = BTreeSet::new();
            field_names(&schema["properties"]["x"], schema, &mut names);
            let mut wider = case.values[0].clone();
            wider.as_object_mut().map(|fields| fields.insert("zz".to_owned(), json!(1)));
            let is_open = wider.is_object() && validator.is_valid(&json!({ "x": wider }));
            let is_kept = |read: &Value| is_kept_by(&names, is_open, &x, read);
            let called = tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(tool.call(args.clone()));
            match called {
                Ok(text) => {
                    let got: Value = serde_json::from_str(text.as_str().unwrap()).unwrap();
                    prop_assert!(is_kept(&got), "{} of {} became {}", args, tool.name(), got);
                    prop_assert!(validator.is_valid(&json!({ "x": got })), "{} of {} became {}", args, tool.name(), got);
                }
                Err(Exit::Tool(error)) => {
                    prop_assert!(error.to_string().contains("it did not run"), "{}", error);
                    let read = (case.reads)(x.clone()).filter(is_kept);
                    prop_assert!(!(validator.is_valid(&args) && read.is_some()), "{} of {} was refused: {}", args, tool.name(), error);
                }
                Err(other) => prop_assert!(false, "{:?}", other),
            }
        }
    }
}
