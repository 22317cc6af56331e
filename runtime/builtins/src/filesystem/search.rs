//! `filesystem.search`: finds lines in files, or files by their names.

use std::borrow::Cow;
use std::io::Read as _;
use std::path::Path;
use std::time::{Duration, Instant};

use cap_std::fs::{Dir, File};
use globset::{GlobBuilder, GlobMatcher};
use onionskin_core::text::short;
use onionskin_core::{Effect, ToolDefinition, ToolOutput, ToolResult};
use regex::{Regex, RegexBuilder};
use serde::Deserialize;
use serde_json::json;

use super::tool::{Operation, Work, refused};
use super::walk::{FolderEntry, Kind, entries, prefix};
use crate::definition::definition;
use crate::folder::{PathError, open};
use crate::names::shown;

/// The most results.
const MAX_RESULTS: usize = 200;
/// The most bytes of a file that is searched.
const MAX_FILE: u64 = 4 * 1024 * 1024;
/// The most bytes of a line that are searched.
const MAX_LINE: usize = 16 * 1024;
/// About how many bytes of a line are shown.
const SHOWN_LINE: usize = 300;
/// The most entries of one folder.
const MAX_ENTRIES: usize = 100_000;
/// The most levels of folders.
const MAX_DEPTH: usize = 64;
/// The longest time, shorter than the tool's limit, so that what was found is not lost.
const MAX_TIME: Duration = Duration::from_secs(20);
/// The most bytes of a compiled pattern, which bounds the time per byte.
const MAX_PATTERN: usize = 256 * 1024;
/// The most bytes of a pattern of names, which bounds the time per byte of a name.
const MAX_FILES: usize = 1000;

pub(super) struct Search;

#[derive(Deserialize)]
pub(super) struct Arguments {
    pattern: Option<String>,
    path: Option<String>,
    files: Option<String>,
}

impl Operation for Search {
    const NAME: &'static str = "filesystem.search";
    type Arguments = Arguments;

    fn definition() -> ToolDefinition {
        let description = "Finds lines in files by a regular expression, as `path:line: text`. Without `pattern`, finds files by their names.";
        let arguments = json!({
            "pattern": {
                "type": ["string", "null"],
                "minLength": 1,
                "description": "A regular expression for parts of lines; `(?i)` at its beginning ignores case."
            },
            "path": {
                "type": ["string", "null"],
                "description": "The folder or the file to search, relative to the root folder; default the root folder itself."
            },
            "files": {
                "type": ["string", "null"],
                "minLength": 1,
                "description": "Search only files whose names match, such as `*.rs`; with a slash, whose paths in the folder match, such as `src/**/*.rs`."
            }
        });
        definition(Self::NAME, description, Effect::Pure, &[], arguments)
    }

    fn run(work: &Work, Arguments { pattern, path, files }: Arguments) -> ToolResult {
        if pattern.is_none() && files.is_none() {
            return Err(refused(
                "give `pattern` to find lines, `files` to find files by their names, or both",
            ));
        }
        let pattern = pattern.as_deref().map(compiled).transpose()?;
        let names = files.as_deref().map(Names::new).transpose()?;
        let path = path.as_deref().unwrap_or(".");
        let mut found = SearchRun {
            work,
            pattern,
            names,
            until: Instant::now() + MAX_TIME,
            lines: Vec::new(),
            bytes: 0,
            end: None,
            left_out: LeftOut::default(),
        };
        let folder = &work.filesystem.folder;
        if folder.metadata(path)?.is_dir() {
            let dir = folder.dir(path)?;
            let prefix = prefix(path);
            found.folder(&dir, path, &prefix, prefix.len(), 1)?;
        } else {
            let file = folder.file(path)?;
            let name = Path::new(path).file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
            if found.names.as_ref().is_none_or(|names| names.fit(&name, &name)) {
                found.file(path, || Ok(file))?;
            }
        }
        Ok(found.output())
    }
}

fn compiled(pattern: &str) -> ToolResult<Regex> {
    let built = RegexBuilder::new(pattern).size_limit(MAX_PATTERN).dfa_size_limit(4 * MAX_PATTERN).build();
    built.map_err(|error| {
        let error = error.to_string();
        refused(format!("`pattern` is not a regular expression that can be used: {}", short(&error, 500)))
    })
}

