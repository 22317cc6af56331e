//! A tool as text: its signature, and a docstring from its schema.

use std::cell::Cell;
use std::collections::HashSet;

use serde_json::{Map, Value};

use super::keywords;
use crate::definition::{ToolDefinition, ToolExample};
use crate::schema::referenced;

/// The signature of a tool: `search(query, limit=10)`. An optional parameter shows its default, or `null`.
///
/// ```
/// use onionskin::export;
/// # use onionskin::ToolDefinition;
/// # use serde_json::json;
/// let properties = json!({"query": {"type": "string"}, "limit": {"type": "integer", "default": 10}});
/// let schema = json!({"type": "object", "properties": properties, "required": ["query"]});
/// let tool = ToolDefinition::new("search", "Searches.").with_input_schema(schema);
/// assert_eq!(export::signature(&tool), "search(query, limit=10)");
/// ```
pub fn signature(definition: &ToolDefinition) -> String {
    let required = required(definition);
    let parameters = definition.parameter_names().into_iter().map(|name| {
        if required.contains(name) {
            return name.to_owned();
        }
        match definition.input_schema["properties"][name].get("default") {
            Some(default) => format!("{name}={default}"),
            None => format!("{name}=null"),
        }
    });
    format!("{}({})", definition.name, parameters.collect::<Vec<_>>().join(", "))
}

/// A call with these arguments: `search(query="example", limit=10)`. They are in the order of the parameters;
/// unknown arguments are last.
///
/// ```
/// use onionskin::export;
/// # use onionskin::ToolDefinition;
/// # use serde_json::{Map, json};
/// let tool = ToolDefinition::new("search", "Searches.");
/// let arguments = Map::from_iter([("query".to_owned(), json!("example"))]);
/// assert_eq!(export::signature_with(&tool, &arguments), "search(query=\"example\")");
/// ```
pub fn signature_with(definition: &ToolDefinition, arguments: &Map<String, Value>) -> String {
    let known = definition.parameter_names();
    let given = known.iter().filter_map(|name| Some((*name, arguments.get(*name)?)));
    let parameters: HashSet<_> = known.iter().copied().collect();
    let others = arguments.iter().filter(|(name, _)| !parameters.contains(name.as_str()));
    let shown: Vec<_> = given
        .chain(others.map(|(name, value)| (name.as_str(), value)))
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    format!("{}({})", definition.name, shown.join(", "))
}

/// The examples and defaults in the schema, for [`signature_with`]. Parameters without either are omitted.
///
/// ```
/// use onionskin::export;
/// # use onionskin::ToolDefinition;
/// # use serde_json::json;
/// let properties = json!({"query": {"type": "string", "examples": ["rust"]}, "page": {"type": "integer"}});
/// let schema = json!({"type": "object", "properties": properties});
/// let tool = ToolDefinition::new("search", "Searches.").with_input_schema(schema);
/// let arguments = export::example_arguments(&tool);
/// assert_eq!(export::signature_with(&tool, &arguments), "search(query=\"rust\")");
/// ```
pub fn example_arguments(definition: &ToolDefinition) -> Map<String, Value> {
    let examples = definition.parameter_names().into_iter().filter_map(|name| {
        let schema = &definition.input_schema["properties"][name];
        let example = schema["examples"].get(0).or_else(|| schema.get("default"))?;
        Some((name.to_owned(), example.clone()))
    });
    examples.collect()
}

/// The tool's description, its parameters and its result as a Google-style docstring, built from the schema.
///
/// ```
/// use onionskin::export;
/// # use onionskin::ToolDefinition;
/// # use serde_json::json;
/// let properties = json!({"query": {"type": "string", "description": "What to look for."}});
/// let schema = json!({"type": "object", "properties": properties, "required": ["query"]});
/// let tool = ToolDefinition::new("search", "Searches.").with_input_schema(schema);
/// assert_eq!(export::docstring(&tool), "Searches.\n\nArgs:\n    query (string): What to look for.");
/// ```
pub fn docstring(definition: &ToolDefinition) -> String {
    let mut text = definition.description.trim_end().to_owned();
    let mut section = |title: &str, lines: &[String]| {
        if !lines.is_empty() {
            let gap = if text.is_empty() { "" } else { "\n\n" };
            text.push_str(&format!("{gap}{title}:\n{}", lines.join("\n")));
        }
    };
    let (required, left) = (required(definition), Cell::new(MOST_WORDS));
    let words = Words { root: &definition.input_schema, left: &left };
    let parameters: Vec<_> = definition
        .parameter_names()
        .into_iter()
        .map(|name| {
            let schema = &definition.input_schema["properties"][name];
            entry(name, schema, words, !required.contains(name))
        })
        .collect();
    section("Args", &parameters);
    if let Some(output) = &definition.output_schema {
        section("Returns", &[returns(output)]);
    }
    let examples: Vec<_> =
        definition.fitting_examples().iter().map(|example| shown_example(definition, example)).collect();
    section("Examples", &examples);
    text
}

