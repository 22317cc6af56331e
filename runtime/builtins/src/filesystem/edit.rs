//! `filesystem.edit`: replaces a text in a file.

use onionskin_core::{Effect, ErrorKind, Exit, ToolDefinition, ToolError, ToolOutput, ToolResult};
use serde::Deserialize;
use serde_json::json;

use super::replace::Place;
use super::tool::{Operation, Work, refused};
use crate::folder::PathError;
use crate::names::given;

/// The most bytes of a file to edit.
const MAX_FILE: u64 = 10 * 1024 * 1024;
/// How often an edit is done again because another program changed the file meanwhile.
const ATTEMPTS: usize = 5;
/// The most line numbers that an error lists.
const MAX_PLACES: usize = 10;

pub(super) struct Edit;

#[derive(Deserialize)]
pub(super) struct Given {
    path: String,
    old: String,
    new: String,
    all: Option<bool>,
}

impl Operation for Edit {
    const NAME: &'static str = "filesystem.edit";
    type Given = Given;

    fn definition() -> ToolDefinition {
        let description =
            "Replaces a text in a file. The text must be at exactly one place, unless `all` is true.";
        let mut definition = ToolDefinition::new(Self::NAME, description).with_input_schema(json!({
            "type": "object",
            "properties": {
                "path": {
                    "type": "string",
                    "description": "The file, relative to the root folder."
                },
                "old": {
                    "type": "string",
                    "minLength": 1,
                    "description": "The text to replace, exactly as in the file, with enough around it to be there once."
                },
                "new": {
                    "type": "string",
                    "description": "The text in its place."
                },
                "all": {
                    "type": ["boolean", "null"],
                    "description": "Whether to replace the text at all places; default false."
                }
            },
            "required": ["path", "old", "new"],
            "additionalProperties": false
        }));
        definition.annotations.read_only = Some(false);
        definition.annotations.destructive = Some(true);
        definition.annotations.idempotent = Some(false);
        definition.effect = Effect::Once;
        definition
    }

    fn run(work: &Work, edit: Given) -> ToolResult {
        if edit.old.is_empty() || edit.old == edit.new {
            return Err(refused("`old` is empty or equals `new`: give the text to replace, and another one"));
        }
        work.go_on()?;
        let path = edit.path.as_str();
        let place = Place::of(&work.filesystem.folder, path)?;
        place.alone(|| {
            for _ in 0..ATTEMPTS {
                let Some(old) = place.current(path)? else {
                    return Err(PathError::Missing(given(path)).into());
                };
                let before = place.content(path, MAX_FILE)?;
                let (after, done) = edit.apply(&before)?;
                if place.replace(work, path, after.as_bytes(), Some(&old), Some(&before))? {
                    return Ok(ToolOutput::text(done));
                }
                work.go_on()?;
            }
            Err(Exit::Tool(
                ToolError::new(format!(
                    "another program changes `{}` all the time: read it again, then repeat the edit",
                    given(path)
                ))
                .with_kind(ErrorKind::Retry),
            ))
        })
    }
}

impl Given {
    /// The new content, and what to say about it.
    fn apply(&self, content: &[u8]) -> ToolResult<(String, String)> {
        let path = given(&self.path);
        let Ok(text) = str::from_utf8(content) else {
            let problem = format!("`{path}` is not text in UTF-8: it cannot be edited");
            return Err(Exit::Tool(ToolError::new(problem)));
        };
        let places: Vec<usize> = text.match_indices(&self.old).map(|(at, _)| at).collect();
        let lines = || {
            let line = |at: &usize| (text[..*at].matches('\n').count() + 1).to_string();
            let lines: Vec<_> = places.iter().take(MAX_PLACES).map(line).collect();
            format!("{}{}", lines.join(", "), if places.len() > MAX_PLACES { ", .." } else { "" })
        };
        match places.len() {
            0 => {
                let line_ends =
                    text.contains("\r\n") && self.old.contains('\n') && !self.old.contains("\r\n");
                let advice = if line_ends {
                    "its lines end in \\r\\n, so write \\r\\n in `old` and `new`"
                } else {
                    "read the file, and copy the text exactly, with its spaces and line ends"
                };
                Err(Exit::Tool(ToolError::new(format!("`old` is at no place of `{path}`: {advice}"))))
            }
            2.. if self.all != Some(true) => Err(Exit::Tool(ToolError::new(format!(
                "`old` is at {} places of `{path}` (lines {}): add text around it until it is at one, or set `all`",
                places.len(),
                lines()
            )))),
            1 => {
                let done = format!("edited `{path}` in line {}", lines());
                Ok((text.replacen(&self.old, &self.new, 1), done))
            }
            count => {
                let done = format!("edited `{path}` at {count} places (lines {})", lines());
                Ok((text.replace(&self.old, &self.new), done))
            }
        }
    }
}
