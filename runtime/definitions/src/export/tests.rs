//! Each rule of each dialect, one schema each.
#![allow(clippy::needless_pass_by_value, reason = "schemas are written where they are passed")]

mod numbers;

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::*;
use crate::definition::{Annotations, ToolDefinition, ToolExample};

/// A tool with one required parameter `x` of this schema.
fn one(schema: Value) -> ToolDefinition {
    let root = json!({"type": "object", "properties": {"x": schema}, "required": ["x"]});
    ToolDefinition::new("look", "Looks.").with_input_schema(root)
}

fn optional(schema: Value) -> ToolDefinition {
    let root = json!({"type": "object", "properties": {"x": schema}});
    ToolDefinition::new("look", "Looks.").with_input_schema(root)
}

fn strict() -> ExportOptions {
    ExportOptions::new().strict()
}

type Export = fn(&ToolDefinition, &ExportOptions) -> Result<Value, ExportError>;

fn x(export: Export, key: &str, tool: &ToolDefinition) -> Value {
    export(tool, &strict()).unwrap()[key]["properties"]["x"].clone()
}

/// What `x` becomes for OpenAI, Anthropic and Gemini.
fn each(tool: &ToolDefinition) -> [Value; 3] {
    [
        x(openai_responses, "parameters", tool),
        x(anthropic, "input_schema", tool),
        x(gemini, "parameters", tool),
    ]
}

fn path_of(error: ExportError) -> String {
    match error {
        ExportError::Schema { tool, path, next, .. } => {
            assert_eq!(tool, "look");
            assert!(!next.is_empty());
            path
        }
        other => panic!("{other}"),
    }
}

#[test]
fn s3_the_forms_have_their_keys() {
    let tool = one(json!({"type": "string"}));
    let plain = ExportOptions::new();
    let chat = openai_chat(&tool, &plain).unwrap();
    let parameters = json!({"type": "object", "properties": {"x": {"type": "string"}}, "required": ["x"]});
    let function = json!({"name": "look", "description": "Looks.", "parameters": parameters});
    assert_eq!(chat, json!({"type": "function", "function": function}));
    assert_eq!(openai_chat(&tool, &strict()).unwrap()["function"]["strict"], true);
    assert_eq!(openai_responses(&tool, &plain).unwrap()["strict"], false);
    assert_eq!(anthropic(&tool, &plain).unwrap().get("strict"), None);
    assert_eq!(anthropic(&tool, &strict()).unwrap()["strict"], true);
    assert_eq!(gemini_json_schema(&tool, &plain).unwrap()["parametersJsonSchema"], parameters);
    assert_eq!(mcp(&tool, &plain).unwrap()["inputSchema"], parameters);
}

#[test]
fn s3_strict_says_what_holds() {
    let open = one(json!({"type": "string"}));
    let plain = ExportOptions::new();
    assert_eq!(to_jsonschema(&open, &plain).unwrap()["strict"], false);
    assert_eq!(to_jsonschema(&open, &strict()).unwrap()["strict"], true);
    let closed = json!({
        "type": "object", "properties": {"b": {"type": "string"}, "a": {"type": ["string", "null"]}},
        "required": ["b", "a"], "additionalProperties": false,
    });
    let tool = ToolDefinition::new("look", "Looks.").with_input_schema(closed);
    assert_eq!(to_jsonschema(&tool, &plain).unwrap()["strict"], true);
}

#[test]
fn s3_optional_is_null_for_openai_and_left_out_for_anthropic() {
    let tool = optional(json!({"type": ["integer", "null"], "format": "int64"}));
    let exported = openai_responses(&tool, &strict()).unwrap();
    assert_eq!(exported["parameters"]["required"], json!(["x"]));
    assert_eq!(exported["parameters"]["properties"]["x"], json!({"type": ["integer", "null"]}));
    let exported = anthropic(&tool, &strict()).unwrap();
    assert_eq!(exported["input_schema"]["required"], json!([]));
    assert_eq!(exported["input_schema"]["properties"]["x"], json!({"type": "integer"}));
    let exported = gemini(&tool, &strict()).unwrap();
    let wanted = json!({"type": "INTEGER", "format": "int64", "nullable": true});
    assert_eq!(exported["parameters"]["properties"]["x"], wanted);
}

