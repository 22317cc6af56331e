//! What must hold for every type.

use jsonschema::Validator;
use onionskin::export::{self, ExportError, ExportOptions};
use onionskin::{Args, ToolContext, ToolDefinition, ToolResult};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Map, Value, json};

use crate::cases::{Case, Takes, all};

/// Schema, values, exports and refusals of one type.
pub(crate) fn judge(name: &str) {
    let case = all().into_iter().find(|case| case.name == name).expect("a case");
    let definition = (case.definition)();
    let input = validator(&definition.input_schema);
    // `()` gives nothing.
    let output = definition.output_schema.as_deref().map(validator);
    assert_eq!(output.is_none(), name.ends_with("unit"), "{name}");
    let exports = exports(&case, &definition);
    let mut runner = TestRunner::new(Config {
        cases: 12,
        failure_persistence: None,
        max_shrink_iters: 64,
        ..Config::default()
    });
    let values = ((case.values)(), any::<prop::sample::Index>(), any::<prop::sample::Index>());
    let result = runner.run(&values, |(value, place, wrong)| {
        round_trip(&case, &definition, &value, &input, output.as_ref());
        for (dialect, schema) in &exports {
            through(&case, dialect, schema, &value);
        }
        refusal(&case, &value, &place, &wrong, &input);
        Ok(())
    });
    if let Err(error) = result {
        panic!("{name}: {error}");
    }
}

fn validator(schema: &Value) -> Validator {
    jsonschema::meta::validate(schema).unwrap_or_else(|error| panic!("{schema}: {error}"));
    jsonschema::draft202012::new(schema).unwrap_or_else(|error| panic!("{schema}: {error}"))
}

fn run(case: &Case, args: &Value) -> ToolResult {
    let context = ToolContext::detached(case.name);
    let mut args = Args::from(args.to_string());
    futures_util::FutureExt::now_or_never((case.run)(&context, &mut args)).expect("nothing to wait for")
}

fn round_trip(
    case: &Case,
    definition: &ToolDefinition,
    value: &Value,
    input: &Validator,
    output: Option<&Validator>,
) {
    let args = json!({ "x": value });
    if let Err(error) = input.validate(&args) {
        panic!("{args} against {}: {error}", definition.input_schema);
    }
    let result = run(case, &args).unwrap_or_else(|exit| panic!("{args}: {exit}"));
    let Some(output) = output else { return };
    let structured = result.structured_content().expect("a structured result");
    if let Err(error) = output.validate(&structured) {
        panic!("{structured} against {:?}: {error}", definition.output_schema);
    }
    // A `Result` gives back what is in it.
    let wanted = if case.name == "result" { &value["Ok"] } else { value };
    let back = if wanted.is_object() { &*structured } else { &structured["result"] };
    assert_eq!(sorted(back, case), sorted(wanted, case));
}

/// A set has no order.
fn sorted(value: &Value, case: &Case) -> Value {
    match value {
        Value::Array(items) if case.name.contains("set") => {
            let mut items = items.clone();
            items.sort_by_key(ToString::to_string);
            Value::Array(items)
        }
        other => other.clone(),
    }
}

type Export = fn(&ToolDefinition, &ExportOptions) -> Result<Value, ExportError>;

