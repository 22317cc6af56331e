//! T3, T11, S3: schemas and values that are made to keep the host busy. Whatever walks over them ends soon.

mod exports;
mod schemas;

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use futures_util::future::BoxFuture;
use onionskin::definition::ToolExample;
use onionskin::{Args, DynTool, ToolContext, ToolDefinition, ToolResult, ToolSpec, guardrail, tool};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use schemas::{any_schema, doubling, endless, nested, wide};

/// Far more than is needed, also without optimisation and beside other builds: what has no end does not end in a minute either.
const SOON: Duration = Duration::from_mins(1);

/// Runs `work` on a thread with an ordinary stack, and fails if it does not end soon.
fn soon<T: Send + 'static>(what: &str, work: impl FnOnce() -> T + Send + 'static) -> T {
    let (done, ended) = channel();
    std::thread::spawn(move || done.send(work()));
    match ended.recv_timeout(SOON) {
        Ok(value) => value,
        Err(RecvTimeoutError::Timeout) => panic!("{what} goes on after {SOON:?}"),
        Err(RecvTimeoutError::Disconnected) => panic!("{what} panicked"),
    }
}

/// A tool of any schema that takes whatever it is given.
struct Described(ToolDefinition);

impl DynTool for Described {
    fn definition(&self) -> &ToolDefinition {
        &self.0
    }

    fn run_dyn<'a>(&'a self, _: &'a ToolContext, args: &'a mut Args) -> BoxFuture<'a, ToolResult> {
        Box::pin(async move { Ok(args.text().to_string().into()) })
    }
}

fn described(schema: &Value) -> ToolDefinition {
    ToolDefinition::new("described", "Does.").with_input_schema(schema.clone())
}

#[guardrail(input)]
fn look(args: &Args) {
    let _ = args["a"].is_null();
}

/// Everything that walks over a tool's schema, with these arguments.
fn walk(schema: &Value, args: &Value) {
    let mut definition = described(schema).with_output_schema(schema.clone());
    definition.examples = [ToolExample::new(args.clone()).output(args.clone())].into();
    let _ = definition.check_examples();
    definition.output_schema = None;
    let mut spec = ToolSpec::from_dyn(Arc::new(Described(definition)));
    spec.add_input_guardrails(look::new());
    let _ = spec.call_blocking(args.clone());
}

#[test]
fn a4_references_that_lead_back_do_not_hang_the_host() {
    let deep = nested(100, json!({}), |inner| json!({ "a": inner }));
    let lists = json!({ "a": nested(100, json!([]), |inner| json!([inner, inner["a"]])) });
    for schema in endless() {
        for args in
            [json!({}), json!({ "a": null }), json!({ "a": 1, "b": "x" }), deep.clone(), lists.clone()]
        {
            let schema = schema.clone();
            soon(&schema.to_string(), move || walk(&schema, &args));
        }
    }
}

#[test]
fn a4_references_that_double_do_not_hang_the_host() {
    let deep = nested(60, json!(1), |inner| json!({ "a": inner, "b": 1 }));
    for key in ["anyOf", "oneOf", "allOf", "properties", "items"] {
        for end in [json!({ "type": "string" }), json!({ "$ref": "#/$defs/A0" })] {
            let (schema, args) = (doubling(key, 40, end), deep.clone());
            soon(&format!("40 levels of `{key}`"), move || walk(&schema, &args));
        }
    }
}

/// As deep as a parser gives it.
#[test]
fn a4_deep_schemas_do_not_overflow_the_stack() {
    let steps: [fn(Value) -> Value; 4] = [
        |inner| json!({ "anyOf": [inner] }),
        |inner| json!({ "type": "object", "properties": { "a": inner } }),
        |inner| json!({ "type": "array", "items": inner }),
        |inner| json!({ "allOf": [inner, { "type": "object" }] }),
    ];
    for step in steps {
        let schema =
            json!({ "type": "object", "properties": { "a": nested(60, json!({ "$ref": "#" }), step) } });
        let args = nested(120, json!(1), |inner| json!({ "a": inner }));
        soon("a deep schema", move || walk(&schema, &args));
    }
    // Each level of the value takes a long way through references.
    let mut definitions = Map::new();
    for at in 0..60 {
        definitions.insert(format!("A{at}"), json!({ "$ref": format!("#/$defs/A{}", at + 1) }));
    }
    definitions
        .insert("A60".into(), json!({ "type": "object", "properties": { "a": { "$ref": "#/$defs/A0" } } }));
    let schema =
        json!({ "type": "object", "properties": { "a": { "$ref": "#/$defs/A0" } }, "$defs": definitions });
    soon("a long way", move || walk(&schema, &nested(120, json!(1), |inner| json!({ "a": inner }))));
}

#[test]
fn a4_wide_schemas_do_not_hang_the_host() {
    let args: Map<_, _> = (0..20_000).map(|at| (format!("property_{at}_"), json!(1))).collect();
    for (at, schema) in wide().into_iter().enumerate() {
        let args = Value::Object(args.clone());
        soon(&format!("the wide schema {at}"), move || {
            walk(&schema, &args);
            walk(&schema, &json!({ "a": { "property_1": 1 } }));
        });
    }
}

