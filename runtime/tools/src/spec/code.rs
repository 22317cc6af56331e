//! The source code of a tool, or a function signature for a tool whose source code is unknown.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::Value;

use super::param;
use super::toolspec::ToolSpec;
use onionskin_definitions::definition::ToolDefinition;

impl ToolSpec {
    /// Sets the source code that [`Self::code`] returns.
    #[must_use]
    pub fn with_code(mut self, code: impl Into<Arc<str>>) -> Self {
        self.code = Some(code.into());
        self
    }

    /// The source code of a `#[tool]` function or method, or of a script. For other tools, such as those of
    /// MCP servers, a function without a body, with the signature and the documentation.
    pub fn code(&self) -> String {
        match &self.code {
            Some(code) => code.to_string(),
            None => stub(&self.definition),
        }
    }
}

/// The signature and the documentation of a tool as a Rust function.
fn stub(tool: &ToolDefinition) -> String {
    let mut params = param::params(tool);
    // Optional parameters come last, as with positional arguments.
    params.sort_by_key(|param| !param.required);
    let mut text = String::new();
    let doc = |text: &mut String, line: &str| {
        text.push_str(if line.trim().is_empty() { "///" } else { "/// " });
        // A name may contain any character, and a comment is one line.
        text.push_str(&line.trim_end().replace(['\r', '\n'], " "));
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
    let mut names = Names::default();
    let params: Vec<_> = params
        .iter()
        .map(|param| {
            let (name, kind) = (names.unused(identifier(&param.name)), rust_type(&param.schema));
            if param.required || kind.starts_with("Option<") {
                format!("{name}: {kind}")
            } else {
                format!("{name}: Option<{kind}>")
            }
        })
        .collect();
    let returned = tool.output_schema.as_deref().map_or_else(|| "ToolOutput".to_owned(), returned);
    text.push_str(&format!("async fn {}({}) -> {returned};", identifier(&tool.name), params.join(", ")));
    text
}

/// A name as a Rust identifier.
fn identifier(name: &str) -> String {
    let is_plain = |c: char| c.is_alphabetic() || c.is_ascii_digit() || c == '_';
    let mut word: String = name.chars().map(|c| if is_plain(c) { c } else { '_' }).collect();
    if word.starts_with(|c: char| c.is_ascii_digit()) {
        word.insert(0, '_');
    }
    match &*word {
        "" | "_" => "_value".to_owned(),
        "self" | "Self" | "super" | "crate" => format!("{word}_"),
        _ if KEYWORDS.contains(&&*word) => format!("r#{word}"),
        _ => word,
    }
}

/// Keywords that need `r#` as identifiers.
const KEYWORDS: &[&str] = &[
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "do", "dyn", "else",
    "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro",
    "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return", "static", "struct", "trait",
    "true", "try", "type", "typeof", "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

/// The used names, each with its last numeric suffix.
#[derive(Default)]
struct Names(HashMap<String, usize>);

impl Names {
    /// The name, with a numeric suffix if its Rust identifier is in use.
    fn unused(&mut self, name: String) -> String {
        let mut free = name.clone();
        let mut number = self.0.get(&name).copied().unwrap_or(1);
        while self.0.contains_key(&free) {
            number += 1;
            free = format!("{name}_{number}");
        }
        self.0.insert(name, number);
        self.0.entry(free.clone()).or_insert(1);
        free
    }
}

/// A scalar is wrapped in an object with the one property `result`.
fn returned(schema: &Value) -> String {
    match schema["properties"].as_object() {
        Some(properties) if properties.len() == 1 && properties.contains_key("result") => {
            rust_type(&properties["result"])
        }
        _ => rust_type(schema),
    }
}

/// The Rust type that fits a schema best.
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
