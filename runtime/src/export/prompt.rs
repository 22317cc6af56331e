//! A tool as text: how it is called, and what its schema says in the form of a docstring.

use std::cell::Cell;

use serde_json::{Map, Value};

use crate::tool::{ToolDefinition, ToolExample};

/// How a tool is called: `search(query, limit=10)`. A parameter that may be left out shows its default, or `null`.
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
    let parameters = definition.parameter_names().into_iter().map(|name| {
        if is_required(definition, name) {
            return name.to_owned();
        }
        match definition.input_schema["properties"][name].get("default") {
            Some(default) => format!("{name}={default}"),
            None => format!("{name}=null"),
        }
    });
    format!("{}({})", definition.name, parameters.collect::<Vec<_>>().join(", "))
}

/// A call with these arguments: `search(query="example", limit=10)`. They stand in the parameters' order; an
/// argument that is no parameter comes last.
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
    let others = arguments.iter().filter(|(name, _)| !known.contains(&name.as_str()));
    let shown: Vec<_> = given
        .chain(others.map(|(name, value)| (name.as_str(), value)))
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    format!("{}({})", definition.name, shown.join(", "))
}

/// What the schema gives as examples and defaults, for [`signature_with`]: parameters without either are left out.
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

/// What the tool does, its parameters and its result, in the form of a Google docstring, rebuilt from the schema.
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
    let parameters: Vec<_> = definition
        .parameter_names()
        .into_iter()
        .map(|name| {
            let schema = &definition.input_schema["properties"][name];
            entry(name, schema, &definition.input_schema, !is_required(definition, name))
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

/// A tool in a prompt: ``- `signature` ``, and the docstring beneath, indented by four.
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

fn is_required(definition: &ToolDefinition, name: &str) -> bool {
    definition.input_schema["required"].as_array().is_some_and(|names| names.iter().any(|each| each == name))
}

/// `    name (type, optional): description (default: 10)`.
fn entry(name: &str, schema: &Value, root: &Value, optional: bool) -> String {
    let mut line = format!("    {name} ({}", kind(schema, root));
    line.push_str(if optional { ", optional):" } else { "):" });
    // Further lines of a description belong to the entry: they stand deeper.
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
    // A result that is no object stands under one name.
    let properties = output["properties"].as_object();
    let inner = properties.filter(|known| known.len() == 1).and_then(|known| known.get("result"));
    let words = kind(inner.unwrap_or(output), output);
    match output["description"].as_str() {
        Some(text) => format!("    {words}: {}", text.trim_end().replace('\n', "\n        ")),
        None => format!("    {words}"),
    }
}

/// A type in words: `list of string`, `integer or null`, `"a" or "b"`.
fn kind(schema: &Value, root: &Value) -> String {
    words(schema, root, 0, &Cell::new(MOST_WORDS))
}

/// A type that refers to itself in many places is told so far only.
const MOST_WORDS: usize = 10_000;

fn words(schema: &Value, root: &Value, depth: usize, left: &Cell<usize>) -> String {
    left.set(left.get().saturating_sub(1));
    if depth > 4 || left.get() == 0 {
        return "..".to_owned();
    }
    if let Some(pointer) = schema["$ref"].as_str() {
        let name = pointer.rsplit('/').next().unwrap_or(pointer);
        let target = pointer.strip_prefix('#').and_then(|pointer| root.pointer(pointer));
        return target
            .filter(|target| target["type"] != "object")
            .map_or_else(|| name.to_owned(), |target| words(target, root, depth + 1, left));
    }
    let any = |options: &[Value]| {
        let mut each: Vec<_> = options.iter().map(|option| words(option, root, depth + 1, left)).collect();
        each.dedup();
        each.join(" or ")
    };
    let list = |item: &Value| match words(item, root, depth + 1, left) {
        item if item == "any" => "list".to_owned(),
        item if item.contains(" or ") => format!("list of ({item})"),
        item => format!("list of {item}"),
    };
    if let Some(values) = schema["enum"].as_array() {
        return values.iter().map(Value::to_string).collect::<Vec<_>>().join(" or ");
    }
    if let Some(value) = schema.get("const") {
        return value.to_string();
    }
    if let Some(options) = schema["anyOf"].as_array().or_else(|| schema["oneOf"].as_array()) {
        return any(options);
    }
    let named = |word: &str| match word {
        "array" => match schema["prefixItems"].as_array() {
            Some(tuple) => {
                let each: Vec<_> = tuple.iter().map(|item| words(item, root, depth + 1, left)).collect();
                format!("({})", each.join(", "))
            }
            None => list(&schema["items"]),
        },
        "object" => match &schema["additionalProperties"] {
            values @ Value::Object(_) => format!("map of {}", words(values, root, depth + 1, left)),
            _ => "object".to_owned(),
        },
        word => word.to_owned(),
    };
    match &schema["type"] {
        Value::String(word) => named(word),
        Value::Array(words) => {
            words.iter().filter_map(Value::as_str).map(named).collect::<Vec<_>>().join(" or ")
        }
        _ => "any".to_owned(),
    }
}
