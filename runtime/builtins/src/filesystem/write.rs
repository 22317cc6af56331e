//! `filesystem.write`: makes a text file, or replaces a whole one.

use onionskin_core::{Effect, ToolDefinition, ToolOutput, ToolResult};
use serde::Deserialize;
use serde_json::json;

use super::replace::Place;
use super::tool::{Operation, Work};
use crate::definition::definition;
use crate::names::shown_path;

pub(super) struct Write;

#[derive(Deserialize)]
pub(super) struct Arguments {
    path: String,
    text: String,
}

impl Operation for Write {
    const NAME: &'static str = "filesystem.write";
    type Arguments = Arguments;

    fn definition() -> ToolDefinition {
        let description = "Writes a text file. It makes missing folders, and replaces the whole content of a file that exists.";
        let arguments = json!({
            "path": { "type": "string", "description": "The file, relative to the root folder." },
            "text": { "type": "string", "description": "The whole new content." }
        });
        definition(Self::NAME, description, Effect::Idempotent, &["path", "text"], arguments)
    }

    fn run(work: &Work, Arguments { path, text }: Arguments) -> ToolResult {
        work.go_on()?;
        let place = Place::for_new(&work.filesystem.folder, &path)?;
        place.alone(|| {
            let old = place.current(&path)?;
            place.replace(work, &path, text.as_bytes(), old.as_ref(), None)?;
            let done = if old.is_some() { "replaced" } else { "made" };
            Ok(ToolOutput::text(format!("{done} `{}` ({} bytes)", shown_path(&path), text.len())))
        })
    }
}