/// The schemas in the dialects, those that there must be, and no others.
fn exports(case: &Case, definition: &ToolDefinition) -> Vec<(&'static str, Value)> {
    let plain = ExportOptions::new();
    for export in [export::openai_chat as Export, export::openai_responses, export::anthropic, export::mcp] {
        export(definition, &plain).unwrap_or_else(|error| panic!("{error}"));
    }
    assert!(export::to_prompt(definition).starts_with(&format!("- `{}(x", case.name)));
    let dialects: [(&'static str, Export, &str); 3] = [
        ("openai", export::openai_responses, "parameters"),
        ("anthropic", export::anthropic, "input_schema"),
        ("gemini", export::gemini, "parameters"),
    ];
    t5_compiler_and_export_agree(case, definition);
    let mut schemas = Vec::new();
    for (dialect, export, key) in dialects {
        let strict = export(definition, &plain.clone().strict());
        let lossy = export(definition, &plain.clone().strict().lossy());
        let wanted = match case.takes {
            Takes::All => strict,
            Takes::OpenAi if dialect == "openai" => strict,
            Takes::Lossy => {
                refused(strict);
                lossy
            }
            Takes::OpenAi | Takes::None => {
                refused(strict);
                // What is closed on request has no values of this type any more.
                continue;
            }
        };
        let form = wanted.unwrap_or_else(|error| panic!("{dialect}: {error}"));
        let schema = if dialect == "gemini" { plain_of_gemini(&form[key]) } else { form[key].clone() };
        schemas.push((dialect, schema));
    }
    schemas
}

/// What the compiler takes for strict has a strict form, and nothing else has.
fn t5_compiler_and_export_agree(case: &Case, definition: &ToolDefinition) {
    let takes = matches!(case.takes, Takes::All | Takes::OpenAi);
    // Types of other crates are known with their features.
    let foreign = ["id", "link", "date", "instant", "option_uuid", "vec_dates"].contains(&case.name);
    let known = cfg!(all(feature = "chrono04", feature = "uuid1", feature = "url2"));
    assert_eq!(case.strict, takes && (known || !foreign), "{}", case.name);
    assert_eq!(export::strict_schema(definition).is_ok(), takes, "{}", case.name);
    assert_eq!(definition.clone().with_strict(true).is_ok(), takes, "{}", case.name);
}

fn refused(result: Result<Value, ExportError>) {
    match result {
        Err(ExportError::Schema { path, .. }) => assert!(path.starts_with("$.x"), "{path}"),
        other => panic!("{other:?}"),
    }
}

/// A value as a model writes it that keeps to a dialect's schema: it fits, and the tool takes it for the same.
fn through(case: &Case, dialect: &str, schema: &Value, value: &Value) {
    let written = written(&json!({ "x": value }), schema, schema);
    if let Err(error) = validator(schema).validate(&written) {
        panic!("{dialect}: {written} against {schema}: {error}");
    }
    let direct = run(case, &json!({ "x": value })).map(|output| output.to_text().into_owned());
    let through = run(case, &written).map(|output| output.to_text().into_owned());
    let through = through.unwrap_or_else(|exit| panic!("{dialect}: {written}: {exit}"));
    if !case.name.contains("set") {
        assert_eq!(through, direct.expect("it was taken before"), "{dialect}: {written}");
    }
}

/// Adds `null` for what must be there, and leaves out the `null` that may not be.
fn written(value: &Value, schema: &Value, root: &Value) -> Value {
    if let Some(pointer) = schema["$ref"].as_str() {
        return written(value, root.pointer(&pointer[1..]).expect("a definition"), root);
    }
    if let Some(options) = schema["anyOf"].as_array() {
        let fits = |option: &&Value| {
            let mut alone = (*option).clone();
            alone["$defs"] = root["$defs"].as_object().map_or_else(|| json!({}), |defs| json!(defs));
            validator(&alone).is_valid(&written(value, option, root))
        };
        return options
            .iter()
            .find(fits)
            .map_or_else(|| value.clone(), |option| written(value, option, root));
    }
    match value {
        Value::Object(fields) if schema["properties"].is_object() => {
            let required = schema["required"].as_array().cloned().unwrap_or_default();
            let mut out = Map::new();
            for (name, field) in fields {
                let property = &schema["properties"][name];
                if property.is_object() && (!field.is_null() || required.contains(&name.as_str().into())) {
                    out.insert(name.clone(), written(field, property, root));
                }
            }
            for name in required.iter().filter_map(Value::as_str) {
                out.entry(name).or_insert(Value::Null);
            }
            Value::Object(out)
        }
        Value::Array(items) => items.iter().map(|item| written(item, &schema["items"], root)).collect(),
        other => other.clone(),
    }
}

/// Gemini's subset in the words of JSON Schema.
fn plain_of_gemini(schema: &Value) -> Value {
    let mut plain = schema.as_object().cloned().unwrap_or_default();
    let nullable = plain.remove("nullable").is_some();
    if let Some(Value::String(kind)) = plain.get_mut("type") {
        kind.make_ascii_lowercase();
    }
    for key in ["items", "properties", "anyOf"] {
        match plain.get_mut(key) {
            Some(Value::Array(options)) => {
                for option in options {
                    *option = plain_of_gemini(option);
                }
            }
            Some(Value::Object(named)) if key == "properties" => {
                for property in named.values_mut() {
                    *property = plain_of_gemini(property);
                }
            }
            Some(item) => *item = plain_of_gemini(item),
            None => {}
        }
    }
    if nullable { json!({ "anyOf": [plain, { "type": "null" }] }) } else { Value::Object(plain) }
}

/// A value with something in it that no coercion makes right: where the schema refuses it, the tool does, and it
/// names the argument.
fn refusal(
    case: &Case,
    value: &Value,
    place: &prop::sample::Index,
    wrong: &prop::sample::Index,
    input: &Validator,
) {
    let wrongs = [
        json!({ "zz": 1 }),
        json!(["no", { "way": 1 }]),
        json!(true),
        json!("\u{1}"),
        json!(0.5),
        Value::Null,
    ];
    let mut args = json!({ "x": value });
    let mut places = Vec::new();
    pointers(&args["x"], "/x", &mut places);
    let at = place.get(&places);
    *args.pointer_mut(at).expect("a place") = wrong.get(&wrongs).clone();
    // A field that may be left out reads `null` so, though its schema has no `null`.
    if wrong.get(&wrongs).is_null() || input.is_valid(&args) {
        return;
    }
    match run(case, &args) {
        Ok(output) => panic!("{args} breaks the schema and was taken: {output:?}"),
        Err(exit) => assert!(exit.to_string().contains("\n- `x"), "{args}: {exit}"),
    }
}

/// Every place in a value, itself first.
fn pointers(value: &Value, at: &str, into: &mut Vec<String>) {
    into.push(at.to_owned());
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                let name = name.replace('~', "~0").replace('/', "~1");
                pointers(field, &format!("{at}/{name}"), into);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                pointers(item, &format!("{at}/{index}"), into);
            }
        }
        _ => {}
    }
}

#[test]
fn t3_the_matrix_is_as_large_as_it_says() {
    assert!(all().len() >= 120, "{}", all().len());
}