/// Which files are searched. A comparison takes time in proportion to the name, whatever the pattern is.
struct Names {
    pattern: GlobMatcher,
    of_paths: bool,
}

impl Names {
    fn new(files: &str) -> ToolResult<Self> {
        if files.len() > MAX_FILES {
            return Err(refused(format!("`files` has more than {MAX_FILES} bytes: write a shorter pattern")));
        }
        let pattern = GlobBuilder::new(files).literal_separator(true).build().map_err(|error| {
            refused(format!("`files` is not a pattern of names such as `*.rs`: {}", error.kind()))
        })?;
        Ok(Self { pattern: pattern.compile_matcher(), of_paths: files.contains('/') })
    }

    fn fit(&self, name: &str, path: &str) -> bool {
        self.pattern.is_match(if self.of_paths { path } else { name })
    }
}

/// What was not searched.
#[derive(Default)]
struct LeftOut {
    large: usize,
    unreadable: usize,
    deep: usize,
    more_entries: usize,
    not_utf8: usize,
    long_lines: usize,
}

/// Why the search ended before its end.
#[derive(Clone, Copy)]
enum End {
    Full,
    Time,
}

struct SearchRun<'w> {
    work: &'w Work,
    pattern: Option<Regex>,
    names: Option<Names>,
    until: Instant,
    lines: Vec<String>,
    bytes: usize,
    end: Option<End>,
    left_out: LeftOut,
}

