//! OpenAI. The rules of its strict dialect: <https://platform.openai.com/docs/guides/structured-outputs>.

use serde_json::{Value, json};

use super::count;
use super::error::{ExportError, Provider, Site};
use super::name::name_for_model;
use super::options::ExportOptions;
use super::rewrite_parts::{Object, object};
use super::strict_rewrite::{Optional, Rules, plain_root, strict};
use crate::definition::ToolDefinition;

const FORMATS: &[&str] =
    &["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"];

const RULES: Rules = Rules { optional: Optional::Null, recursion: true, type_lists: true, stays };

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

/// Exports a tool for OpenAI's Chat Completions API, and for other providers with this protocol. Custom fields are
/// inside `function`.
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
/// Returns an error if the provider does not accept the schema, or its strict form if that is requested, if providers
/// reject the tool's name, or if a custom field has a reserved name.
pub fn openai_chat(definition: &ToolDefinition, options: &ExportOptions) -> Result<Value, ExportError> {
    let mut function = common(definition, options)?;
    // A missing `strict` means `false` here.
    if options.is_strict(definition) {
        function.insert("strict".into(), true.into());
    }
    finish(&mut function, definition, options)?;
    Ok(json!({ "type": "function", "function": function }))
}

/// Exports a tool for OpenAI's Responses API: flat, and always with `strict`, because a missing `strict` means `true`
/// there.
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
    let mut form = common(definition, options)?;
    form.insert("type".into(), "function".into());
    form.insert("strict".into(), options.is_strict(definition).into());
    finish(&mut form, definition, options)?;
    Ok(Value::Object(form))
}

fn common(definition: &ToolDefinition, options: &ExportOptions) -> Result<Object, ExportError> {
    let site = options.site(definition, Provider::OpenAi);
    let parameters = if options.is_strict(definition) {
        strict_parameters(&site, &definition.input_schema)?
    } else {
        let mut root = definition.input_schema.as_object().cloned().unwrap_or_default();
        plain_root(&site, &mut root)?;
        // OpenAI rejects an object without `properties`.
        root.entry("properties").or_insert_with(|| json!({}));
        Value::Object(root)
    };
    Ok(object(json!({
        "name": name_for_model(&site, definition)?,
        "description": &*definition.description,
        "parameters": parameters,
    })))
}

fn finish(
    form: &mut Object,
    definition: &ToolDefinition,
    options: &ExportOptions,
) -> Result<(), ExportError> {
    let reserved = ["type", "name", "description", "parameters", "strict"];
    options.add_fields(form, &reserved, &options.site(definition, Provider::OpenAi))
}

/// The schema in the strict dialect, checked against its limits.
pub(super) fn strict_parameters(site: &Site<'_>, schema: &Value) -> Result<Value, ExportError> {
    let parameters = strict(site, &RULES, schema)?;
    count::openai(site, &parameters)?;
    Ok(parameters)
}
