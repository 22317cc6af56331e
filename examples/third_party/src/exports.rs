//! The forms of two more providers.

use onionskin_core::ToolDefinition;
use onionskin_core::export::{Dialect, ExportError, ExportOptions, Provider, ToolExport, ToolForm};
use serde_json::{Map, Value, json};

/// Mistral's form, which is that of OpenAI's Chat Completions API; a missing `strict` means `false`
/// (<https://mistralai.github.io/mistral-common/code_reference/mistral_common/protocol/instruct/tool_calls/>).
#[derive(Debug, Clone, Copy)]
pub struct Mistral;

impl ToolForm for Mistral {
    fn provider(&self) -> Provider {
        Provider::new("Mistral")
    }

    fn export(&self, tool: &ToolDefinition, options: &ExportOptions) -> Result<Value, ExportError> {
        let export = ToolExport::new(self.provider(), tool, options);
        let mut function = function(&export, &Dialect::OPENAI)?;
        if export.is_strict() {
            function.insert("strict".to_owned(), true.into());
        }
        export.add_fields(&mut function, &["name", "description", "parameters", "strict"])?;
        Ok(json!({ "type": "function", "function": function }))
    }
}

/// Cohere's form for version 2 of its API. Strict tools are an option of the request, `strict_tools`, for all tools of it, and
/// not of a tool: export with [`ExportOptions::strict`] for such a request
/// (<https://docs.cohere.com/v2/docs/tool-use-parameter-types>, <https://docs.cohere.com/docs/structured-outputs>).
#[derive(Debug, Clone, Copy)]
pub struct Cohere;

/// The most fields of all strict tools of a request.
const MOST_FIELDS: usize = 200;

/// What Cohere enforces: listed values, patterns and a few formats, and no limits of numbers, lists or lengths.
const STRICT: Dialect = Dialect::new().keeping(|kind, keyword, value| match keyword {
    "pattern" => kind == "string",
    "format" => matches!(value.as_str(), Some("date-time" | "uuid" | "date" | "time")),
    _ => false,
});

impl ToolForm for Cohere {
    fn provider(&self) -> Provider {
        Provider::new("Cohere")
    }

    fn export(&self, tool: &ToolDefinition, options: &ExportOptions) -> Result<Value, ExportError> {
        let export = ToolExport::new(self.provider(), tool, options);
        let mut function = function(&export, &STRICT)?;
        if export.is_strict() {
            let parameters = &function["parameters"];
            if parameters["required"].as_array().is_none_or(Vec::is_empty) {
                let next = "make a parameter required, or export without `strict`";
                return Err(export.refuse("$", "has no required parameter", next));
            }
            if let Some(path) = union(parameters, "$") {
                let next = "take one type, or export without `strict`";
                return Err(export.refuse(&path, "is a union of types", next));
            }
        }
        export.add_fields(&mut function, &["name", "description", "parameters"])?;
        Ok(json!({ "type": "function", "function": function }))
    }

    fn check_request(&self, tools: &[(&ToolDefinition, Value)], options: &ExportOptions) -> Vec<ExportError> {
        let strict = tools.iter().filter(|(tool, _)| options.is_strict(tool));
        let fields = strict.map(|(_, form)| fields(&form["function"]["parameters"])).sum();
        if fields <= MOST_FIELDS {
            return Vec::new();
        }
        let next = "send fewer tools, or export without `strict`";
        vec![ExportError::request_exceeds(self.provider(), "fields", fields, MOST_FIELDS, next)]
    }
}

/// The part that both forms have.
fn function(export: &ToolExport<'_>, dialect: &Dialect) -> Result<Map<String, Value>, ExportError> {
    let parameters = if export.is_strict() { export.strict_schema(dialect)? } else { export.schema()? };
    let mut function = Map::new();
    function.insert("name".to_owned(), json!(export.name()?));
    function.insert("description".to_owned(), export.description().into());
    function.insert("parameters".to_owned(), parameters);
    Ok(function)
}

/// The path of the first union in a schema.
fn union(schema: &Value, path: &str) -> Option<String> {
    if schema.get("anyOf").is_some() {
        return Some(path.to_owned());
    }
    let mut properties = schema["properties"].as_object().into_iter().flatten();
    let in_property = properties.find_map(|(name, schema)| union(schema, &format!("{path}.{name}")));
    in_property.or_else(|| union(schema.get("items")?, &format!("{path}[*]")))
}

/// The number of properties in a schema.
fn fields(schema: &Value) -> usize {
    let properties = schema["properties"].as_object().into_iter().flatten();
    let in_properties: usize = properties.map(|(_, schema)| 1 + fields(schema)).sum();
    in_properties + schema.get("items").map_or(0, fields)
}
