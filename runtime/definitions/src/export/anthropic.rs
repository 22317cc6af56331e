//! Anthropic. The rules for strict tools:
//! <https://docs.claude.com/en/docs/build-with-claude/structured-outputs>.

use serde_json::{Value, json};

use super::dialect::Dialect;
use super::error::{ExportError, Provider, Site};
use super::keywords::object;
use super::options::ExportOptions;
use super::strict_rewrite::strict;
use super::tool_export::ToolExport;
use crate::definition::ToolDefinition;
use crate::json::Literals;
use crate::schema::{check, coerce};

const FORMATS: &[&str] =
    &["date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"];

impl Dialect {
    /// Anthropic's dialect: optional properties are not in `required`, and types are not recursive.
    pub const ANTHROPIC: Self = Self::new().keeping(stays);
}

fn stays(kind: &str, key: &str, value: &Value) -> bool {
    match key {
        "minItems" => kind == "array" && (*value == 0 || *value == 1),
        "format" => kind == "string" && value.as_str().is_some_and(|format| FORMATS.contains(&format)),
        _ => false,
    }
}

/// Exports a tool for Anthropic's Messages API.
///
/// The tool's examples are in `input_examples`
/// (<https://docs.claude.com/en/docs/agents-and-tools/tool-use/implement-tool-use>).
///
/// In strict mode, optional properties are not in `required`, and neither they nor the examples have `null`
/// for them. Limits are in the description. Examples that do not fit the strict schema are omitted.
/// [`request`](super::request) counts the totals of all strict tools of one request.
///
/// ```
/// use onionskin::export::{self, ExportOptions};
/// # use onionskin::ToolDefinition;
/// let tool = ToolDefinition::new("now", "Tells the time.");
/// let options = ExportOptions::new().field("cache_control", serde_json::json!({"type": "ephemeral"}));
/// let exported = export::anthropic(&tool, &options).unwrap();
/// assert_eq!(exported["input_schema"]["type"], "object");
/// assert_eq!(exported["cache_control"]["type"], "ephemeral");
/// ```
///
/// # Errors
/// Returns an error if the provider does not accept the schema or its requested strict form, if providers
/// reject the tool's name, or if a custom field has a reserved name.
pub fn anthropic(definition: &ToolDefinition, options: &ExportOptions) -> Result<Value, ExportError> {
    let export = ToolExport::new(Provider::ANTHROPIC, definition, options);
    let schema =
        if export.is_strict() { export.strict_schema(&Dialect::ANTHROPIC)? } else { export.schema()? };
    let mut form = object(json!({
        "name": export.name()?,
        "description": export.description(),
        "input_schema": schema,
    }));
    definition.check_examples()?;
    let examples = definition.examples.iter().map(|example| Value::from(example.args.clone()));
    let examples: Vec<Value> = if export.is_strict() {
        examples.filter_map(|example| strict_example(example, &form["input_schema"])).collect()
    } else {
        examples.collect()
    };
    if !examples.is_empty() {
        form.insert("input_examples".into(), examples.into());
    }
    if export.is_strict() {
        form.insert("strict".into(), true.into());
    }
    let reserved = ["name", "description", "input_schema", "input_examples", "strict", "type"];
    export.add_fields(&mut form, &reserved)?;
    Ok(Value::Object(form))
}

/// An example for the strict schema: without `null` for missing arguments.
fn strict_example(mut example: Value, schema: &Value) -> Option<Value> {
    coerce(&mut example, schema, schema, &Literals::none());
    check(&example, schema, schema, "").is_empty().then_some(example)
}

/// The schema in the strict dialect.
pub(super) fn strict_input_schema(site: &Site<'_>, schema: &Value) -> Result<Value, ExportError> {
    strict(site, &Dialect::ANTHROPIC, schema)
}