/// A section for a prompt: ``- `signature` ``, followed by the docstring, indented by four spaces.
///
/// ```
/// use onionskin::export;
/// # use onionskin::ToolDefinition;
/// let tool = ToolDefinition::new("now", "Tells the time.");
/// assert_eq!(export::to_prompt(&tool), "- `now()`\n    Tells the time.");
/// ```
pub fn to_prompt(definition: &ToolDefinition) -> String {
    let mut text = format!("- `{}`", signature(definition));
    for line in docstring(definition).lines() {
        text.push('\n');
        if !line.is_empty() {
            text.push_str("    ");
            text.push_str(line);
        }
    }
    text
}

/// `    search(query="rust") -> 3  # A note.`
fn shown_example(definition: &ToolDefinition, example: &ToolExample) -> String {
    let mut line = format!("    {}", signature_with(definition, &example.args));
    if let Some(output) = &example.output {
        line.push_str(&format!(" -> {output}"));
    }
    if let Some(note) = &example.note {
        line.push_str(&format!("  # {}", note.replace('\n', " ")));
    }
    line
}

fn required(definition: &ToolDefinition) -> HashSet<&str> {
    definition.input_schema.as_object().into_iter().flat_map(keywords::required).collect()
}

/// `    name (type, optional): description (default: 10)`.
fn entry(name: &str, schema: &Value, words: Words<'_>, optional: bool) -> String {
    let mut line = format!("    {name} ({}", words.describe(schema, 0));
    line.push_str(if optional { ", optional):" } else { "):" });
    // Further lines of a description are part of the entry, so they are indented.
    for (at, part) in schema["description"].as_str().unwrap_or_default().trim_end().lines().enumerate() {
        line.push_str(if at == 0 { " " } else { "\n        " });
        line.push_str(part);
    }
    if let Some(default) = schema.get("default") {
        line.push_str(&format!(" (default: {default})"));
    }
    line.trim_end().to_owned()
}

fn returns(output: &Value) -> String {
    // A result that is not an object is wrapped under one name.
    let properties = output["properties"].as_object();
    let inner = properties.filter(|known| known.len() == 1).and_then(|known| known.get("result"));
    let left = Cell::new(MOST_WORDS);
    let words = Words { root: output, left: &left }.describe(inner.unwrap_or(output), 0);
    match output["description"].as_str() {
        Some(text) => format!("    {words}: {}", text.trim_end().replace('\n', "\n        ")),
        None => format!("    {words}"),
    }
}

/// The maximum length of a schema's types in bytes, because a schema that refers to itself could be endless.
const MOST_WORDS: usize = 1 << 18;

/// Types in words.
#[derive(Clone, Copy)]
struct Words<'s> {
    root: &'s Value,
    /// The number of bytes left.
    left: &'s Cell<usize>,
}

impl Words<'_> {
    /// A type in words: `list of string`, `integer or null`, `"a" or "b"`.
    fn describe(self, schema: &Value, depth: usize) -> String {
        if depth > 4 || self.left.get() == 0 {
            return self.spend("..".to_owned());
        }
        if let Some(pointer) = schema["$ref"].as_str() {
            let name = pointer.rsplit('/').next().unwrap_or(pointer);
            let target = referenced(self.root, pointer);
            return match target.filter(|target| target["type"] != "object") {
                Some(target) => self.describe(target, depth + 1),
                None => self.spend(name.to_owned()),
            };
        }
        let each = |options: &[Value]| self.each(options, |option| self.describe(option, depth + 1));
        let list = |item: &Value| match self.describe(item, depth + 1) {
            item if item == "any" => "list".to_owned(),
            item if item.contains(" or ") => format!("list of ({item})"),
            item => format!("list of {item}"),
        };
        if let Some(values) = schema["enum"].as_array() {
            return self.each(values, |value| self.spend(value.to_string())).join(" or ");
        }
        if let Some(value) = schema.get("const") {
            return self.spend(value.to_string());
        }
        if let Some(options) = schema["anyOf"].as_array().or_else(|| schema["oneOf"].as_array()) {
            let mut each = each(options);
            each.dedup();
            return each.join(" or ");
        }
        let named = |word: &str| match word {
            "array" => match schema["prefixItems"].as_array() {
                Some(tuple) => format!("({})", each(tuple).join(", ")),
                None => list(&schema["items"]),
            },
            "object" => match &schema["additionalProperties"] {
                values @ Value::Object(_) => format!("map of {}", self.describe(values, depth + 1)),
                _ => self.spend("object".to_owned()),
            },
            word => self.spend(word.to_owned()),
        };
        match &schema["type"] {
            Value::String(word) => named(word),
            Value::Array(kinds) => {
                self.each(kinds, |kind| named(kind.as_str().unwrap_or("any"))).join(" or ")
            }
            _ => self.spend("any".to_owned()),
        }
    }

    /// The texts of several schemas, until the bytes are spent.
    fn each(self, all: &[Value], words: impl Fn(&Value) -> String) -> Vec<String> {
        let mut texts = Vec::new();
        for one in all {
            if self.left.get() == 0 {
                texts.push("..".to_owned());
                break;
            }
            texts.push(words(one));
        }
        texts
    }

    fn spend(self, words: String) -> String {
        self.left.set(self.left.get().saturating_sub(words.len() + 1));
        words
    }
}
