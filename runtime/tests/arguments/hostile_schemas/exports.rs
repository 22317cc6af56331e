//! S3: the text that is made of a schema is bounded, and so is the work.

use std::sync::Arc;

use onionskin::export::{self, ExportOptions, Form};
use onionskin::{ToolDefinition, ToolSpec, tool};
use proptest::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::hostile_schemas::schemas::{any_schema, doubling, endless, nested, wide};
use crate::hostile_schemas::{Described, described, soon};

/// No export is longer, whatever its schema is.
const MOST_BYTES: usize = 32 << 20;

/// Everything that is written of a tool, each within its time.
fn write(name: &str, schema: &Value) {
    let mut definition = described(schema);
    let bytes = schema.to_string().len();
    let options = ExportOptions::new();
    for options in [options.clone().strict(), options.clone().strict().lossy()] {
        for form in [Form::OpenAiChat, Form::Anthropic, Form::Gemini] {
            let (definition, options) = (definition.clone(), options.clone());
            let export = move || export::request(form, [&definition], &options);
            let exported = soon(&format!("{form:?} of {name}"), export).unwrap_or_default();
            assert!(
                exported.iter().all(|one| one.to_string().len() < MOST_BYTES + bytes),
                "{form:?} of {name}"
            );
        }
    }
    let (one, more) = (definition.clone(), options.clone());
    let _ = soon(&format!("the JSON of {name}"), move || export::to_jsonschema(&one, &more));
    let one = definition.clone();
    let _ = soon(&format!("the MCP tool of {name}"), move || export::mcp(&one, &options));
    definition = definition.with_output_schema(schema.clone());
    for (kind, text) in [
        ("signature", export::signature as fn(&ToolDefinition) -> String),
        ("docstring", export::docstring),
        ("prompt", export::to_prompt),
        ("example", |tool| export::signature_with(tool, &export::example_arguments(tool))),
        ("stub", |tool| ToolSpec::from_dyn(Arc::new(Described(tool.clone()))).code()),
        ("list of parameters", |tool| {
            ToolSpec::from_dyn(Arc::new(Described(tool.clone()))).params().len().to_string()
        }),
    ] {
        let definition = definition.clone();
        let text = soon(&format!("the {kind} of {name}"), move || text(&definition));
        assert!(text.len() < 4 * bytes + (1 << 20), "{} bytes, the {kind} of {name}", text.len());
    }
}

#[test]
fn s3_no_export_of_a_schema_without_an_end_hangs_the_host() {
    for schema in endless() {
        write(&schema.to_string(), &schema);
    }
    for key in ["anyOf", "oneOf", "allOf", "properties", "items"] {
        for end in [json!({ "type": "string" }), json!({ "$ref": "#/$defs/A0" })] {
            write(&format!("40 levels of `{key}`, {end}"), &doubling(key, 40, end.clone()));
        }
    }
}

#[test]
fn s3_no_export_of_a_wide_schema_hangs_the_host() {
    for (at, schema) in wide().iter().enumerate() {
        write(&format!("the wide schema {at}"), schema);
    }
}

/// An object with this as its only parameter, and with definitions.
fn parameter_schema(a: &Value, definitions: &Value) -> Value {
    json!({ "type": "object", "properties": { "a": a }, "required": ["a"], "$defs": definitions, "additionalProperties": false })
}