impl SearchRun<'_> {
    /// Searches a folder. The paths of its files begin with `prefix`, and those for the names after `base` bytes.
    fn folder(&mut self, dir: &Dir, path: &str, prefix: &str, base: usize, depth: usize) -> ToolResult<()> {
        let (entries, more) = match entries(self.work, dir, None, MAX_ENTRIES)? {
            Ok(found) => found,
            Err(error) if depth == 1 => return Err(PathError::new(path, error).into()),
            Err(_) => {
                self.left_out.unreadable += 1;
                return Ok(());
            }
        };
        self.left_out.more_entries += usize::from(more);
        for entry in entries {
            self.work.go_on()?;
            if self.is_over() {
                return Ok(());
            }
            match entry.kind {
                Kind::Folder if entry.text == ".git" => {}
                Kind::Folder => self.inner(dir, prefix, &entry, base, depth)?,
                Kind::File => self.entry(dir, prefix, &entry, base)?,
                Kind::Link | Kind::Special(_) => {}
            }
        }
        Ok(())
    }

    fn inner(
        &mut self,
        dir: &Dir,
        prefix: &str,
        entry: &FolderEntry,
        base: usize,
        depth: usize,
    ) -> ToolResult<()> {
        if depth == MAX_DEPTH {
            self.left_out.deep += 1;
            return Ok(());
        }
        let Some(path) = entry.path(prefix) else {
            self.left_out.not_utf8 += 1;
            return Ok(());
        };
        match dir.open_dir(&entry.name) {
            Ok(inner) => self.folder(&inner, &path, &format!("{path}/"), base, depth + 1),
            Err(_) => {
                self.left_out.unreadable += 1;
                Ok(())
            }
        }
    }

    fn entry(&mut self, dir: &Dir, prefix: &str, entry: &FolderEntry, base: usize) -> ToolResult<()> {
        let in_folder = format!("{}{}", &prefix[base..], entry.text);
        if self.names.as_ref().is_some_and(|names| !names.fit(&entry.text, &in_folder)) {
            return Ok(());
        }
        match entry.path(prefix) {
            Some(path) => self.file(&path, || open(dir, Path::new(&entry.name), true)),
            None => {
                self.left_out.not_utf8 += 1;
                Ok(())
            }
        }
    }

    fn file(&mut self, path: &str, file: impl FnOnce() -> std::io::Result<File>) -> ToolResult<()> {
        let Some(pattern) = self.pattern.clone() else {
            self.add(shown(path).into_owned());
            return Ok(());
        };
        let mut bytes = Vec::new();
        let read = file().and_then(|file| {
            // It may be a pipe by now.
            if !file.metadata()?.is_file() {
                return Err(std::io::ErrorKind::Unsupported.into());
            }
            file.take(MAX_FILE + 1).read_to_end(&mut bytes)
        });
        match read {
            Err(_) => self.left_out.unreadable += 1,
            Ok(_) if bytes.contains(&0) => {}
            Ok(_) if bytes.len() as u64 > MAX_FILE => self.left_out.large += 1,
            Ok(_) => self.text(path, &pattern, &String::from_utf8_lossy(&bytes))?,
        }
        Ok(())
    }

    fn text(&mut self, path: &str, pattern: &Regex, text: &str) -> ToolResult<()> {
        // Before the search: what it finds would tell about a secret, piece by piece.
        let text = match &self.work.secrets {
            Some(secrets) => secrets.redact(text),
            None => Cow::Borrowed(text),
        };
        let mut has_long = false;
        for (number, line) in text.lines().enumerate() {
            if number % 64 == 0 || line.len() > 1024 {
                self.work.go_on()?;
                if self.is_over() {
                    return Ok(());
                }
            }
            let searched = &line[..line.floor_char_boundary(MAX_LINE)];
            has_long |= searched.len() < line.len();
            if let Some(found) = pattern.find(searched) {
                let line = format!("{}:{}: {}", shown(path), number + 1, around(line, found.start()));
                if !self.add(line) {
                    return Ok(());
                }
            }
        }
        self.left_out.long_lines += usize::from(has_long);
        Ok(())
    }

    fn is_over(&mut self) -> bool {
        if self.end.is_none() && Instant::now() > self.until {
            self.end = Some(End::Time);
        }
        self.end.is_some()
    }

    /// Adds a result; `false` if there is no place for it.
    fn add(&mut self, line: String) -> bool {
        if self.lines.len() == MAX_RESULTS || self.bytes + line.len() > self.work.filesystem.max_output {
            self.end = Some(End::Full);
            return false;
        }
        self.bytes += line.len() + 1;
        self.lines.push(line);
        true
    }

    fn output(self) -> ToolOutput {
        let mut notes: Vec<String> = match self.end {
            Some(End::Full) => {
                vec!["There are more results: narrow `pattern`, `path` or `files`.".to_owned()]
            }
            Some(End::Time) => {
                let seconds = MAX_TIME.as_secs();
                vec![format!("The search ended after {seconds} seconds: narrow `path` or `files`.")]
            }
            None => Vec::new(),
        };
        let left_out = self.left_out.list();
        if !left_out.is_empty() {
            notes.push(format!("Not searched: {}.", left_out.join(", ")));
        }
        let lines = if self.lines.is_empty() { "(no results)".to_owned() } else { self.lines.join("\n") };
        let mut output = ToolOutput::text(lines);
        if !notes.is_empty() {
            output.push_text(format!("[{}]", notes.join(" ")));
        }
        output
    }
}

impl LeftOut {
    fn list(&self) -> Vec<String> {
        [
            (self.large, format!("files of more than {MAX_FILE} bytes")),
            (self.unreadable, "files or folders that cannot be read".to_owned()),
            (self.deep, format!("folders deeper than {MAX_DEPTH} levels")),
            (self.more_entries, format!("folders after their first {MAX_ENTRIES} entries")),
            (self.not_utf8, "files or folders with names that are not UTF-8".to_owned()),
            (self.long_lines, format!("files after the first {MAX_LINE} bytes of long lines")),
        ]
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{count} {what}"))
        .collect()
    }
}

/// The part of a line that shows what was found.
fn around(line: &str, found: usize) -> Cow<'_, str> {
    if line.len() <= SHOWN_LINE {
        return Cow::Borrowed(line);
    }
    let begin = line.floor_char_boundary(found.saturating_sub(SHOWN_LINE / 3));
    let end = line.floor_char_boundary(begin + SHOWN_LINE);
    let before = if begin > 0 { "\u{2026}" } else { "" };
    let after = if end < line.len() { "\u{2026}" } else { "" };
    Cow::Owned(format!("{before}{}{after}", &line[begin..end]))
}
