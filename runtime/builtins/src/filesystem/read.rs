//! `filesystem.read`: a page of a text file, or an image.

use std::borrow::Cow;
use std::io::Read as _;

use cap_std::fs::File;
use onionskin_core::content::Image;
use onionskin_core::secret::StreamRedactor;
use onionskin_core::{Effect, Exit, ToolDefinition, ToolError, ToolOutput, ToolResult};
use serde::Deserialize;
use serde_json::{Value, json};

use super::page::{End, Page};
use super::tool::{Operation, Work, refused};
use crate::definition::definition;
use crate::folder::PathError;
use crate::names::shown_path;

/// The most bytes of an image, which is what large providers take.
const MAX_IMAGE: u64 = 5 * 1024 * 1024;
/// The bytes that are read at once.
const PIECE: u64 = 64 * 1024;

pub(super) struct Read;

#[derive(Deserialize)]
pub(super) struct Arguments {
    path: String,
    from: Option<u64>,
    lines: Option<u64>,
}

/// The schemas of the arguments that choose a page: `from` and `lines`.
pub(crate) fn page_arguments() -> [Value; 2] {
    [
        "The number of the first line to read; default 1.",
        "How many lines to read; default as many as a page can have.",
    ]
    .map(|description| json!({ "type": ["integer", "null"], "minimum": 1, "description": description }))
}

impl Operation for Read {
    const NAME: &'static str = "filesystem.read";
    type Arguments = Arguments;

    fn definition() -> ToolDefinition {
        let description =
            "Reads a text file, or an image. A long text comes in pages: the result says where to go on.";
        let [from, lines] = page_arguments();
        let arguments = json!({
            "path": { "type": "string", "description": "The file, relative to the root folder." },
            "from": from,
            "lines": lines
        });
        definition(Self::NAME, description, Effect::Pure, &["path"], arguments)
    }

    fn run(work: &Work, Arguments { path, from, lines }: Arguments) -> ToolResult {
        read(work, &path, from, lines)
    }
}

/// A page of a text file from the line `from` on, or an image.
pub(crate) fn read(work: &Work, path: &str, from: Option<u64>, lines: Option<u64>) -> ToolResult {
    let mut file = work.filesystem.folder.file(path)?;
    let mut bytes = Vec::new();
    more(path, &mut file, &mut bytes)?;
    if Image::from_bytes(&bytes[..bytes.len().min(16)]).is_ok() {
        return image(path, file, bytes);
    }
    let from = from.unwrap_or(1);
    let mut page = Page::new(from, lines, work.filesystem.max_output);
    fill(work, path, file, bytes, &mut page)?;
    output(path, from, page)
}

/// Reads the next bytes; `false` at the end.
fn more(path: &str, file: &mut File, bytes: &mut Vec<u8>) -> Result<bool, PathError> {
    let read = file.take(PIECE).read_to_end(bytes).map_err(|error| PathError::new(path, error))?;
    Ok(read > 0)
}

fn image(path: &str, file: File, mut bytes: Vec<u8>) -> ToolResult {
    file.take(MAX_IMAGE).read_to_end(&mut bytes).map_err(|error| PathError::new(path, error))?;
    let too_large = bytes.len() as u64 > MAX_IMAGE;
    match Image::from_bytes(&bytes) {
        Ok(image) if !too_large => {
            let mut output = ToolOutput::blocks([]);
            output.push(image);
            Ok(output)
        }
        _ => Err(Exit::Tool(ToolError::new(format!(
            "`{}` is an image of more than {MAX_IMAGE} bytes: make a smaller one, or describe it without its content",
            shown_path(path)
        )))),
    }
}

/// Reads text until the page is complete.
fn fill(work: &Work, path: &str, mut file: File, mut bytes: Vec<u8>, page: &mut Page) -> ToolResult<()> {
    let mut secrets = work.secrets.clone().map(StreamRedactor::new);
    let mut before = 0;
    loop {
        work.go_on()?;
        let (valid, is_whole) = match str::from_utf8(&bytes) {
            Ok(text) => (text, true),
            Err(error) => {
                let end = error.valid_up_to();
                // A character may go on in the next piece.
                let is_whole = error.error_len().is_none();
                (str::from_utf8(&bytes[..end]).unwrap_or_default(), is_whole)
            }
        };
        if let Some(nul) = valid.find('\0') {
            return Err(not_text(path, before + nul as u64));
        }
        let text = match &mut secrets {
            Some(secrets) => Cow::Owned(secrets.push(valid)),
            None => Cow::Borrowed(valid),
        };
        if !page.push(&text) {
            return Ok(());
        }
        let end = valid.len();
        before += end as u64;
        if !is_whole {
            return Err(not_text(path, before));
        }
        bytes.drain(..end);
        if !more(path, &mut file, &mut bytes)? {
            if !bytes.is_empty() {
                return Err(not_text(path, before));
            }
            if let Some(secrets) = &mut secrets {
                page.push(&secrets.finish());
            }
            return Ok(());
        }
    }
}

fn not_text(path: &str, at: u64) -> Exit {
    Exit::Tool(ToolError::new(format!(
        "`{}` is not text in UTF-8 (see its byte {at}): only text and PNG, JPEG, GIF or WebP images can be read",
        shown_path(path)
    )))
}

fn output(path: &str, from: u64, page: Page) -> ToolResult {
    let lines = page.line_count();
    if page.text.is_empty() && page.end == End::WholeText {
        return match lines {
            0 => Ok(ToolOutput::text("(the file is empty)")),
            _ => Err(refused(format!("`{}` has {lines} lines: `from` is at most {lines}", shown_path(path)))),
        };
    }
    let note = match page.end {
        End::WholeText => None,
        End::Before(next) => {
            Some(format!("[These are lines {from} to {}. Go on with `from` = {next}.]", next - 1))
        }
        End::Within(line) => Some(format!(
            "[This is the beginning of line {line}, which is too long. Go on with `from` = {}.]",
            line + 1
        )),
    };
    let mut output = ToolOutput::text(page.text);
    if let Some(note) = note {
        output.push_text(note);
    }
    Ok(output)
}
