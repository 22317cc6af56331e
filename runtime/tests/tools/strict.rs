//! T5: what the compiler takes for strict has a strict form.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::marker::PhantomData;

use onionskin::export::{self, ExportError, ExportOptions};
use onionskin::{Strict, Tool, ToolDefinition, ToolSpec, tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// One tool for each type, and the tools' definitions.
macro_rules! types {
    ($($name:ident: $ty:ty;)*) => {
        $(
            #[tool(strict, description = "Takes it.")]
            fn $name(x: $ty) {
                let _ = x;
            }
        )*

        fn all() -> Vec<ToolDefinition> {
            vec![$($name::default().definition().clone()),*]
        }
    };
}

#[derive(Deserialize, JsonSchema, Strict)]
struct Point {
    x: i64,
    y: i64,
}

#[derive(Deserialize, JsonSchema, Strict)]
struct Named {
    name: Option<String>,
}

/// Of any item.
#[derive(Deserialize, JsonSchema, Strict)]
struct Page<T> {
    items: Vec<T>,
    next: Option<Box<Page<T>>>,
}

#[derive(Deserialize, JsonSchema, Strict)]
struct Grown<T> {
    value: T,
    children: Vec<Self>,
}

#[derive(Deserialize, JsonSchema, Strict)]
enum Formula {
    Number(f64),
    Sum(Vec<Formula>),
    Product { left: Box<Formula>, right: Box<Formula> },
    Pair(Box<Formula>, Box<Formula>),
}

#[derive(Deserialize, JsonSchema, Strict)]
struct Husband {
    wife: Option<Box<Wife>>,
}

#[derive(Deserialize, JsonSchema, Strict)]
struct Wife {
    husbands: Vec<Husband>,
}

trait Unit {
    type Amount;
}

enum Metre {}

impl Unit for Metre {
    type Amount = f32;
}

#[derive(Deserialize, JsonSchema, Strict)]
#[serde(bound = "U::Amount: Deserialize<'de>")]
#[schemars(bound = "U::Amount: JsonSchema", rename = "Measured")]
struct Measured<U: Unit> {
    amount: U::Amount,
    #[serde(skip)]
    unit: PhantomData<U>,
}

#[derive(Deserialize, JsonSchema, Strict)]
struct Marked<T> {
    value: u8,
    mark: PhantomData<T>,
}

#[derive(Deserialize, JsonSchema, Strict)]
struct Borrowing<'a> {
    name: &'a str,
    #[serde(borrow)]
    words: Vec<Cow<'a, str>>,
}

#[derive(Deserialize, JsonSchema, Strict)]
struct Flattened {
    #[serde(flatten)]
    point: Point,
    #[serde(flatten)]
    named: Box<Named>,
    #[serde(flatten)]
    kind: Internal,
}

#[derive(Deserialize, JsonSchema, Strict)]
struct MaybeFlattened<T> {
    id: u8,
    #[serde(flatten)]
    rest: T,
}

/// Told apart by a tag beside the fields.
#[derive(Deserialize, JsonSchema, Strict)]
#[serde(tag = "kind", rename_all = "camelCase")]
enum Internal {
    /// A point.
    Dot(Point),
    Boxed(Box<Named>),
    Nested(Adjacent),
    Braced {},
    WithMore {
        #[serde(flatten)]
        point: Point,
        #[serde(default)]
        count: u8,
    },
    Nothing,
    #[serde(skip)]
    Hidden(HashMap<String, Value>),
}

#[derive(Deserialize, JsonSchema, Strict)]
#[serde(tag = "t", content = "c")]
enum Adjacent {
    Number(i64),
    Two(u8, u8),
    Words { words: Vec<String> },
    Nothing,
}

#[derive(Deserialize, JsonSchema, Strict)]
enum External {
    One(Point),
    Other { name: String },
}

#[derive(Deserialize, JsonSchema, Strict)]
#[serde(untagged)]
enum Untagged {
    Nothing,
    Number(i64),
    Text(String),
    Point(Point),
    Named { name: String },
}

#[derive(Deserialize, JsonSchema, Strict)]
#[serde(rename_all = "snake_case")]
enum Mixed {
    /// The first.
    First,
    Second,
    #[serde(untagged)]
    Any(String),
}

#[derive(Deserialize, JsonSchema, Strict)]
#[serde(deny_unknown_fields)]
struct Closed {}

#[derive(Deserialize, JsonSchema, Strict)]
struct Nothing;

#[derive(Deserialize, JsonSchema, Strict)]
struct Twice(Point, Point);

#[derive(Deserialize, JsonSchema, Strict)]
struct Wrapped(/** A point. */ Option<Point>);