#[test]
fn s3_nothing_that_is_written_again_and_again_hangs_the_host() {
    let to = |name: &str| json!({ "$ref": format!("#/$defs/{name}") });
    let object = |count: usize| {
        let properties: Map<_, _> =
            (0..count).map(|at| (format!("p{at}"), json!({ "type": "string" }))).collect();
        json!({ "type": "object", "properties": properties, "additionalProperties": false })
    };
    let union = |options: Vec<Value>| json!({ "anyOf": options });
    let words: Vec<_> = (0..5_000).map(|at| format!("word_{at}")).collect();
    let either: Vec<_> = (0..40_000).map(|at| if at % 2 == 0 { json!(at) } else { json!("a") }).collect();
    let kinds: Vec<_> = (0..20_000).map(|at| format!("kind_{at}")).collect();
    // All of them are one name where only letters and digits are written.
    let marks = ["!", "?", "-", "+", ".", "/"];
    let alike: Map<_, _> = (0..6_usize.pow(5))
        .map(|at| {
            let mark = |place: u32| marks[at / 6_usize.pow(place) % 6];
            ((0..5).map(mark).collect::<String>(), json!({ "type": "string" }))
        })
        .collect();
    let chain: Map<_, _> = (0..20_000)
        .map(|at| (at.to_string(), json!({ "items": { "$ref": format!("#/$defs/{}", (at + 1) % 20_000) } })))
        .collect();
    let dense: Map<_, _> = (0..200)
        .map(|at| (at.to_string(), union((0..200).map(|at| to(&at.to_string())).collect())))
        .collect();
    let way = nested(60, json!({ "type": "string" }), |inner| json!({ "$defs": { "d": inner } }));
    let long = json!({ "$ref": format!("#/$defs/A{}", "/$defs/d".repeat(60)) });
    let mut nested_unions = object(2_000);
    for _ in 0..12 {
        nested_unions =
            union(vec![nested_unions.clone(), json!({ "type": "object", "properties": { "b": {} } })]);
        nested_unions["properties"] = object(3_000)["properties"].clone();
        nested_unions["type"] = "object".into();
    }
    let required: Vec<_> = (0..5_000).map(|at| json!({ "required": [format!("p{at}")] })).collect();
    let beside: Vec<_> = (0..2_000)
        .map(|at| json!({ "$ref": "#/$defs/S", "title": at.to_string(), "$defs": object(50) }))
        .collect();
    for (name, schema) in [
        (
            "references to a long enum",
            parameter_schema(&union(vec![to("E"); 10_000]), &json!({ "E": { "enum": words } })),
        ),
        (
            "parameters of a long enum",
            json!({
                "type": "object", "$defs": { "E": { "enum": words } },
                "properties": (0..5_000).map(|at| (at.to_string(), to("E"))).collect::<Map<_, _>>(),
            }),
        ),
        ("numbers and words in turn", parameter_schema(&json!({ "enum": either }), &json!({}))),
        (
            "kinds",
            parameter_schema(
                &json!({ "type": kinds, "properties": object(5_000)["properties"] }),
                &json!({}),
            ),
        ),
        ("names that are written the same", json!({ "type": "object", "properties": alike })),
        ("a long chain", parameter_schema(&to("0"), &Value::Object(chain))),
        ("a dense net", parameter_schema(&to("0"), &Value::Object(dense))),
        ("long ways", parameter_schema(&union(vec![long; 3_000]), &json!({ "A": way }))),
        ("unions in unions", parameter_schema(&nested_unions, &json!({}))),
        (
            "many parts",
            parameter_schema(
                &json!({ "type": "object", "properties": object(5_000)["properties"], "allOf": required }),
                &json!({}),
            ),
        ),
        (
            "a long key behind references",
            parameter_schema(
                &json!({ "prefixItems": vec![to("D"); 20_000] }),
                &json!({ "D": { "type": "string", "default": { "k".repeat(100_000): 1 } } }),
            ),
        ),
        (
            "a long name around many",
            parameter_schema(
                &json!({ "type": "object", "properties": { "n".repeat(500_000): object(10_000) }, "additionalProperties": false }),
                &json!({}),
            ),
        ),
        (
            "much at the bottom",
            parameter_schema(
                &nested(50, object(15_000), |inner| json!({ "type": "array", "items": inner })),
                &json!({}),
            ),
        ),
        (
            "definitions beside references",
            parameter_schema(
                &union(vec![to("M"); 100]),
                &json!({ "S": { "type": "string" }, "M": { "anyOf": beside } }),
            ),
        ),
    ] {
        write(name, &schema);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn s3_no_export_hangs_the_host(root in any_schema(), a in any_schema(), b in any_schema()) {
        let mut schema = root.as_object().cloned().unwrap_or_default();
        schema.entry("type").or_insert("object".into());
        schema.insert("$defs".into(), json!({ "A": a, "B": b }));
        let schema = Value::Object(schema);
        write(&schema.to_string(), &schema);
    }
}

/// Each is one of all, in two forms.
macro_rules! options_of_all {
    ($($name:ident)*) => {
        $(#[derive(Serialize, JsonSchema)]
        #[serde(untagged)]
        #[expect(dead_code, reason = "only its schema is looked at")]
        enum $name {
            One(Box<All>),
            Other(Box<All>),
            End { end: u8 },
        })*

        #[derive(Serialize, JsonSchema)]
        #[serde(untagged)]
        #[expect(dead_code, reason = "only its schema is looked at")]
        enum All {
            $($name($name)),*
        }
    };
}

options_of_all!(A B C D E F G H);

/// Gives one of its options.
#[tool]
fn chosen() -> All {
    All::A(A::End { end: 1 })
}

#[test]
fn s5_a_result_of_options_that_refer_to_each_other_is_described() {
    let output = soon("the definition", || chosen::spec().output_schema().cloned());
    assert_eq!(output.unwrap()["type"], "object");
}

#[test]
fn s3_a_strict_union_of_many_objects_is_exported_in_linear_time() {
    let options: Vec<_> = (0..16_000)
        .map(|at| json!({ "type": "object", "properties": { "a": { "type": "string", "description": at.to_string() } } }))
        .collect();
    let schema = json!({ "type": "object", "properties": { "a": { "anyOf": options } }, "required": ["a"] });
    let exported = soon("the export", move || {
        let (definition, strict) = (described(&schema), ExportOptions::new().strict());
        (
            export::anthropic(&definition, &strict),
            export::gemini(&definition, &strict),
            export::openai_chat(&definition, &strict),
        )
    });
    assert_eq!(
        exported.0.unwrap()["input_schema"]["properties"]["a"]["anyOf"].as_array().unwrap().len(),
        16_000
    );
    assert_eq!(
        exported.1.unwrap()["parameters"]["properties"]["a"]["anyOf"].as_array().unwrap().len(),
        16_000
    );
    assert!(exported.2.unwrap_err().to_string().contains("at most 5000"), "properties");
}
