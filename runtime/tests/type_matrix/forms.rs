//! What a type becomes in each form, and what a model makes of it that keeps to that form.

use std::collections::BTreeMap;

use jsonschema::Validator;
use onionskin::ToolDefinition;
use onionskin::export::{self, ExportError, ExportOptions};
use serde_json::{Map, Value, json};

use crate::cases::{Case, Takes, all};
use crate::judge::{run, sorted, validator};
use crate::refusals::{Change, changes};

type Export = fn(&ToolDefinition, &ExportOptions) -> Result<Value, ExportError>;

/// Every form, each with the place of its schema.
const FORMS: [(&str, Export, &str); 8] = [
    ("openai_chat", export::openai_chat, "/function/parameters"),
    ("openai_responses", export::openai_responses, "/parameters"),
    ("to_jsonschema", export::to_jsonschema, "/parameters"),
    ("anthropic", export::anthropic, "/input_schema"),
    ("gemini", export::gemini, "/parameters"),
    ("gemini_json_schema", export::gemini_json_schema, "/parametersJsonSchema"),
    ("mcp", export::mcp, "/inputSchema"),
    ("mcp_tool", mcp_tool, "/inputSchema"),
];

fn mcp_tool(definition: &ToolDefinition, options: &ExportOptions) -> Result<Value, ExportError> {
    onionskin::mcp::export_tool(definition, options).map(|tool| serde_json::to_value(tool).expect("JSON"))
}

const MODES: [&str; 3] = ["plain", "strict", "lossy"];

/// The schema of some forms, which have it in common.
pub(crate) struct Form {
    /// Which forms, in which modes.
    pub(crate) names: Vec<(&'static str, &'static str)>,
    schema: Value,
    validator: Validator,
    own: bool,
}

/// Whether a form takes a type.
fn takes(case: &Case, form: &str, mode: &str) -> bool {
    is_own(form, mode)
        || match case.takes {
            Takes::All => true,
            Takes::OpenAi => !matches!(form, "anthropic" | "gemini"),
            Takes::Lossy | Takes::Closed => mode == "lossy",
            Takes::None => false,
        }
}

/// Whether a form has the tool's own schema.
fn is_own(form: &str, mode: &str) -> bool {
    match form {
        "gemini_json_schema" | "mcp" | "mcp_tool" => true,
        "gemini" => false,
        _ => mode == "plain",
    }
}