#[derive(Deserialize, JsonSchema, Strict)]
#[serde(transparent)]
struct Transparent {
    inner: BTreeSet<u8>,
    #[serde(skip)]
    mark: PhantomData<Value>,
}

#[derive(Deserialize, JsonSchema, Strict)]
#[serde(tag = "type")]
struct Tagged {
    r#type: u8,
}

#[derive(Deserialize, JsonSchema, Strict)]
#[serde(from = "String")]
struct FromText {
    parts: HashMap<String, Value>,
}

impl From<String> for FromText {
    fn from(text: String) -> Self {
        Self { parts: HashMap::from([(text, Value::Null)]) }
    }
}

/// Its schema differs from its serde attributes.
#[derive(Deserialize, JsonSchema, Strict)]
#[serde(from = "HashMap<String, u8>")]
#[schemars(!from)]
struct Removed {
    few: u8,
}

impl From<HashMap<String, u8>> for Removed {
    fn from(map: HashMap<String, u8>) -> Self {
        Self { few: map.into_values().sum() }
    }
}

#[derive(Deserialize, JsonSchema, Strict)]
struct Described {
    #[schemars(with = "Vec<Point>")]
    anything: Value,
    /// Not more than nine.
    #[schemars(range(max = 9), extend("x-order" = 1, "deprecated" = {"since": [1, 2]}))]
    few: u8,
    #[serde(skip)]
    hidden: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    left_out: Option<u8>,
    #[deprecated]
    old: bool,
    #[cfg(any())]
    never: HashMap<String, Value>,
}

#[derive(Deserialize, JsonSchema, Strict)]
struct Node {
    #[serde(flatten)]
    base: Base,
    #[serde(flatten)]
    one: Internal,
}

/// Its fields are called as keywords of schemas are.
#[derive(Deserialize, JsonSchema, Strict)]
struct Keywords {
    default: Option<Box<Keywords>>,
    examples: Vec<Keywords>,
    r#const: Option<Box<Keywords>>,
    r#enum: u8,
    properties: Option<Box<Keywords>>,
    required: Option<Vec<u8>>,
}

#[derive(Deserialize, JsonSchema, Strict)]
struct DefaultOnly {
    default: Option<Box<DefaultOnly>>,
}

#[derive(Deserialize, JsonSchema, Strict)]
struct Base {
    children: Vec<Node>,
}

#[derive(Deserialize, JsonSchema, Strict)]
#[serde(tag = "form")]
enum Outer {
    Node(Node),
    More {
        id: u8,
        #[serde(flatten)]
        kind: Adjacent,
    },
}

/// Its schema is written by hand.
#[derive(Deserialize)]
struct ByHand(String);

impl JsonSchema for ByHand {
    fn schema_name() -> Cow<'static, str> {
        "ByHand".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "pattern": "^[a-z]+$" })
    }
}

impl Strict for ByHand {}

types! {
    of_node: Node;
    of_outer: Outer;
    of_keywords: Keywords;
    of_default_only: DefaultOnly;
    of_page: Page<Point>;
    of_page_of_pages: Page<Page<Option<Point>>>;
    of_grown: Grown<Named>;
    of_formula: Formula;
    of_husband: Husband;
    of_measured: Measured<Metre>;
    of_marked: Marked<HashMap<u8, u8>>;
    of_borrowing: Borrowing<'_>;
    of_flattened: Flattened;
    of_maybe_flattened: MaybeFlattened<Point>;
    of_flattened_enum: MaybeFlattened<Internal>;
    of_flattened_adjacent: MaybeFlattened<Adjacent>;
    of_flattened_external: MaybeFlattened<External>;
    of_internal: Internal;
    of_adjacent: Adjacent;
    of_external: Vec<External>;
    of_untagged: Option<Untagged>;
    of_mixed: Mixed;
    of_closed: Closed;
    of_nothing: Nothing;
    of_twice: Twice;
    of_wrapped: Wrapped;
    of_transparent: Transparent;
    of_tagged: Tagged;
    of_from_text: FromText;
    of_taken_away: Removed;
    of_described: Described;
    of_by_hand: &ByHand;
    of_slice: &[Point];
    of_text: &str;
    of_maybe_text: Option<&str>;
    of_cow: Cow<'_, str>;
    of_result: Result<Point, String>;
    of_number: serde_json::Number;
    of_tuple: (u8, u8, u8);
}

