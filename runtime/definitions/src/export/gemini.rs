//! Gemini: `parameters` takes a subset of OpenAPI 3.0's schemas (<https://ai.google.dev/api/caching#Schema>),
//! `parametersJsonSchema` takes JSON Schema.

use serde_json::{Map, Value, json};

use super::decoded::decoded;
use super::error::{ExportError, Provider, Site};
use super::inline::{items, property};
use super::keywords::{Object, is_null, kinds, literals, object, parts, take_description, tuple};
use super::notes::{Notes, conditions, limits, remarks, with_docs};
use super::options::ExportOptions;
use super::strict_rewrite::{inlined, is_open};
use super::tool_export::ToolExport;
use super::unions::{Distinct, all_of, any_of, options, words};
use crate::definition::ToolDefinition;

/// The next step for a schema that the subset cannot express.
const NEXT: &str = "export with `gemini_json_schema`, which takes any schema";

/// Exports a tool for Gemini, with its schema in the subset of OpenAPI that the field `parameters` accepts.
///
/// The subset lacks `const`, closed objects, maps, tuples and references. Constants become lists of one
/// value, `null` becomes `nullable`, and the other limits move into the description. Gemini has no strict
/// tools: constrained decoding is an option of the request.
///
/// ```
/// use onionskin::export::{self, ExportOptions};
/// # use onionskin::ToolDefinition;
/// # use serde_json::json;
/// let schema = json!({"type": "object", "properties": {"unit": {"const": "C"}}, "required": ["unit"]});
/// let tool = ToolDefinition::new("weather", "Tells the weather.").with_input_schema(schema);
/// let exported = export::gemini(&tool, &ExportOptions::new()).unwrap();
/// assert_eq!(exported["parameters"]["properties"]["unit"], json!({"type": "STRING", "enum": ["C"]}));
/// ```
///
/// # Errors
/// Returns an error if the subset cannot express the schema, if providers reject the tool's name, or if a
/// custom field has a reserved name.
pub fn gemini(definition: &ToolDefinition, options: &ExportOptions) -> Result<Value, ExportError> {
    let export = ToolExport::new(Provider::GEMINI, definition, options);
    let root = inlined(&export.site, &definition.input_schema)?;
    // A tool without parameters has no schema, because Gemini rejects an object without properties.
    let empty = |key: &str| root.get(key).and_then(Value::as_object).is_none_or(Map::is_empty);
    let is_map = matches!(root.get("additionalProperties"), Some(Value::Bool(true) | Value::Object(_)));
    let parameters = if empty("properties") && empty("patternProperties") && !is_map {
        None
    } else {
        Some(Value::Object(rewrite(&export.site, &Value::Object(root), "$")?))
    };
    form(&export, ("parameters", parameters))
}

/// Exports a tool for Gemini, with its schema unchanged in the field `parametersJsonSchema`.
///
/// ```
/// use onionskin::export::{self, ExportOptions};
/// # use onionskin::ToolDefinition;
/// let tool = ToolDefinition::new("now", "Tells the time.");
/// let exported = export::gemini_json_schema(&tool, &ExportOptions::new()).unwrap();
/// assert_eq!(exported["parametersJsonSchema"], *tool.input_schema);
/// ```
///
/// # Errors
/// Returns an error if providers reject the tool's name, or if a custom field has a reserved name.
pub fn gemini_json_schema(
    definition: &ToolDefinition,
    options: &ExportOptions,
) -> Result<Value, ExportError> {
    let export = ToolExport::new(Provider::GEMINI, definition, options);
    form(&export, ("parametersJsonSchema", Some(decoded(&definition.input_schema))))
}

fn form(export: &ToolExport<'_>, (key, schema): (&str, Option<Value>)) -> Result<Value, ExportError> {
    let mut form = object(json!({ "name": export.name()?, "description": export.description() }));
    if let Some(schema) = schema {
        form.insert(key.into(), schema);
    }
    let reserved =
        ["name", "description", "parameters", "parametersJsonSchema", "response", "responseJsonSchema"];
    export.add_fields(&mut form, &reserved)?;
    Ok(Value::Object(form))
}

fn stays(kind: &str, key: &str, value: &Value) -> bool {
    match (kind, key) {
        ("string", "minLength" | "maxLength" | "pattern")
        | ("array", "minItems" | "maxItems")
        | ("object", "minProperties" | "maxProperties")
        | ("integer" | "number", "minimum" | "maximum") => true,
        ("string", "format") => value == "date-time",
        ("integer", "format") => value == "int32" || value == "int64",
        ("number", "format") => value == "float" || value == "double",
        _ => false,
    }
}

