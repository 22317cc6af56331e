//! Writes every export of the type matrix, of the ready toolboxes, and of the tools in JSON files, as lines of JSON:
//! `judges/schemas` holds them against programs of others.
//!
//! usage: `export_lines FILE...`; a file is a list of tools as OpenAI's chat form or as MCP lists them. What MCP lists is
//! imported with [`ToolSpec::from_mcp`], and is the `source` in its lines.
#![allow(missing_docs, dead_code, unreachable_pub, reason = "the tools are examples of what people write")]
#![allow(clippy::linkedlist, clippy::pedantic, reason = "the tools are examples of what people write")]

#[path = "../tests/type_matrix/cases.rs"]
mod cases;
#[path = "../tests/type_matrix/types.rs"]
mod types;

use std::path::Path;

use onionskin::export::{self, ExportError, ExportOptions};
use onionskin::mcp::McpToolSpec as _;
use onionskin::toolboxes::{KnowledgeBase, WebSearch};
use onionskin::{ToolDefinition, ToolSpec, toolbox};
use serde_json::{Value, json};

type Export = fn(&ToolDefinition, &ExportOptions) -> Result<Value, ExportError>;

const FORMS: [(&str, Export); 7] = [
    ("openai_chat", export::openai_chat),
    ("openai_responses", export::openai_responses),
    ("anthropic", export::anthropic),
    ("gemini", export::gemini),
    ("gemini_json_schema", export::gemini_json_schema),
    ("to_jsonschema", export::to_jsonschema),
    ("mcp", export::mcp),
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for case in cases::all() {
        write("matrix", &(case.definition)(), &Value::Null);
    }
    let ready =
        [KnowledgeBase::in_memory()?.tools(), WebSearch::searxng("https://localhost").build()?.tools()];
    for tool in ready.iter().flat_map(|tools| tools.values()) {
        write("toolboxes", tool.definition(), &Value::Null);
    }
    for file in std::env::args().skip(1) {
        let group = Path::new(&file).file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let tools: Vec<Value> = serde_json::from_str(&std::fs::read_to_string(&file)?)?;
        for tool in &tools {
            if tool.get("inputSchema").is_some() {
                write(&group, ToolSpec::from_mcp(tool.clone())?.definition(), tool);
                continue;
            }
            let function = &tool["function"];
            let text = |key: &str| function[key].as_str().ok_or_else(|| format!("a tool without `{key}`"));
            let definition = ToolDefinition::new(text("name")?, text("description")?);
            write(&group, &definition.with_input_schema(function["parameters"].clone()), &Value::Null);
        }
    }
    Ok(())
}

fn write(group: &str, definition: &ToolDefinition, source: &Value) {
    let plain = ExportOptions::new();
    let strict = plain.clone().strict();
    let lossy = strict.clone().lossy();
    for (form, export) in FORMS {
        for (mode, options) in [("plain", &plain), ("strict", &strict), ("lossy", &lossy)] {
            let (export, error) = match export(definition, options) {
                Ok(export) => (export, Value::Null),
                Err(error) => (Value::Null, error.to_string().into()),
            };
            let line = json!({
                "group": group, "tool": &*definition.name, "form": form, "mode": mode, "export": export, "error": error,
                "source": source,
            });
            println!("{line}");
        }
    }
}
