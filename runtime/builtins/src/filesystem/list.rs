//! `filesystem.list`: the entries of a folder.

use cap_std::fs::Dir;
use onionskin_core::{Effect, ToolDefinition, ToolOutput, ToolResult};
use serde::Deserialize;
use serde_json::json;

use super::tool::{Operation, Work, refused};
use super::walk::{FolderEntry, Kind, entries, prefix};
use crate::definition::definition;
use crate::folder::PathError;
use crate::names::shown;

/// The most entries of one result.
const MAX_ENTRIES: usize = 1000;
/// The most levels of folders.
const MAX_DEPTH: u32 = 16;

pub(super) struct List;

#[derive(Deserialize)]
pub(super) struct Arguments {
    path: Option<String>,
    depth: Option<u32>,
    after: Option<String>,
}

impl Operation for List {
    const NAME: &'static str = "filesystem.list";
    type Arguments = Arguments;

    fn definition() -> ToolDefinition {
        let description = "Lists the files and folders in a folder. Folders end in a slash.";
        let arguments = json!({
            "path": { "type": ["string", "null"], "description": "The folder, relative to the root folder; default the root folder itself." },
            "depth": {
                "type": ["integer", "null"],
                "minimum": 1,
                "maximum": MAX_DEPTH,
                "description": "How many levels of folders to list; default 1."
            },
            "after": { "type": ["string", "null"], "description": "The last path of an earlier listing, to go on after it." }
        });
        definition(Self::NAME, description, Effect::Pure, &[], arguments)
    }

    fn run(work: &Work, Arguments { path, depth, after }: Arguments) -> ToolResult {
        let path = path.as_deref().unwrap_or(".");
        let dir = work.filesystem.folder.dir(path)?;
        let prefix = prefix(path);
        let after = match &after {
            None => Vec::new(),
            Some(after) => match after.strip_prefix(&prefix) {
                Some(rest) => rest.trim_end_matches('/').split('/').collect(),
                None => {
                    return Err(refused(format!(
                        "`after` begins with `{}`, as the paths of this listing do",
                        shown(&prefix)
                    )));
                }
            },
        };
        let mut listing = Listing { work, lines: Vec::new(), bytes: 0, last: None, more: false };
        listing.level(&dir, path, &prefix, depth.unwrap_or(1), &after)?;
        Ok(listing.output())
    }
}

struct Listing<'w> {
    work: &'w Work,
    lines: Vec<String>,
    bytes: usize,
    /// The path of the last entry that a model can name.
    last: Option<String>,
    more: bool,
}

impl Listing<'_> {
    /// Lists a folder, after the entry that `after` leads to.
    fn level(&mut self, dir: &Dir, path: &str, prefix: &str, depth: u32, after: &[&str]) -> ToolResult<()> {
        let most = MAX_ENTRIES + 1;
        let (entries, more) = match entries(self.work, dir, after.first().copied(), most)? {
            Ok(entries) => entries,
            // The folder that was asked for.
            Err(error) if self.lines.is_empty() && after.is_empty() => {
                return Err(PathError::new(path, error).into());
            }
            Err(_) => {
                self.add(format!("{} (cannot be listed)", shown(prefix)), None);
                return Ok(());
            }
        };
        for entry in entries {
            // It was listed before, or is on the way to what was.
            let known = after.first().is_some_and(|first| *first == entry.text);
            if !known && !self.add(entry.line(prefix), entry.path(prefix)) {
                return Ok(());
            }
            if entry.kind == Kind::Folder && depth > 1 {
                let rest = if known { after.get(1..).unwrap_or_default() } else { &[] };
                self.folder(dir, prefix, &entry, depth - 1, rest)?;
                if self.more {
                    return Ok(());
                }
            }
        }
        self.more |= more;
        Ok(())
    }

    fn folder(
        &mut self,
        dir: &Dir,
        prefix: &str,
        entry: &FolderEntry,
        depth: u32,
        after: &[&str],
    ) -> ToolResult<()> {
        let Some(path) = entry.path(prefix) else { return Ok(()) };
        // It is removed, a link by now, or not for this user: its own line remains.
        let Ok(inner) = dir.open_dir(&entry.name) else { return Ok(()) };
        self.level(&inner, &path, &format!("{path}/"), depth, after)
    }

    /// Adds a line; `false` if there is no place for it.
    fn add(&mut self, line: String, path: Option<String>) -> bool {
        if self.lines.len() == MAX_ENTRIES || self.bytes + line.len() > self.work.filesystem.max_output {
            self.more = true;
            return false;
        }
        self.bytes += line.len() + 1;
        self.lines.push(line);
        if path.is_some() {
            self.last = path;
        }
        true
    }

    fn output(self) -> ToolOutput {
        if self.lines.is_empty() && !self.more {
            return ToolOutput::text("(no entries)");
        }
        let mut output = ToolOutput::text(self.lines.join("\n"));
        if self.more {
            let after = self.last.map(|last| format!(" Go on with `after` = {}.", shown(&last)));
            output.push_text(format!("[There are more entries.{}]", after.unwrap_or_default()));
        }
        output
    }
}