fn rewrite(site: &Site<'_>, schema: &Value, path: &str) -> Result<Object, ExportError> {
    site.spend(parts(schema), path)?;
    let Some(schema) = schema.as_object() else {
        return Err(site.refuse(path, "takes a value of any type", NEXT));
    };
    let mut schema = schema.clone();
    let mut notes = Notes::default();
    conditions(site, &mut schema, path, &mut notes)?;
    all_of(site, &mut schema, path)?;
    if schema.contains_key("$ref") {
        return Err(site.refuse(path, "is recursive", NEXT));
    }
    let mut description = take_description(&mut schema);
    remarks(&schema, &mut notes);
    let mut out = match options(site, &mut schema, path)? {
        Some(options) => match words(&options) {
            Some((words, docs)) => {
                description = with_docs(description.as_deref(), &docs);
                object(json!({ "type": "STRING", "enum": words }))
            }
            None => union(site, &options, path)?,
        },
        None => plain(site, &schema, path, &mut notes)?,
    };
    let inner = take_description(&mut out);
    notes.describe(description.or(inner).as_deref(), &mut out);
    Ok(out)
}

fn union(site: &Site<'_>, options: &[Value], path: &str) -> Result<Object, ExportError> {
    let nullable = options.iter().any(is_null);
    if options.is_empty() {
        return Err(site.refuse(path, "is a union of nothing", "correct the schema"));
    }
    let mut union = Distinct::default();
    for option in options.iter().filter(|option| !is_null(option)) {
        union.push(Value::Object(rewrite(site, option, path)?));
    }
    let Some(mut out) = union.into_schema(any_of) else { return Ok(object(json!({ "type": "NULL" }))) };
    if nullable {
        out.insert("nullable".into(), true.into());
    }
    Ok(out)
}

fn plain(site: &Site<'_>, schema: &Object, path: &str, notes: &mut Notes) -> Result<Object, ExportError> {
    let mut kinds = kinds(schema);
    let listed = literals(schema);
    let nullable = kinds.iter().any(|kind| kind == "null") && kinds.len() > 1;
    if nullable {
        kinds.retain(|kind| kind != "null");
    }
    let mut out = match &kinds[..] {
        [] => return Err(site.refuse(path, "takes a value of any type", NEXT)),
        [kind] => one_type(site, schema, kind, path, notes)?,
        kinds => {
            let size: usize = schema.values().map(parts).sum();
            let each = kinds.iter().map(|kind| {
                site.spend(size, path)?;
                let mut one = schema.clone();
                one.insert("type".into(), kind.as_str().into());
                Ok(Value::Object(one))
            });
            union(site, &each.collect::<Result<Vec<_>, ExportError>>()?, path)?
        }
    };
    if !listed.is_empty() {
        let words: Vec<_> = listed.iter().filter(|value| !value.is_null()).collect();
        if words.iter().all(|word| word.is_string()) && !words.is_empty() {
            out.insert("enum".into(), json!(words));
        } else {
            // Only strings can be listed.
            notes.add("one of", &Value::from(listed));
        }
    }
    if nullable {
        out.insert("nullable".into(), true.into());
    }
    Ok(out)
}

fn one_type(
    site: &Site<'_>,
    schema: &Object,
    kind: &str,
    path: &str,
    notes: &mut Notes,
) -> Result<Object, ExportError> {
    let mut out = match kind {
        "object" => {
            let known = schema.get("properties").and_then(Value::as_object);
            let empty = Map::new();
            if is_open(schema, known) && !(site.lossy && known.is_some_and(|known| !known.is_empty())) {
                return Err(site.refuse(path, "takes properties of any name", NEXT));
            }
            let mut properties = Map::new();
            for (name, schema) in known.unwrap_or(&empty) {
                let rewritten = rewrite(site, schema, &property(path, name))?;
                properties.insert(name.clone(), Value::Object(rewritten));
            }
            let mut out = object(json!({ "type": "OBJECT", "properties": properties }));
            if let Some(required) = schema.get("required").filter(|required| **required != json!([])) {
                out.insert("required".into(), required.clone());
            }
            out
        }
        "array" => {
            let items = match (tuple(schema), schema.get("items")) {
                (Some(tuple), _) => tuple_items(site, tuple, path)?,
                (None, Some(item)) => rewrite(site, item, &items(path))?,
                (None, None) => return Err(site.refuse(&items(path), "takes a value of any type", NEXT)),
            };
            object(json!({ "type": "ARRAY", "items": items }))
        }
        "string" | "number" | "integer" | "boolean" | "null" => {
            object(json!({ "type": kind.to_ascii_uppercase() }))
        }
        other => return Err(site.refuse(path, format!("is of the unknown type `{other}`"), NEXT)),
    };
    limits(schema, kind, stays, &mut out, notes);
    Ok(out)
}

fn tuple_items(site: &Site<'_>, tuple: &[Value], path: &str) -> Result<Object, ExportError> {
    let mut differing = Distinct::default();
    for (at, item) in tuple.iter().enumerate() {
        differing.push(Value::Object(rewrite(site, item, &format!("{path}[{at}]"))?));
    }
    differing.into_item(site).ok_or_else(|| site.refuse(path, "is a tuple of different types", NEXT))
}