/// Decoders that hold a model to a schema do not know the keyword, and refuse the request. A field may have
/// its name.
#[test]
fn s3_no_export_has_unevaluated_properties() {
    let schema = json!({
        "type": "object",
        "properties": {"a": {"type": "string"}, "unevaluatedProperties": {"const": false}},
        "oneOf": [{"properties": {"b": {"type": "string"}}, "required": ["b"]}],
        "unevaluatedProperties": false,
    });
    let tool = one(json!({"type": "array", "items": schema}))
        .with_output_schema(one(schema).input_schema.as_ref().clone());
    for export in
        [to_jsonschema as Export, openai_chat, openai_responses, anthropic, gemini, gemini_json_schema, mcp]
    {
        for options in [ExportOptions::new(), ExportOptions::new().lossy(), strict()] {
            let Ok(exported) = export(&tool, &options) else { continue };
            let text = exported.to_string();
            assert!(!text.contains(r#""unevaluatedProperties":false"#), "{text}");
            assert!(text.contains(r#""unevaluatedProperties":{"#), "{text}");
        }
    }
}

#[test]
fn s3_a_nullable_that_is_required_stays_one() {
    let item = json!({"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "null"}]});
    let [openai, anthropic, gemini] = each(&one(item.clone()));
    assert_eq!(openai, item);
    assert_eq!(anthropic, item);
    assert_eq!(gemini, json!({"type": "ARRAY", "items": {"type": "STRING"}, "nullable": true}));
}

#[test]
fn s3_what_a_dialect_lacks_moves_into_the_description() {
    let tool = optional(json!({
        "type": "integer", "minimum": 1, "exclusiveMaximum": 9, "default": 3, "description": "How many.",
        "examples": [2], "title": "X",
    }));
    let [openai, anthropic, gemini] = each(&tool);
    let openai_wanted = json!({
        "type": ["integer", "null"], "minimum": 1, "exclusiveMaximum": 9,
        "description": "How many. (default: 3, example: 2)",
    });
    assert_eq!(openai, openai_wanted);
    assert_eq!(anthropic["type"], "integer");
    let words = anthropic["description"].as_str().unwrap();
    assert!(words.contains("minimum: 1") && words.contains("exclusiveMaximum: 9"), "{words}");
    assert_eq!(gemini["minimum"], 1);
    assert!(gemini["description"].as_str().unwrap().contains("exclusiveMaximum: 9"));
}

#[test]
fn s3_documented_variants_become_one_list() {
    let variants = json!([
        {"type": "string", "const": "C", "description": "Celsius."},
        {"type": "string", "const": "F"},
    ]);
    let [openai, anthropic, gemini] = each(&one(json!({"oneOf": variants})));
    let wanted = json!({"type": "string", "enum": ["C", "F"], "description": "- `C`: Celsius."});
    assert_eq!(openai, wanted);
    assert_eq!(anthropic, wanted);
    assert_eq!(gemini["enum"], json!(["C", "F"]));
}

#[test]
fn s3_tagged_unions_are_unions() {
    let variant = |tag: &str| {
        let properties = json!({"kind": {"type": "string", "const": tag}, "to": {"type": "string"}});
        json!({"type": "object", "properties": properties, "required": ["kind"]})
    };
    let [openai, anthropic, gemini] = each(&one(json!({"oneOf": [variant("a"), variant("b")]})));
    assert_eq!(openai["anyOf"][0]["properties"]["to"], json!({"type": ["string", "null"]}));
    assert_eq!(openai["anyOf"][1]["additionalProperties"], false);
    assert_eq!(anthropic["anyOf"][0]["required"], json!(["kind"]));
    assert_eq!(gemini["anyOf"][0]["properties"]["kind"], json!({"type": "STRING", "enum": ["a"]}));
}

#[test]
fn s3_what_stands_beside_a_union_goes_into_its_branches() {
    let schema = json!({
        "type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"],
        "anyOf": [
            {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},
            {"type": "object", "properties": {"b": {"type": "string"}}, "required": ["b"]},
        ],
    });
    let [openai, ..] = each(&one(schema));
    assert_eq!(openai["anyOf"][1]["required"].as_array().unwrap().len(), 2);
    assert!(openai["anyOf"][1]["properties"]["id"].is_object());
    assert_eq!(openai.get("properties"), None);
}

#[test]
fn s3_references_are_written_out_unless_they_are_recursive() {
    let tree = json!({"type": "object", "properties": {"next": {"$ref": "#/$defs/Tree"}, "name": {"$ref": "#/$defs/Name"}}});
    let root = json!({
        "type": "object", "properties": {"x": {"$ref": "#/$defs/Tree", "description": "The tree."}}, "required": ["x"],
        "$defs": {"Tree": tree, "Name": {"type": "string"}},
    });
    let tool = ToolDefinition::new("look", "Looks.").with_input_schema(root);
    let parameters = &openai_responses(&tool, &strict()).unwrap()["parameters"];
    let reference = json!({"$ref": "#/$defs/Tree"});
    assert_eq!(parameters["properties"]["x"], json!({"anyOf": [reference], "description": "The tree."}));
    assert_eq!(parameters["$defs"]["Tree"]["properties"]["name"], json!({"type": ["string", "null"]}));
    assert_eq!(
        parameters["$defs"]["Tree"]["properties"]["next"],
        json!({"anyOf": [reference, {"type": "null"}]})
    );
    assert_eq!(parameters["$defs"].as_object().unwrap().len(), 1);
    assert_eq!(path_of(anthropic(&tool, &strict()).unwrap_err()), "$.x");
    assert_eq!(path_of(gemini(&tool, &strict()).unwrap_err()), "$.x");
}

#[test]
fn s3_what_has_no_form_is_an_error_with_its_path() {
    let map = json!({"type": "object", "additionalProperties": {"type": "integer"}});
    let deep = json!({"type": "array", "items": {"type": "object", "properties": {"a b": map}, "required": ["a b"]}});
    let pair = json!({"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}]});
    let cases = [
        (map, "$.x"),
        (deep, "$.x[*]['a b']"),
        (json!(true), "$.x"),
        (json!({}), "$.x"),
        (json!({"type": "array"}), "$.x[*]"),
        (pair, "$.x"),
        (json!({"type": "string", "not": {"maxLength": 3}}), "$.x"),
        (json!({"$ref": "https://example.com/schema"}), "$.x"),
        (json!({"$ref": "#/$defs/Missing"}), "$.x"),
        (json!({"type": "text"}), "$.x"),
        (json!({"const": [1]}), "$.x"),
        (json!({"anyOf": []}), "$.x"),
    ];
    for (schema, path) in cases {
        let tool = one(schema.clone());
        assert_eq!(path_of(openai_chat(&tool, &strict()).unwrap_err()), path, "{schema}");
        assert_eq!(path_of(anthropic(&tool, &strict()).unwrap_err()), path, "{schema}");
        if schema != json!({"const": [1]}) {
            path_of(gemini(&tool, &strict()).unwrap_err());
        }
    }
}

#[test]
fn s3_lossy_does_what_it_says_and_no_more() {
    let lossy = strict().lossy();
    let pair =
        json!({"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}], "minItems": 2});
    let exported = openai_responses(&one(pair), &lossy).unwrap();
    let x = &exported["parameters"]["properties"]["x"];
    assert_eq!(x["items"]["anyOf"], json!([{"type": "string"}, {"type": "integer"}]));
    assert_eq!(
        (&x["minItems"], &x["description"]),
        (&json!(2), &json!("(items in this order: string, integer)"))
    );
    let open =
        json!({"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": true});
    openai_chat(&one(open.clone()), &strict()).unwrap_err();
    let exported = openai_responses(&one(open), &lossy).unwrap();
    assert_eq!(exported["parameters"]["properties"]["x"]["additionalProperties"], false);
    let map = json!({"type": "object", "additionalProperties": {"type": "string"}});
    openai_chat(&one(map), &lossy).unwrap_err();
    let root = json!({"type": "object", "properties": {}, "anyOf": [{"required": ["a"]}]});
    let tool = ToolDefinition::new("look", "Looks.").with_input_schema(root);
    for export in [openai_chat as Export, anthropic] {
        assert_eq!(path_of(export(&tool, &ExportOptions::new()).unwrap_err()), "$");
        export(&tool, &lossy).unwrap();
    }
}

#[test]
fn s3_a_list_of_one_type_is_no_tuple() {
    let pair = json!({"type": "array", "prefixItems": [{"type": "number"}, {"type": "number"}], "minItems": 2, "maxItems": 2});
    let [openai, anthropic, _] = each(&one(pair));
    assert_eq!(openai, json!({"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2}));
    assert_eq!(anthropic["description"], "(minItems: 2, maxItems: 2)");
}

#[test]
fn s3_custom_fields_stand_beside_the_name() {
    let tool = one(json!({"type": "string"}));
    let options = ExportOptions::new().field("custom", json!({"a": 1}));
    assert_eq!(openai_chat(&tool, &options).unwrap()["function"]["custom"]["a"], 1);
    let flat: [Export; 6] = [openai_responses, anthropic, gemini, gemini_json_schema, to_jsonschema, mcp];
    for export in flat {
        assert_eq!(export(&tool, &options).unwrap()["custom"]["a"], 1);
    }
    let clash = ExportOptions::new().field("description", "mine");
    for export in flat.into_iter().chain([openai_chat as Export]) {
        let error = export(&tool, &clash).unwrap_err();
        assert!(
            matches!(&error, ExportError::ReservedField { field, .. } if field == "description"),
            "{error}"
        );
    }
    // Reserved even where the form does without it.
    anthropic(&tool, &ExportOptions::new().field("strict", true)).unwrap_err();
}

#[test]
fn s3_mcp_has_all_that_a_definition_has() {
    let tool = one(json!({"type": "string"}));
    let input = Value::clone(&tool.input_schema);
    let output = json!({"type": "object", "properties": {"result": {"type": "integer"}}});
    let mut tool = tool.with_output_schema(output.clone());
    tool.title = Some("A look".into());
    tool.meta = Some(Arc::new(json!({"team": "sight"})));
    tool.annotations = Annotations { read_only: Some(true), open_world: Some(false), ..Annotations::NONE };
    let exported = mcp(&tool, &ExportOptions::new()).unwrap();
    let wanted = json!({
        "name": "look", "title": "A look", "description": "Looks.", "inputSchema": input, "outputSchema": output,
        "annotations": {"readOnlyHint": true, "openWorldHint": false}, "_meta": {"team": "sight"},
    });
    assert_eq!(exported, wanted);
    assert_eq!(mcp_with_meta(&tool, &ExportOptions::new()).unwrap(), wanted);
    // No field is dropped.
    tool.meta = Some(Arc::new(json!([["team", "sight"]])));
    let options = ExportOptions::new().field("example.com/more", 1);
    for refused in [mcp(&tool, &ExportOptions::new()), mcp_with_meta(&tool, &options)] {
        let error = refused.unwrap_err();
        assert!(matches!(&error, ExportError::Schema { path, .. } if path == "_meta"), "{error}");
        let words = "the tool `look` cannot be exported for MCP: `_meta` is not an object; give the tool's `meta` an object";
        assert_eq!(error.to_string(), words);
    }
    // What a tool does not have is not there.
    let bare = mcp(&ToolDefinition::new("look", "Looks."), &ExportOptions::new()).unwrap();
    // The order of keys depends on what other crates turn on.
    let mut keys: Vec<_> = bare.as_object().unwrap().keys().map(String::as_str).collect();
    keys.sort_unstable();
    assert_eq!(keys, ["description", "inputSchema", "name"]);
}

#[test]
fn s3_strict_examples_fit_the_strict_schema() {
    let inner = json!({"type": "object", "properties": {"a": {"type": ["string", "null"]}}});
    let maybe = json!({"type": ["integer", "null"]});
    let root = json!({
        "type": "object", "required": ["must"],
        "properties": {"must": maybe, "maybe": maybe, "inner": {"anyOf": [inner, {"type": "null"}]}},
    });
    let mut tool = ToolDefinition::new("look", "Looks.").with_input_schema(root);
    tool.examples = Arc::new([
        ToolExample::new(json!({"must": null, "maybe": null, "inner": null})),
        ToolExample::new(json!({"must": 1, "inner": {"a": null}})),
        ToolExample::new(json!({"must": 2, "more": true})),
    ]);
    let plain = anthropic(&tool, &ExportOptions::new()).unwrap();
    assert_eq!(plain["input_examples"].as_array().map(Vec::len), Some(3));
    let strictly = anthropic(&tool, &strict()).unwrap();
    assert_eq!(strictly["input_examples"], json!([{"must": null}, {"must": 1, "inner": {}}]));
}

#[test]
fn s3_names_that_become_one_are_reported() {
    let tools = [ToolDefinition::new("a.b", ""), ToolDefinition::new("a_b", "")];
    let errors = request(Form::Gemini, &tools, &ExportOptions::new()).unwrap_err();
    assert!(matches!(&errors[..], [ExportError::SameName { name, .. }] if name == "a_b"));
}

#[test]
fn s3_hostile_schemas_end_in_time() {
    // Each definition refers to the one before it twice: written out, it doubles with every step.
    let mut definitions = Map::from_iter([("d0".to_owned(), json!({"type": "string"}))]);
    for at in 1..64 {
        let reference = json!({"$ref": format!("#/$defs/d{}", at - 1)});
        definitions.insert(format!("d{at}"), json!({"anyOf": [reference, reference]}));
    }
    let bomb = json!({
        "type": "object", "properties": {"x": {"$ref": "#/$defs/d63"}}, "required": ["x"], "$defs": definitions,
    });
    let itself = json!({
        "type": "object", "properties": {"x": {"$ref": "#/$defs/A"}}, "$defs": {"A": {"$ref": "#/$defs/A"}},
    });
    for (schema, path) in [(bomb, "$.x"), (itself, "$.x")] {
        let tool = ToolDefinition::new("look", "Looks.").with_input_schema(schema);
        assert_eq!(path_of(anthropic(&tool, &strict()).unwrap_err()), path);
    }
}

#[test]
fn s1_signatures_and_docstrings_are_rebuilt_from_the_schema() {
    let schema = json!({
        "type": "object",
        "properties": {
            "left": {"type": "integer", "description": "The left one.\nStill.", "examples": [1]},
            "right": {"type": ["integer", "null"], "default": 10},
            "tags": {"type": "array", "items": {"enum": ["a", "b"]}},
        },
        "required": ["left"],
    });
    let tool = ToolDefinition::new("sample_tool", "Adds.\n\nBoth.").with_input_schema(schema).with_output_schema(
        json!({"type": "object", "properties": {"result": {"type": "integer"}}, "description": "The sum."}),
    );
    assert_eq!(signature(&tool), "sample_tool(left, right=10, tags=null)");
    assert_eq!(signature_with(&tool, &example_arguments(&tool)), "sample_tool(left=1, right=10)");
    let wanted = "Adds.\n\nBoth.\n\nArgs:\n    left (integer): The left one.\n        Still.\n    \
                  right (integer or null, optional): (default: 10)\n    \
                  tags (list of (\"a\" or \"b\"), optional):\n\nReturns:\n    integer: The sum.";
    assert_eq!(docstring(&tool), wanted);
    let prompt = to_prompt(&tool);
    let mut lines = prompt.lines();
    assert_eq!(lines.next(), Some("- `sample_tool(left, right=10, tags=null)`"));
    assert!(lines.all(|line| line.is_empty() || line.starts_with("    ")), "{prompt}");
}

/// The parameters of a root for Gemini, or the path and the reason of the error.
fn gemini_root(schema: Value, options: &ExportOptions) -> Result<Value, String> {
    let tool = ToolDefinition::new("look", "Looks.").with_input_schema(schema);
    gemini(&tool, options).map(|exported| exported["parameters"].clone()).map_err(|error| error.to_string())
}

#[test]
fn s3_gemini_keeps_the_parameters_of_every_root_or_refuses_it() {
    let text = json!({"type": "string"});
    let (plain, lossy) = (ExportOptions::new(), ExportOptions::new().lossy());
    let x = json!({"type": "OBJECT", "properties": {"x": {"type": "STRING"}}, "required": ["x"]});
    let with_x = json!({"type": "object", "properties": {"x": text}, "required": ["x"]});
    for root in [
        json!({"type": "object", "$ref": "#/$defs/A", "$defs": {"A": with_x}}),
        json!({"$ref": "#/$defs/A", "$defs": {"A": {"$ref": "#/$defs/B"}, "B": with_x}}),
        json!({"type": "object", "allOf": [{"properties": {"x": text}, "required": ["x"]}]}),
        json!({"type": "object", "allOf": [{"$ref": "#/$defs/A"}], "$defs": {"A": with_x}}),
    ] {
        assert_eq!(gemini_root(root.clone(), &plain).unwrap(), x, "{root}");
        assert_eq!(gemini_root(root.clone(), &lossy).unwrap(), x, "{root}");
    }
    for key in ["oneOf", "anyOf"] {
        let root = json!({"type": "object", key: [with_x, {"properties": {"y": text}, "required": ["y"]}]});
        let error = gemini_root(root.clone(), &plain).unwrap_err();
        assert!(error.contains(&format!("has `{key}` at the root")), "{error}");
        let both = gemini_root(root, &lossy).unwrap();
        assert_eq!(both["properties"], json!({"x": {"type": "STRING"}, "y": {"type": "STRING"}}));
        assert_eq!(both["description"], "(give the arguments of one of these: x; y)");
    }
    for map in [json!({"type": "string"}), json!(true)] {
        let error = gemini_root(json!({"type": "object", "additionalProperties": map}), &plain).unwrap_err();
        assert!(error.contains("takes properties of any name"), "{error}");
    }
    for none in [json!({"type": "object"}), json!({"type": "object", "additionalProperties": false})] {
        assert_eq!(gemini_root(none, &plain).unwrap(), Value::Null);
    }
}

#[test]
fn s3_keywords_beside_a_reference_apply_as_well() {
    let schema = json!({
        "type": "object",
        "properties": {"a": {
            "$ref": "#/$defs/A", "description": "Mine.", "properties": {"z": {"type": "string"}},
        }},
        "$defs": {"A": {"type": "object", "description": "Its.", "properties": {"y": {"type": "string"}}}},
    });
    let tool = ToolDefinition::new("look", "Looks.").with_input_schema(schema);
    let exported = anthropic(&tool, &strict()).unwrap();
    let a = &exported["input_schema"]["properties"]["a"];
    let names: Vec<_> = a["properties"].as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!((names.len(), names.contains(&"y"), names.contains(&"z")), (2, true, true), "{a}");
}
