//! Unknown keys, at every depth.

use std::collections::HashMap;
use std::sync::Arc;

use onionskin::{ErrorKind, Exit, ToolSpec, tool, toolbox};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
struct Opts {
    note: Option<String>,
    #[serde(default)]
    depth: u8,
    inner: Option<Inner>,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct Inner {
    path: String,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct Tree {
    name: String,
    #[serde(default)]
    children: Vec<Tree>,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
enum Shape {
    Circle { r: f64 },
    Square(Inner),
    Nothing,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind")]
enum Tagged {
    File { path: String, opts: Option<Inner> },
    Web { url: String },
    Other(Inner),
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "t", content = "c")]
enum Adjacent {
    One { x: i64 },
    Two(Inner),
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Untagged {
    Number(i64),
    Inner(Inner),
    Opts { note: String },
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct FlatMap {
    name: String,
    #[serde(flatten)]
    more: HashMap<String, Value>,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct FlatEnum {
    name: String,
    #[serde(flatten)]
    kind: Tagged,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct FlatValue {
    name: String,
    #[serde(flatten)]
    more: Value,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct Free {
    value: Value,
    map: Map<String, Value>,
    typed: HashMap<String, Inner>,
    numbers: HashMap<u32, i64>,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Color {
    Red,
    Green,
}

/// Variants with words of their own are options of the schema.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
enum Level {
    /// Little.
    Low,
    /// Much.
    High,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct Painted {
    color: Color,
    #[serde(default)]
    levels: Vec<Level>,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Layers {
    Adjacent(Adjacent),
    Tagged(Tagged),
}

#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
struct AllDefaults {
    #[serde(default)]
    n: i64,
}

macro_rules! takes {
    ($($name:ident: $type:ty),* $(,)?) => {$(
        /// Takes it.
        #[tool]
        async fn $name(title: String, opts: $type) -> String {
            let _ = opts;
            title
        }
    )*};
}

takes! {
    plain: Opts, boxed: Arc<Opts>, maybe: Option<Opts>, list: Vec<Opts>, pair: (i64, Opts), map: HashMap<String, Opts>,
    tree: Tree, shape: Shape, tagged: Tagged, adjacent: Adjacent, untagged: Untagged, flat_map: FlatMap,
    flat_enum: FlatEnum, flat_value: FlatValue, free: Free,
    color: Color, maybe_color: Option<Color>, colors: Vec<Color>, level: Level, painted: Painted, layers: Layers,
    defaults: AllDefaults, time: std::time::Duration,
}

/// As `plain`, beside a limit.
#[tool]
async fn limited(#[arg(length(..=5))] title: String, opts: Opts) -> String {
    drop(opts);
    title
}

struct Box_;

#[toolbox]
impl Box_ {
    /// Takes it.
    #[tool]
    async fn method(&self, title: String, opts: Opts) -> String {
        drop(opts);
        title
    }
}

#[derive(Deserialize, JsonSchema)]
struct Whole {
    title: String,
    #[serde(default)]
    opts: Opts,
}

fn closure() -> ToolSpec {
    ToolSpec::from_fn("closure", "Takes it.", |args: Whole, _| async move {
        drop(args.opts);
        Ok(args.title)
    })
}

/// What the tool says against `opts`.
async fn problems(spec: &ToolSpec, opts: &str) -> Option<String> {
    match spec.call(format!(r#"{{"title":"t","opts":{opts}}}"#)).await {
        Ok(value) => {
            assert_eq!(value, "t");
            None
        }
        Err(Exit::Tool(error)) => {
            assert_eq!(error.kind(), ErrorKind::Arguments);
            Some(error.to_string())
        }
        Err(other) => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn t11_an_unknown_key_is_refused_at_every_depth_with_its_path_and_the_nearest_name() {
    let method = Box_.tools().remove("method").expect("the method");
    for (spec, opts, told) in [
        (plain::spec(), r#"{"noet":"x"}"#, "`opts.noet`: unknown argument; did you mean `note`?"),
        (
            plain::spec(),
            r#"{"note":"n","inner":{"path":"p","pth":"x"}}"#,
            "`opts.inner.pth`: unknown argument; did you mean `path`?",
        ),
        (boxed::spec(), r#"{"noet":"x"}"#, "`opts.noet`: unknown argument; did you mean `note`?"),
        (
            flat_enum::spec(),
            r#"{"name":"n","kind":"File","path":"u","anything":1}"#,
            "`opts.anything`: unknown argument; it takes `kind`",
        ),
        // A field of another variant.
        (
            flat_enum::spec(),
            r#"{"name":"n","kind":"File","path":"u","url":"u"}"#,
            "`opts.url`: unknown argument; it takes `kind`",
        ),
        (maybe::spec(), r#"{"noet":null}"#, "`opts.noet`: unknown argument"),
        (list::spec(), r#"[{},{"noet":1}]"#, "`opts[1].noet`: unknown argument"),
        (pair::spec(), r#"[1,{"noet":1}]"#, "`opts[1].noet`: unknown argument"),
        (map::spec(), r#"{"any":{"noet":1}}"#, "`opts.any.noet`: unknown argument"),
        (
            tree::spec(),
            r#"{"name":"a","children":[{"name":"b","children":[{"name":"c","nmae":"d"}]}]}"#,
            "`opts.children[0].children[0].nmae`: unknown argument; did you mean `name`?",
        ),
        (shape::spec(), r#"{"Circle":{"r":1,"R":2}}"#, "`opts.Circle.R`: unknown argument"),
        (shape::spec(), r#"{"Square":{"path":"p","pth":2}}"#, "`opts.Square.pth`: unknown argument"),
        (
            tagged::spec(),
            r#"{"kind":"Web","url":"u","urll":1}"#,
            "`opts.urll`: unknown argument; did you mean `url`?",
        ),
        (
            tagged::spec(),
            r#"{"kind":"File","path":"u","opts":{"path":"p","x":1}}"#,
            "`opts.opts.x`: unknown argument",
        ),
        (tagged::spec(), r#"{"kind":"Other","path":"p","pth":1}"#, "`opts.pth`: unknown argument"),
        (adjacent::spec(), r#"{"t":"One","c":{"x":1,"y":2}}"#, "`opts.c.y`: unknown argument"),
        (adjacent::spec(), r#"{"t":"Two","c":{"path":"p"},"d":2}"#, "`opts.d`: unknown argument"),
        (untagged::spec(), r#"{"path":"p","pth":1}"#, "`opts.pth`: unknown argument"),
        (
            flat_enum::spec(),
            r#"{"name":"n","kind":"File","path":"u","opts":{"path":"p","x":1}}"#,
            "`opts.opts.x`: unknown argument",
        ),
        (
            free::spec(),
            r#"{"value":1,"map":{},"typed":{"a":{"path":"p","x":1}},"numbers":{}}"#,
            "`opts.typed.a.x`: unknown argument",
        ),
        (free::spec(), r#"{"value":1,"map":{},"typed":{},"numbers":{},"x":1}"#, "`opts.x`: unknown argument"),
        (limited::spec(), r#"{"noet":"x"}"#, "`opts.noet`: unknown argument; did you mean `note`?"),
        (method, r#"{"noet":"x"}"#, "`opts.noet`: unknown argument; did you mean `note`?"),
        (closure(), r#"{"noet":"x"}"#, "`opts.noet`: unknown argument; did you mean `note`?"),
        (
            closure(),
            r#"{"inner":{"path":"p","pth":"x"}}"#,
            "`opts.inner.pth`: unknown argument; did you mean `path`?",
        ),
        // Beside what is coerced.
        (plain::spec(), r#"{"depth":"5","noet":"x"}"#, "`opts.noet`: unknown argument; did you mean `note`?"),
        (plain::spec(), r#""{\"noet\":\"x\"}""#, "`opts.noet`: unknown argument; did you mean `note`?"),
    ] {
        let found = problems(&spec, opts).await.unwrap_or_else(|| panic!("{} ran with {opts}", spec.name()));
        assert!(found.contains(told), "{} {opts}: {found}", spec.name());
    }
}

#[tokio::test]
async fn t11_what_is_known_or_open_is_taken() {
    let method = Box_.tools().remove("method").expect("the method");
    for (spec, opts) in [
        (plain::spec(), r#"{"note":"n","depth":"5","inner":{"path":"p"}}"#),
        (plain::spec(), r#"{"note":null,"inner":null}"#),
        (boxed::spec(), "{}"),
        (maybe::spec(), "null"),
        (maybe::spec(), r#"{"note":"n"}"#),
        (list::spec(), r#"[{},{"note":"n"}]"#),
        (pair::spec(), r#"[1,{"note":"n"}]"#),
        (map::spec(), r#"{"any":{"note":"n"}}"#),
        (tree::spec(), r#"{"name":"a","children":[{"name":"b","children":[]}]}"#),
        (shape::spec(), r#"{"Circle":{"r":1}}"#),
        (shape::spec(), r#"{"Square":{"path":"p"}}"#),
        (shape::spec(), r#""Nothing""#),
        (tagged::spec(), r#"{"kind":"File","path":"u","opts":{"path":"p"}}"#),
        (tagged::spec(), r#"{"kind":"Other","path":"p"}"#),
        (adjacent::spec(), r#"{"t":"One","c":{"x":1}}"#),
        (adjacent::spec(), r#"{"c":{"path":"p"},"t":"Two"}"#),
        (untagged::spec(), "5"),
        (untagged::spec(), r#"{"path":"p"}"#),
        (untagged::spec(), r#"{"note":"p"}"#),
        (flat_map::spec(), r#"{"name":"n","anything":{"goes":[1]}}"#),
        (flat_value::spec(), r#"{"name":"n","anything":{"goes":[1]}}"#),
        (flat_enum::spec(), r#"{"name":"n","kind":"File","path":"u"}"#),
        (
            free::spec(),
            r#"{"value":{"a":{"b":1}},"map":{"x":{"y":1}},"typed":{"a":{"path":"p"}},"numbers":{"7":1}}"#,
        ),
        (color::spec(), r#""red""#),
        (color::spec(), r#"  "green" "#),
        (maybe_color::spec(), "null"),
        (colors::spec(), r#"["green","red"]"#),
        (level::spec(), r#""Low""#),
        (painted::spec(), r#"{"color":"red","levels":["Low","High"]}"#),
        (layers::spec(), r#"{"t":"One","c":{"x":1}}"#),
        (layers::spec(), r#"{"kind":"Web","url":"u"}"#),
        (defaults::spec(), "{}"),
        (time::spec(), r#"{"secs":5,"nanos":0}"#),
        (limited::spec(), r#"{"note":"n"}"#),
        (method, r#"{"note":"n"}"#),
        (closure(), r#"{"note":"n","inner":{"path":"p"}}"#),
    ] {
        assert_eq!(problems(&spec, opts).await, None, "{} {opts}", spec.name());
    }
}

/// What serde reads by position or by another form, and a hook's rule over the field does not see.
#[tokio::test]
async fn t11_a_list_for_an_object_and_an_object_for_a_text_are_refused() {
    let method = Box_.tools().remove("method").expect("the method");
    for (spec, opts, told) in [
        (plain::spec(), r#"["n",5,null]"#, "`opts`: expected an object, found a list of 3"),
        (plain::spec(), r#"{"inner":["p"]}"#, "`opts.inner`: expected an object or null, found a list of 1"),
        (boxed::spec(), r#"["n",5,null]"#, "`opts`: expected an object"),
        (maybe::spec(), r#"["n",5,null]"#, "`opts`: expected an object or null, found a list of 3"),
        (list::spec(), r#"[{},["n",5,null]]"#, "`opts[1]`: expected an object"),
        (pair::spec(), r#"[1,["n",5,null]]"#, "`opts[1]`: expected an object"),
        (map::spec(), r#"{"a":["n",5,null]}"#, "`opts.a`: expected an object"),
        (tree::spec(), r#"["a",[["b",[]]]]"#, "`opts`: expected an object"),
        (tree::spec(), r#"{"name":"a","children":[["b",[]]]}"#, "`opts.children[0]`: expected an object"),
        (shape::spec(), r#"{"Circle":[1]}"#, "`opts.Circle`: expected an object"),
        (shape::spec(), r#"{"Square":["p"]}"#, "`opts.Square`: expected an object"),
        (shape::spec(), r#"{"Nothing":null}"#, "`opts"),
        (tagged::spec(), r#"["Web","u"]"#, "`opts`: expected an object"),
        (tagged::spec(), r#"["Web",{"url":"u"}]"#, "`opts`: expected an object"),
        (adjacent::spec(), r#"["One",{"x":1}]"#, "`opts`: expected an object"),
        (adjacent::spec(), r#"{"t":"One","c":[1]}"#, "`opts.c`: expected an object"),
        (
            untagged::spec(),
            r#"["p"]"#,
            "`opts`: expected an integer or an object with one of the keys `path`, `note`, found a list of 1",
        ),
        (
            layers::spec(),
            r#"{"t":0,"c":{"x":1}}"#,
            "`opts.t`: expected one of \"One\", \"Two\", found the number 0",
        ),
        (defaults::spec(), "[]", "`opts`: expected an object, found a list of 0"),
        (defaults::spec(), "[5]", "`opts`: expected an object"),
        (time::spec(), "[5,0]", "`opts`: expected an object"),
        (color::spec(), r#"{"red":null}"#, "`opts`: expected one of \"red\", \"green\", found an object"),
        (maybe_color::spec(), r#"{"red":null}"#, "found an object"),
        (colors::spec(), r#"["green",{"red":null}]"#, "`opts[1]`: expected one of \"red\", \"green\""),
        (level::spec(), r#"{"Low":null}"#, "`opts`: expected \"Low\" or \"High\", found an object"),
        (painted::spec(), r#"{"color":{"red":null}}"#, "`opts.color`: expected one of"),
        (painted::spec(), r#"{"color":"red","levels":[{"Low":null}]}"#, "`opts.levels[0]`: expected"),
        (limited::spec(), r#"["n",5,null]"#, "`opts`: expected an object"),
        (method, r#"["n",5,null]"#, "`opts`: expected an object"),
        (closure(), r#"["n",5,null]"#, "`opts`: expected an object"),
        (closure(), r#"{"inner":["p"]}"#, "`opts.inner`: expected an object or null"),
    ] {
        let found = problems(&spec, opts).await.unwrap_or_else(|| panic!("{} ran with {opts}", spec.name()));
        assert!(found.contains(told), "{} {opts}: {found}", spec.name());
    }
}

/// Whether each object of fixed fields says that it takes no others.
fn is_closed(schema: &Value) -> bool {
    match schema {
        Value::Object(object) => {
            let is_struct = object.contains_key("properties") && object["type"] == "object";
            (!is_struct || object.get("additionalProperties") == Some(&json!(false)))
                && object.values().all(is_closed)
        }
        Value::Array(items) => items.iter().all(is_closed),
        _ => true,
    }
}

#[test]
fn t3_schemas_are_closed_at_every_depth() {
    for spec in [
        plain::spec(),
        boxed::spec(),
        maybe::spec(),
        list::spec(),
        pair::spec(),
        map::spec(),
        tree::spec(),
        shape::spec(),
        tagged::spec(),
        adjacent::spec(),
        untagged::spec(),
        free::spec(),
        closure(),
    ] {
        assert!(is_closed(spec.input_schema()), "{}: {:#}", spec.name(), spec.input_schema());
    }
    for spec in [flat_map::spec(), flat_value::spec(), flat_enum::spec()] {
        assert_ne!(
            spec.input_schema()["properties"]["opts"]["additionalProperties"],
            false,
            "{}",
            spec.name()
        );
    }
    let free = free::spec().input_schema()["properties"]["opts"]["properties"].clone();
    assert_eq!(free["map"]["additionalProperties"], true);
    assert_eq!(free["typed"]["additionalProperties"]["additionalProperties"], false);
}
