//! A function without a body, for a tool whose source is elsewhere.

use serde_json::Value;

use super::param;
use crate::tool::ToolDefinition;

/// The signature and the docs of a tool as a Rust function would have them.
pub(super) fn stub(tool: &ToolDefinition) -> String {
    let params = param::params(&tool.input_schema);
    let mut text = String::new();
    let doc = |text: &mut String, line: &str| {
        text.push_str(if line.trim().is_empty() { "///" } else { "/// " });
        text.push_str(line.trim_end());
        text.push('\n');
    };
    tool.description.lines().for_each(|line| doc(&mut text, line));
    let described: Vec<_> = params.iter().filter(|param| !param.description.is_empty()).collect();
    if !described.is_empty() {
        doc(&mut text, "");
        doc(&mut text, "# Arguments");
        for param in described {
            let mut lines = param.description.lines();
            doc(&mut text, &format!("* `{}` - {}", param.name, lines.next().unwrap_or_default()));
            lines.for_each(|line| doc(&mut text, &format!("  {line}")));
        }
    }
    let params: Vec<_> = params
        .iter()
        .map(|param| {
            let kind = rust_type(&param.schema);
            if param.required || kind.starts_with("Option<") {
                format!("{}: {kind}", identifier(&param.name))
            } else {
                format!("{}: Option<{kind}>", identifier(&param.name))
            }
        })
        .collect();
    let returned = tool.output_schema.as_deref().map_or_else(|| "ToolOutput".to_owned(), returned);
    text.push_str(&format!("async fn {}({}) -> {returned};", identifier(&tool.name), params.join(", ")));
    text
}

/// A name as Rust can write it.
fn identifier(name: &str) -> String {
    let mut word: String =
        name.chars().map(|c| if c.is_alphanumeric() || c == '_' { c } else { '_' }).collect();
    if word.is_empty() || word.starts_with(|c: char| c.is_ascii_digit()) {
        word.insert(0, '_');
    }
    word
}

/// A scalar stands in an object of one property, `result`.
fn returned(schema: &Value) -> String {
    match schema["properties"].as_object() {
        Some(properties) if properties.len() == 1 && properties.contains_key("result") => {
            rust_type(&properties["result"])
        }
        _ => rust_type(schema),
    }
}

/// The type that values of a schema would most likely be read as.
fn rust_type(schema: &Value) -> String {
    if let Some(options) = schema["anyOf"].as_array().or_else(|| schema["oneOf"].as_array()) {
        let mut real = options.iter().filter(|option| option["type"] != "null");
        return match (real.next(), real.next()) {
            (Some(only), None) => format!("Option<{}>", rust_type(only)),
            _ => "Value".to_owned(),
        };
    }
    match &schema["type"] {
        Value::String(kind) => named(kind, schema),
        Value::Array(kinds) => {
            let mut real = kinds.iter().filter_map(Value::as_str).filter(|kind| *kind != "null");
            match (real.next(), real.next()) {
                (Some(only), None) => format!("Option<{}>", named(only, schema)),
                _ => "Value".to_owned(),
            }
        }
        _ => "Value".to_owned(),
    }
}

fn named(kind: &str, schema: &Value) -> String {
    match kind {
        "integer" => "i64".to_owned(),
        "number" => "f64".to_owned(),
        "boolean" => "bool".to_owned(),
        "string" => "String".to_owned(),
        "array" => format!("Vec<{}>", rust_type(&schema["items"])),
        _ => "Value".to_owned(),
    }
}
