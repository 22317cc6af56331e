//! `filesystem.edit`: replaces a text in a file.

use onionskin_core::{Effect, ErrorKind, Exit, ToolDefinition, ToolError, ToolOutput, ToolResult};
use serde::Deserialize;
use serde_json::json;

use super::replace::Place;
use super::tool::{Operation, Work, refused};
use crate::definition::definition;
use crate::folder::PathError;
use crate::names::shown_path;

/// The most bytes of a file, before an edit and after it.
const MAX_FILE: u64 = 10 * 1024 * 1024;
/// How often an edit is done again because another program changed the file meanwhile.
const ATTEMPTS: usize = 5;
/// The most line numbers that an error lists.
const MAX_PLACES: usize = 10;

pub(super) struct Edit;

#[derive(Deserialize)]
pub(super) struct Arguments {
    path: String,
    old: String,
    new: String,
    all: Option<bool>,
}

impl Operation for Edit {
    const NAME: &'static str = "filesystem.edit";
    type Arguments = Arguments;

    fn definition() -> ToolDefinition {
        let description =
            "Replaces a text in a file. The text must be at exactly one place, unless `all` is true.";
        let arguments = json!({
            "path": { "type": "string", "description": "The file, relative to the root folder." },
            "old": {
                "type": "string",
                "minLength": 1,
                "description": "The text to replace, exactly as in the file, with enough around it to be there once."
            },
            "new": { "type": "string", "description": "The text in its place." },
            "all": { "type": ["boolean", "null"], "description": "Whether to replace the text at all places; default false." }
        });
        definition(Self::NAME, description, Effect::Once, &["path", "old", "new"], arguments)
    }

    fn run(work: &Work, edit: Arguments) -> ToolResult {
        if edit.old.is_empty() || edit.old == edit.new {
            return Err(refused("`old` is empty or equals `new`: give the text to replace, and another one"));
        }
        work.go_on()?;
        let path = edit.path.as_str();
        let place = Place::open(&work.filesystem.folder, path)?;
        place.alone(|| {
            for _ in 0..ATTEMPTS {
                let Some(old) = place.current(path)? else {
                    return Err(PathError::Missing(shown_path(path)).into());
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
                    shown_path(path)
                ))
                .with_kind(ErrorKind::Retry),
            ))
        })
    }
}

impl Arguments {
    /// The new content, and what to say about it.
    fn apply(&self, content: &[u8]) -> ToolResult<(String, String)> {
        let path = shown_path(&self.path);
        let Ok(text) = str::from_utf8(content) else {
            let problem = format!("`{path}` is not text in UTF-8: it cannot be edited");
            return Err(Exit::Tool(ToolError::new(problem)));
        };
        let count = text.matches(&self.old).count();
        let lines = || {
            let line = |(at, _): (usize, _)| (text[..at].matches('\n').count() + 1).to_string();
            let lines: Vec<_> = text.match_indices(&self.old).take(MAX_PLACES).map(line).collect();
            format!("{}{}", lines.join(", "), if count > MAX_PLACES { ", .." } else { "" })
        };
        match count {
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
                "`old` is at {count} places of `{path}` (lines {}): add text around it until it is at one, or set `all`",
                lines()
            )))),
            1.. => {
                // Before it is made: short texts at many places can become more than the memory holds.
                let added = (count as u64).saturating_mul(self.new.len() as u64);
                let size = ((text.len() - count * self.old.len()) as u64).saturating_add(added);
                if size > MAX_FILE {
                    return Err(refused(format!(
                        "`{path}` would have {size} bytes after this edit, and {MAX_FILE} is the most: make `new` shorter, or edit fewer places"
                    )));
                }
                let done = match count {
                    1 => format!("edited `{path}` in line {}", lines()),
                    _ => format!("edited `{path}` at {count} places (lines {})", lines()),
                };
                Ok((text.replace(&self.old, &self.new), done))
            }
        }
    }
}
