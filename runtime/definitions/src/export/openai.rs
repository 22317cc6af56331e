//! OpenAI. The rules of its strict dialect: <https://platform.openai.com/docs/guides/structured-outputs>.

use serde_json::{Value, json};

use super::count;
use super::dialect::Dialect;
use super::error::{ExportError, Provider, Site};
use super::keywords::{Object, object};
use super::options::ExportOptions;
use super::strict_rewrite::strict;
use super::tool_export::ToolExport;
use crate::definition::ToolDefinition;

const FORMATS: &[&str] =
    &["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"];

impl Dialect {
    /// OpenAI's dialect: every property is required, and types may be recursive.
    pub const OPENAI: Self = Self::new().optional_as_null().with_recursion().with_type_lists().keeping(stays);
}

fn stays(kind: &str, key: &str, value: &Value) -> bool {
    match key {
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" => {
            matches!(kind, "integer" | "number")
        }
        "minItems" | "maxItems" => kind == "array",
        "format" => kind == "string" && value.as_str().is_some_and(|format| FORMATS.contains(&format)),
        // Its regular expressions have no lookaround.
        "pattern" => value.as_str().is_some_and(|pattern| {
            kind == "string" && !["(?=", "(?!", "(?<=", "(?<!"].iter().any(|token| pattern.contains(token))
        }),
        _ => false,
    }
}

/// Exports a tool for OpenAI's Chat Completions API, and for other providers with this protocol. Custom
/// fields are inside `function`.
///
/// ```
/// use onionskin::export::{self, ExportOptions};
/// # use onionskin::ToolDefinition;
/// let tool = ToolDefinition::new("now", "Tells the time.");
/// let exported = export::openai_chat(&tool, &ExportOptions::new()).unwrap();
/// assert_eq!(exported["type"], "function");
/// assert_eq!(exported["function"]["name"], "now");
/// ```
///
/// # Errors
/// Returns an error if the provider does not accept the schema or its requested strict form, if providers
/// reject the tool's name, or if a custom field has a reserved name.
pub fn openai_chat(definition: &ToolDefinition, options: &ExportOptions) -> Result<Value, ExportError> {
    let export = ToolExport::new(Provider::OPENAI, definition, options);
    let mut function = common(&export)?;
    // A missing `strict` means `false` here.
    if export.is_strict() {
        function.insert("strict".into(), true.into());
    }
    export.add_fields(&mut function, &RESERVED)?;
    Ok(json!({ "type": "function", "function": function }))
}

/// Exports a tool for OpenAI's Responses API: flat, and always with `strict`, because a missing `strict`
/// means `true` there.
///
/// ```
/// use onionskin::export::{self, ExportOptions};
/// # use onionskin::ToolDefinition;
/// let tool = ToolDefinition::new("now", "Tells the time.");
/// let exported = export::openai_responses(&tool, &ExportOptions::new()).unwrap();
/// assert_eq!((&exported["name"], &exported["strict"]), (&"now".into(), &false.into()));
/// ```
///
/// # Errors
/// As [`openai_chat`].
pub fn openai_responses(definition: &ToolDefinition, options: &ExportOptions) -> Result<Value, ExportError> {
    let export = ToolExport::new(Provider::OPENAI, definition, options);
    let mut form = common(&export)?;
    form.insert("type".into(), "function".into());
    form.insert("strict".into(), export.is_strict().into());
    export.add_fields(&mut form, &RESERVED)?;
    Ok(Value::Object(form))
}

pub(super) const RESERVED: [&str; 5] = ["type", "name", "description", "parameters", "strict"];

fn common(export: &ToolExport<'_>) -> Result<Object, ExportError> {
    let parameters = if export.is_strict() {
        counted(&export.site, export.strict_schema(&Dialect::OPENAI)?)?
    } else {
        let mut schema = export.schema()?;
        // OpenAI rejects an object without `properties`.
        if let Value::Object(root) = &mut schema {
            root.entry("properties").or_insert_with(|| json!({}));
        }
        schema
    };
    Ok(object(json!({
        "name": export.name()?,
        "description": export.description(),
        "parameters": parameters,
    })))
}

/// The schema in the strict dialect, checked against its limits.
pub(super) fn strict_parameters(site: &Site<'_>, schema: &Value) -> Result<Value, ExportError> {
    counted(site, strict(site, &Dialect::OPENAI, schema)?)
}

fn counted(site: &Site<'_>, parameters: Value) -> Result<Value, ExportError> {
    count::openai(site, &parameters)?;
    Ok(parameters)
}