#[test]
fn t5_what_the_compiler_takes_has_a_strict_form() {
    for tool in all() {
        assert!(tool.is_strict(), "{}", tool.name);
        let form = export::openai_chat(&tool, &ExportOptions::new());
        let form = form.unwrap_or_else(|error| panic!("{error}\n{:#}", tool.input_schema));
        assert_eq!(form["function"]["strict"], true);
        assert_eq!(export::to_jsonschema(&tool, &ExportOptions::new()).unwrap()["strict"], true);
        let plain = export::openai_responses(&tool, &ExportOptions::new().without_strict()).unwrap();
        // Of a struct with a flattened enum, providers do not know what closes it.
        let schema = tool.input_schema.to_string().replace(r#","unevaluatedProperties":false"#, "");
        let schema: Value = serde_json::from_str(&schema).unwrap();
        assert_eq!((&plain["strict"], &plain["parameters"]), (&json!(false), &schema));
    }
}

struct Anything;

/// Books a table.
#[tool(strict)]
fn book(
    name: &str,
    #[arg(range(1..=12), default = 2)] guests: u8,
    #[arg(length(..=80))] wish: Option<String>,
    #[arg(skip, default = Anything)] _skipped: Anything,
    #[bind("desk")] desk: Option<Value>,
    cx: &onionskin::ToolContext,
) -> String {
    format!("{name} {guests} {wish:?} {desk:?} {}", cx.tool_name())
}

/// The same, and the option is off.
#[tool(strict = false)]
fn tally(counts: HashMap<String, u8>) -> usize {
    counts.len()
}

#[test]
fn t5_only_what_the_model_fills_is_held_to_it() {
    let definition = book::default().definition().clone();
    let parameters = json!({
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "guests": {"type": ["integer", "null"], "minimum": 1, "maximum": 12, "description": "(default: 2)"},
            "wish": {"type": ["string", "null"], "description": "(maxLength: 80)"},
        },
        "required": ["name", "guests", "wish"],
        "additionalProperties": false,
    });
    let form = export::openai_responses(&definition, &ExportOptions::new()).unwrap();
    let mut required: Vec<_> = form["parameters"]["required"].as_array().unwrap().clone();
    required.sort_by_key(|name| ["name", "guests", "wish"].iter().position(|known| name == known));
    assert_eq!(form["parameters"]["properties"], parameters["properties"]);
    assert_eq!((Value::from(required), &form["strict"]), (parameters["required"].clone(), &json!(true)));
    assert_eq!(export::anthropic(&definition, &ExportOptions::new()).unwrap()["strict"], true);
    assert!(!tally::default().definition().is_strict());
    export::openai_chat(tally::default().definition(), &ExportOptions::new()).unwrap();
}

#[derive(Deserialize, JsonSchema)]
struct Words {
    words: Vec<String>,
}

#[derive(Deserialize, Serialize, JsonSchema)]
struct Counts {
    counts: HashMap<String, u8>,
}

#[test]
fn t5_what_is_known_at_run_time_is_held_to_it_then() {
    let mut spec =
        ToolSpec::from_fn("count", "Counts.", |args: Words, _| async move { Ok(args.words.len()) });
    assert!(!spec.definition().is_strict());
    spec.set_strict(true).unwrap();
    assert_eq!(export::openai_responses(spec.definition(), &ExportOptions::new()).unwrap()["strict"], true);
    assert!(spec.clone().definition().is_strict());
    spec.set_strict(false).unwrap();
    assert!(!spec.definition().is_strict());

    let mut spec = ToolSpec::from_fn("tally", "Adds up.", |args: Counts, _| async move { Ok(args) });
    let error = spec.set_strict(true).unwrap_err();
    assert!(
        matches!(&error, ExportError::Schema { tool, path, .. } if tool == "tally" && path == "$.counts")
    );
    assert!(!spec.definition().is_strict(), "it is left as it was");
}

#[test]
fn t5_a_request_counts_what_is_strict() {
    let options = ExportOptions::new();
    let strict: Vec<_> = (0..21)
        .map(|at| {
            let schema = json!({"type": "object", "properties": {}, "additionalProperties": false});
            let tool = ToolDefinition::new(format!("look_{at}"), "Looks.").with_input_schema(schema);
            tool.with_strict(true).unwrap()
        })
        .collect();
    let errors = export::request(export::Form::Anthropic, &strict, &options).unwrap_err();
    assert!(matches!(&errors[..], [ExportError::Limit { found: 21, most: 20, .. }]), "{errors:?}");
    let mixed = strict[..20].iter().chain([tally::default().definition()]).cloned().collect::<Vec<_>>();
    export::request(export::Form::Anthropic, &mixed, &options).unwrap();
    export::request(export::Form::Anthropic, &strict, &options.without_strict()).unwrap();
}