/// The schema without what closes a struct with a flattened enum, which providers do not know.
fn without_unevaluated(schema: &Value) -> Value {
    let told = schema.to_string().replace(r#","unevaluatedProperties":false"#, "");
    serde_json::from_str(&told).expect("JSON")
}

/// The schemas of all forms that there must be; the others are refused, with the path.
pub(crate) fn forms(case: &Case, definition: &ToolDefinition) -> Vec<Form> {
    let plain = ExportOptions::new();
    let options = [plain.clone(), plain.clone().strict(), plain.strict().lossy()];
    let mut forms: Vec<Form> = Vec::new();
    for (name, export, at) in FORMS {
        for (mode, options) in MODES.into_iter().zip(&options) {
            let exported = match (takes(case, name, mode), export(definition, options)) {
                (true, Ok(exported)) => exported,
                (false, Err(ExportError::Schema { path, tool, .. })) => {
                    assert!(path.starts_with("$.x") && tool == case.name, "{name} {mode}: {path}");
                    continue;
                }
                (wanted, got) => panic!("{name} {mode} of {}: {got:?}, and it takes it: {wanted}", case.name),
            };
            if let ("mcp" | "mcp_tool", Some(output)) = (name, &definition.output_schema) {
                assert_eq!(exported["outputSchema"], without_unevaluated(output));
            }
            let schema = exported.pointer(at).unwrap_or_else(|| panic!("{name}: {exported}"));
            let schema = if name == "gemini" { plain_of_gemini(schema) } else { schema.clone() };
            if is_own(name, mode) {
                assert_eq!(schema, without_unevaluated(&definition.input_schema), "{name} {mode}");
            }
            match forms.iter_mut().find(|form| form.schema == schema) {
                Some(form) => form.names.push((name, mode)),
                None => forms.push(Form {
                    names: vec![(name, mode)],
                    validator: validator(&schema),
                    own: schema == without_unevaluated(&definition.input_schema),
                    schema,
                }),
            }
        }
    }
    forms
}

impl Form {
    /// Whether it is the tool's own schema.
    pub(crate) fn is_own(&self) -> bool {
        self.own
    }

    /// A value as a model writes it that keeps to the form: it fits, and the tool takes it for the same. Says in how many
    /// ways it broke the form.
    pub(crate) fn through(&self, case: &Case, value: &Value) -> usize {
        let names = &self.names;
        let args = json!({ "x": value });
        let written = if self.own { args.clone() } else { with_nulls(&args, &self.schema, &self.schema) };
        if let Err(error) = self.validator.validate(&written) {
            panic!("{names:?}: {written} against {}: {error}", self.schema);
        }
        let through = said(case, &written);
        assert!(through.is_ok(), "{names:?}: {written}: {through:?}");
        // What is closed on request has fewer values.
        if case.takes != Takes::Closed || self.own {
            assert_eq!(through, said(case, &args), "{names:?}: {written}");
        }
        if self.own { 0 } else { self.broken(case, &args, &written) }
    }

    /// What breaks only the form means what it means to the tool without it.
    fn broken(&self, case: &Case, args: &Value, written: &Value) -> usize {
        let mut count = 0;
        for (place, change) in changes(written) {
            let beside = matches!(change, Change::Unknown | Change::Without(_));
            let mut broken = written.clone();
            change.make(&mut broken, &place);
            if !beside || self.validator.is_valid(&broken) {
                continue;
            }
            count += 1;
            let mut plain = args.clone();
            change.make(&mut plain, &place);
            let (broke, meant) = (said(case, &broken), said(case, &plain));
            if case.takes == Takes::Closed {
                assert_eq!(broke.is_ok(), meant.is_ok(), "{:?}: {broken}", self.names);
            } else {
                assert_eq!(broke, meant, "{:?}: {broken}", self.names);
            }
        }
        count
    }
}

/// What a tool answers; sets have no order.
fn said(case: &Case, args: &Value) -> Result<Value, String> {
    let output = run(case, args).map_err(|exit| exit.to_string())?;
    let text = output.to_text();
    let answer = serde_json::from_str(&text).unwrap_or_else(|_| text.into());
    Ok(sorted(&answer, case))
}

/// Adds `null` for what must be there, and leaves out the `null` that may not be.
fn with_nulls(value: &Value, schema: &Value, root: &Value) -> Value {
    if let Some(pointer) = schema["$ref"].as_str() {
        return with_nulls(value, root.pointer(&pointer[1..]).expect("a definition"), root);
    }
    if let Some(options) = schema["anyOf"].as_array() {
        let fits = |option: &&Value| {
            let mut alone = (*option).clone();
            alone["$defs"] = root["$defs"].as_object().map_or_else(|| json!({}), |defs| json!(defs));
            validator(&alone).is_valid(&with_nulls(value, option, root))
        };
        return options
            .iter()
            .find(fits)
            .map_or_else(|| value.clone(), |option| with_nulls(value, option, root));
    }
    match value {
        Value::Object(fields) if schema["properties"].is_object() => {
            let required = schema["required"].as_array().cloned().unwrap_or_default();
            let mut out = Map::new();
            for (name, field) in fields {
                let property = &schema["properties"][name];
                if property.is_object() && (!field.is_null() || required.contains(&name.as_str().into())) {
                    out.insert(name.clone(), with_nulls(field, property, root));
                }
            }
            for name in required.iter().filter_map(Value::as_str) {
                out.entry(name).or_insert(Value::Null);
            }
            Value::Object(out)
        }
        Value::Array(items) => items.iter().map(|item| with_nulls(item, &schema["items"], root)).collect(),
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

/// What the compiler takes for strict has a strict form, and nothing else has.
pub(crate) fn t5_compiler_and_export_agree(case: &Case, definition: &ToolDefinition) {
    let takes = matches!(case.takes, Takes::All | Takes::OpenAi);
    assert_eq!(case.strict, takes, "{}", case.name);
    assert_eq!(export::strict_schema(definition).is_ok(), takes, "{}", case.name);
    assert_eq!(definition.clone().with_strict(true).is_ok(), takes, "{}", case.name);
}

#[test]
fn s3_every_type_is_held_to_every_form_that_takes_it() {
    let mut counts = BTreeMap::new();
    for case in all() {
        for name in forms(&case, &(case.definition)()).into_iter().flat_map(|form| form.names) {
            *counts.entry(name).or_insert(0) += 1;
        }
    }
    let openai = [145, 124, 132];
    let wanted = [
        ("openai_chat", openai),
        ("openai_responses", openai),
        ("to_jsonschema", openai),
        ("anthropic", [145, 118, 126]),
        ("gemini", [118, 118, 126]),
        ("gemini_json_schema", [145; 3]),
        ("mcp", [145; 3]),
        ("mcp_tool", [145; 3]),
    ];
    let wanted = wanted.into_iter().flat_map(|(form, counts)| {
        MODES.into_iter().zip(counts).map(move |(mode, count)| ((form, mode), count))
    });
    assert_eq!(counts, wanted.collect());
}
