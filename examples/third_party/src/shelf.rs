//! A toolbox that is generic over what keeps its texts.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use onionskin_core::{Args, DynTool, ToolContext, ToolDefinition, ToolResult, ToolSpec, Toolbox};
use serde_json::json;

/// Keeps texts.
pub trait Store: fmt::Debug + Send + Sync + 'static {
    /// Keeps a text under a name.
    fn put(&self, name: String, text: String);

    /// The text of this name.
    fn get(&self, name: &str) -> Option<String>;
}

/// Keeps texts while the program runs.
#[derive(Debug, Default)]
pub struct Memory(Mutex<BTreeMap<String, String>>);

impl Store for Memory {
    fn put(&self, name: String, text: String) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(name, text);
    }

    fn get(&self, name: &str) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
    }
}

/// A toolbox that files and finds texts: `toolboxes: [Shelf<Memory>]`.
#[derive(Debug, Default)]
pub struct Shelf<S>(pub S);

impl<S: Store> Toolbox for Shelf<S> {
    const NAME: &'static str = "Shelf";
    const TOOLS: &'static [&'static [&'static str]] = &[&["file_text", "find_text"]];
    const METHODS: &'static [&'static [&'static str]] = &[&["put", "get"]];
    type State = ();

    fn bound(this: &Arc<Self>) -> Vec<Arc<dyn DynTool>> {
        let text = || json!({ "type": "string" });
        vec![
            tool(
                this,
                definition("file_text", "Files a text.", &json!({ "name": text(), "text": text() })),
                |shelf, args| {
                    let text = |name| args[name].as_str().unwrap_or_default().to_owned();
                    shelf.0.put(text("name"), text("text"));
                    Ok("filed".to_owned())
                },
            ),
            tool(
                this,
                definition("find_text", "Finds a text.", &json!({ "name": text() })),
                |shelf, args| {
                    let name = args["name"].as_str().unwrap_or_default();
                    shelf.0.get(name).ok_or_else(|| format!("no text is filed as `{name}`").into())
                },
            ),
        ]
    }
}

/// The definition of a tool that needs all of these parameters.
fn definition(name: &str, description: &str, properties: &serde_json::Value) -> ToolDefinition {
    let required: Vec<_> = properties.as_object().into_iter().flatten().map(|(name, _)| name).collect();
    ToolDefinition::new(name, description).with_input_schema(json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    }))
}

/// A tool that works on the shelf.
fn tool<S: Store>(
    shelf: &Arc<Shelf<S>>,
    definition: ToolDefinition,
    work: fn(&Shelf<S>, &Args) -> ToolResult<String>,
) -> Arc<dyn DynTool> {
    let shelf = Arc::clone(shelf);
    Arc::new(ToolSpec::from_definition(definition, move |args: Args, _: ToolContext| {
        let result = work(&shelf, &args);
        async move { result }
    }))
}
