//! Anthropic. The rules for strict tools: <https://docs.claude.com/en/docs/build-with-claude/structured-outputs>.

use serde_json::{Value, json};

use super::error::{ExportError, Provider, Site};
use super::name::name_for_model;
use super::options::ExportOptions;
use super::rewrite_parts::object;
use super::strict_rewrite::{Optional, Rules, plain_root, strict};
use crate::definition::ToolDefinition;
use crate::json::Literals;
use crate::schema::{check, coerce};

const FORMATS: &[&str] =
    &["date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"];

const RULES: Rules = Rules { optional: Optional::LeftOut, recursion: false, type_lists: false, stays };

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
/// In strict mode, optional properties are not in `required`, and neither they nor the examples have `null` for them.
/// Limits are in the description. An example that does not fit the strict schema is left out.
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
/// Returns an error if the provider does not accept the schema, or its strict form if that is requested, if providers
/// reject the tool's name, or if a custom field has a reserved name.
pub fn anthropic(definition: &ToolDefinition, options: &ExportOptions) -> Result<Value, ExportError> {
    let site = options.site(definition, Provider::Anthropic);
    let schema = if options.is_strict(definition) {
        strict_input_schema(&site, &definition.input_schema)?
    } else {
        let mut root = definition.input_schema.as_object().cloned().unwrap_or_default();
        plain_root(&site, &mut root)?;
        Value::Object(root)
    };
    let mut form = object(json!({
        "name": name_for_model(&site, definition)?,
        "description": &*definition.description,
        "input_schema": schema,
    }));
    definition.check_examples()?;
    let examples = definition.examples.iter().map(|example| Value::from(example.args.clone()));
    let examples: Vec<Value> = if options.is_strict(definition) {
        examples.filter_map(|example| strict_example(example, &form["input_schema"])).collect()
    } else {
        examples.collect()
    };
    if !examples.is_empty() {
        form.insert("input_examples".into(), examples.into());
    }
    if options.is_strict(definition) {
        form.insert("strict".into(), true.into());
    }
    options.add_fields(
        &mut form,
        &["name", "description", "input_schema", "input_examples", "strict", "type"],
        &site,
    )?;
    Ok(Value::Object(form))
}

/// An example for the strict schema: without `null` for missing arguments.
fn strict_example(mut example: Value, schema: &Value) -> Option<Value> {
    coerce(&mut example, schema, schema, &Literals::none());
    check(&example, schema, schema, "").is_empty().then_some(example)
}

/// The schema in the strict dialect.
pub(super) fn strict_input_schema(site: &Site<'_>, schema: &Value) -> Result<Value, ExportError> {
    strict(site, &RULES, schema)
}
