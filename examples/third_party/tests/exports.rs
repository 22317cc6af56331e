//! Forms of tools for providers that core does not know.
#![allow(clippy::unwrap_used, reason = "tests may panic, in their helpers too")]

use onionskin_core::ToolDefinition;
use onionskin_core::export::{ExportError, ExportOptions, ToolForm, request};
use onionskin_third_party::{Cohere, Mistral};
use serde_json::{Value, json};

fn search() -> ToolDefinition {
    let schema = json!({
        "type": "object",
        "properties": {
            "query": { "type": "string", "description": "What to look for.", "minLength": 2 },
            "since": { "type": "string", "format": "date" },
            "limit": { "type": "integer", "minimum": 1, "default": 10 },
            "order": { "type": "string", "enum": ["new", "old"] },
        },
        "required": ["query", "order"],
    });
    ToolDefinition::new("archive.search", "Searches the archive.").with_input_schema(schema)
}

/// The schema of [`search`], with `required` sorted.
fn unchanged() -> Value {
    let mut schema = (*search().input_schema).clone();
    schema["required"] = json!(["order", "query"]);
    schema
}

fn export(form: impl ToolForm, options: &ExportOptions) -> Value {
    let mut exported = request(form, [&search()], options).unwrap();
    assert_eq!(exported.len(), 1);
    let mut exported = exported.remove(0);
    // Its order is that of the properties, which depends on a feature of serde_json.
    if let Some(required) =
        exported.pointer_mut("/function/parameters/required").and_then(Value::as_array_mut)
    {
        required.sort_by_key(ToString::to_string);
    }
    exported
}

#[test]
fn s3_mistral_has_the_schema_as_it_is_and_openai_s_strict_dialect() {
    assert_eq!(
        export(Mistral, &ExportOptions::new()),
        json!({
            "type": "function",
            "function": {
                "name": "archive_search",
                "description": "Searches the archive.",
                "parameters": unchanged(),
            },
        })
    );
    assert_eq!(
        export(Mistral, &ExportOptions::new().strict()),
        json!({
            "type": "function",
            "function": {
                "name": "archive_search",
                "description": "Searches the archive.",
                "parameters": {
                    "type": "object",
                    "properties": {
                        "query": { "type": "string", "description": "What to look for. (minLength: 2)" },
                        "since": { "type": ["string", "null"], "format": "date" },
                        "limit": { "type": ["integer", "null"], "minimum": 1, "description": "(default: 10)" },
                        "order": { "type": "string", "enum": ["new", "old"] },
                    },
                    "required": ["limit", "order", "query", "since"],
                    "additionalProperties": false,
                },
                "strict": true,
            },
        })
    );
}

#[test]
fn s3_cohere_has_its_own_strict_dialect_and_no_mark_on_the_tool() {
    let plain = export(Cohere, &ExportOptions::new().field("x-team", "archive"));
    assert_eq!(plain["function"]["parameters"], unchanged());
    assert_eq!(plain["function"]["x-team"], "archive");
    assert_eq!(
        export(Cohere, &ExportOptions::new().strict()),
        json!({
            "type": "function",
            "function": {
                "name": "archive_search",
                "description": "Searches the archive.",
                "parameters": {
                    "type": "object",
                    "properties": {
                        "query": { "type": "string", "description": "What to look for. (minLength: 2)" },
                        "since": { "type": "string", "format": "date" },
                        "limit": { "type": "integer", "description": "(default: 10, minimum: 1)" },
                        "order": { "type": "string", "enum": ["new", "old"] },
                    },
                    "required": ["order", "query"],
                    "additionalProperties": false,
                },
            },
        })
    );
}

#[test]
fn s3_what_a_form_cannot_express_is_an_error_that_names_its_provider() {
    let with = |properties: Value, required: Value| {
        let schema = json!({ "type": "object", "properties": properties, "required": required });
        ToolDefinition::new("look", "Looks.").with_input_schema(schema)
    };
    let strict = ExportOptions::new().strict();
    let optional = with(json!({ "query": { "type": "string" } }), json!([]));
    let union = with(
        json!({ "at": { "type": "array", "items": { "anyOf": [{ "type": "string" }, { "type": "integer" }] } } }),
        json!(["at"]),
    );
    let map = with(
        json!({ "sizes": { "type": "object", "additionalProperties": { "type": "integer" } } }),
        json!(["sizes"]),
    );
    for (tool, text) in [
        (
            &optional,
            "the tool `look` cannot be exported for Cohere: `$` has no required parameter; make a parameter required, or \
             export without `strict`",
        ),
        (
            &union,
            "the tool `look` cannot be exported for Cohere: `$.at[*]` is a union of types; take one type, or export without \
             `strict`",
        ),
        (
            &map,
            "the tool `look` cannot be exported for Cohere: `$.sizes` is a map with keys of any name; use a list of objects \
             with a key and a value, or export without `strict`",
        ),
    ] {
        assert_eq!(Cohere.export(tool, &strict).unwrap_err().to_string(), text);
        Cohere.export(tool, &ExportOptions::new()).unwrap();
    }
    let error = Mistral.export(&union, &ExportOptions::new().field("strict", 1)).unwrap_err();
    assert!(matches!(error, ExportError::ReservedField { provider, .. } if provider.name() == "Mistral"));
    let error = Mistral.export(&ToolDefinition::new("a b", "Does."), &ExportOptions::new()).unwrap_err();
    assert!(matches!(error, ExportError::ToolName { .. }), "{error}");
}

#[test]
fn s3_a_form_checks_the_tools_of_a_request_together() {
    let properties: serde_json::Map<_, _> =
        (0..101).map(|number| (format!("field_{number}"), json!({ "type": "string" }))).collect();
    let schema = json!({ "type": "object", "properties": properties, "required": ["field_0"] });
    let tools = ["first", "second"]
        .map(|name| ToolDefinition::new(name, "Has many fields.").with_input_schema(schema.clone()));
    let errors = request(Cohere, &tools, &ExportOptions::new().strict()).unwrap_err();
    let texts: Vec<_> = errors.iter().map(ToString::to_string).collect();
    assert_eq!(
        texts,
        [
            "the request for Cohere: 202 fields, but at most 200 are accepted; send fewer tools, or export without `strict`"
        ]
    );
    request(Cohere, &tools, &ExportOptions::new()).unwrap();
    request(Cohere, &tools[..1], &ExportOptions::new().strict()).unwrap();
    // As a value that is chosen at run time.
    let forms: [&dyn ToolForm; 2] = [&Mistral, &Cohere];
    for form in forms {
        let errors = request(form, [&tools[0], &tools[0]], &ExportOptions::new()).unwrap_err();
        let text = format!(
            "the tools `first` and `first` are both called `first` for {}; rename one of them",
            form.provider()
        );
        assert_eq!(errors.iter().map(ToString::to_string).collect::<Vec<_>>(), [text]);
    }
}