/// What a schema has against a result.
fn wrong(schema: Value, result: Value) -> String {
    soon("a check", move || {
        let mut definition = ToolDefinition::new("gives", "Gives.").with_output_schema(schema);
        definition.examples = [ToolExample::new(json!({})).output(result)].into();
        definition.check_examples().map_or_else(|error| error.problem, |()| String::new())
    })
}

#[test]
fn t11_a_check_stops_after_a_few_problems() {
    let names: Vec<_> = (0..5_000).map(|at| format!("name_{at}")).collect();
    let schema = json!({ "type": "object", "properties": { "items": { "items": { "required": names } } } });
    let told = wrong(schema, json!({ "items": vec![json!({}); 100_000] }));
    assert!(
        told.starts_with("`output.items[0].name_0`: missing") && told.len() < 5_000,
        "{} bytes",
        told.len()
    );
}

#[test]
fn t11_no_keyword_makes_a_check_of_many_items_slow() {
    let many = |item: Value| json!({ "items": vec![item; 100_000] });
    let of = |schema: Value| json!({ "type": "object", "properties": { "items": { "items": schema } } });
    let names: Vec<_> = (0..5_000).map(|at| format!("name_{at}")).collect();
    let patterns: Map<_, _> = (0..2_000).map(|at| (format!("^(a|b){{1,{at}}}$"), json!({}))).collect();
    let large: Map<_, _> = (0..5_000).map(|at| (format!("^(a{{1000}}){{200}}{at}$"), json!({}))).collect();
    let too_large: Map<_, _> =
        (0..5_000).map(|at| (format!("^(a{{1000}}){{1000}}{at}$"), json!({}))).collect();
    let too_much = "too large or too deeply nested to be checked";

    let unique: Vec<_> = (0..200_000).collect();
    let schema = json!({ "properties": { "items": { "uniqueItems": true } } });
    assert_eq!(wrong(schema.clone(), json!({ "items": unique })), "");
    let told = wrong(schema, json!({ "items": [[1], { "a": 1 }, [1]] }));
    assert_eq!(told, "`output.items[2]`: occurs twice in a list whose items must differ");

    assert_eq!(wrong(of(json!({ "pattern": "^[a-z]{2,3}(-[A-Z]+)?$" })), many(json!("de-DE"))), "");
    let schema = json!({ "enum": names });
    assert_eq!(wrong(of(schema), many(json!("name_4999"))), "");
    assert_eq!(
        wrong(
            of(json!({ "type": "object", "additionalProperties": false, "properties": { "a": {} } })),
            many(json!({ "a": 1 }))
        ),
        ""
    );

    for (schema, item) in [
        (json!({ "anyOf": [{ "type": "object", "required": names }, {}] }), json!({})),
        (json!({ "allOf": vec![json!({ "required": ["a"] }); 5_000] }), json!({ "a": 1 })),
        (json!({ "anyOf": vec![json!({ "required": ["b"] }); 5_000] }), json!({ "a": 1 })),
        (json!({ "patternProperties": patterns }), json!({ "ababababab!": 1 })),
        (json!({ "patternProperties": large }), json!({ "a": 1 })),
        (json!({ "patternProperties": too_large }), json!({ "a": 1 })),
        (json!({ "pattern": "^(((a{0,60}){0,60}){0,9})$" }), json!("a".repeat(200))),
    ] {
        let told = wrong(of(schema.clone()), many(item));
        let settled = told.is_empty() || told.contains(too_much) || told.contains("expected");
        assert!(settled, "{}: {told}", &schema.to_string()[..80]);
    }
}

/// Takes different numbers.
#[tool]
fn different(ids: HashSet<u64>) -> usize {
    ids.len()
}

#[test]
fn t11_a_set_of_many_numbers_is_taken_in_linear_time() {
    let counted = soon("the call", || {
        different::spec().call_blocking(json!({ "ids": (0..100_000).collect::<Vec<_>>() }))
    });
    assert_eq!(counted.unwrap(), 100_000);
    let error = different::spec().call_blocking(json!({ "ids": [1, 2, 1] })).unwrap_err();
    assert!(error.to_string().contains("`ids[2]`: occurs twice"), "{error}");
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<i8>().prop_map(Value::from),
        "[ab1]{0,3}".prop_map(Value::from),
        Just(json!("{\"a\":{\"a\":1}}")),
        Just(json!("[[[1]]]")),
    ];
    leaf.prop_recursive(8, 40, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[ab]", inner, 0..3).prop_map(|fields| json!(fields)),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a4_no_schema_hangs_the_host(root in any_schema(), a in any_schema(), b in any_schema(), args in any_value()) {
        let mut schema = root.as_object().cloned().unwrap_or_default();
        schema.entry("type").or_insert("object".into());
        schema.insert("$defs".into(), json!({ "A": a, "B": b }));
        let (schema, args) = (Value::Object(schema), json!({ "a": args }));
        soon(&schema.to_string(), move || walk(&schema, &args));
    }
}
