//! The tool [`read_spilled`](fn@read_spilled).

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;

use onionskin_core::services::Provided;
use onionskin_core::{Exit, Tool as _, ToolContext, ToolError, ToolResult, tool};

use super::SpillFolder;

/// The bytes of a page.
const PAGE: usize = 8 << 10;
/// The most places that a search lists.
const MAX_PLACES: usize = 50;
/// The bytes that a search shows before and after a place.
const AROUND: usize = 60;

/// Reads a page of a long result that was stored in a file, or finds a text in it.
#[expect(
    clippy::missing_errors_doc,
    clippy::needless_pass_by_value,
    reason = "the model reads the documentation, and the runtime gives the values"
)]
#[tool(blocking, effect = pure)]
pub fn read_spilled(
    /// The name of the file, as the shortened result says it.
    file: String,
    /// The page to read, 1 for the first one.
    page: Option<u32>,
    /// A text to find in the whole file, in place of a page. The answer lists the places and their pages.
    find: Option<String>,
    ctx: &ToolContext,
    folder: Provided<SpillFolder>,
) -> ToolResult<String> {
    let path = folder.find(ctx.run(), &file).ok_or_else(|| unknown(&file))?;
    let read = match find.filter(|text| !text.is_empty()) {
        Some(text) => search(&path, &text).map(Ok),
        None => read(&path, page.unwrap_or(1)),
    };
    match read {
        Ok(read) => read.map_err(Into::into),
        // The file was removed since it was found.
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(unknown(&file)),
        Err(error) => Err(ToolError::from_source(error).into()),
    }
}

fn unknown(file: &str) -> Exit {
    Exit::tool(format!(
        "this run has no stored result `{file}`: it has another name, or was removed for later ones; call the tool again to get it"
    ))
}

/// Whether a call is one of this tool, and not of another one that the program calls so.
pub(super) fn is_own_tool(cx: &ToolContext) -> bool {
    cx.tool_name() == read_spilled::NAME
        && cx.definition().description == read_spilled::default().definition().description
}

/// The number of pages of a text.
pub(super) fn pages(bytes: usize) -> usize {
    bytes.div_ceil(PAGE)
}

/// A page; a character on the border belongs to the page where it begins.
fn read(path: &Path, page: u32) -> io::Result<Result<String, ToolError>> {
    let mut file = File::open(path)?;
    let size = usize::try_from(file.metadata()?.len()).unwrap_or(usize::MAX);
    let number = usize::try_from(page).unwrap_or(usize::MAX);
    let last = pages(size);
    if !(1..=last).contains(&number) {
        return Ok(Err(ToolError::retry(format!("there is no page {page}: the pages are 1 to {last}"))));
    }
    file.seek(SeekFrom::Start(((number - 1) * PAGE) as u64))?;
    let mut bytes = Vec::new();
    file.take(PAGE as u64 + 3).read_to_end(&mut bytes)?;
    let continues = |byte: &u8| byte & 0b1100_0000 == 0b1000_0000;
    let start = bytes.iter().take_while(|byte| continues(byte)).count();
    let border = bytes.len().min(PAGE);
    let end = border + bytes[border..].iter().take_while(|byte| continues(byte)).count();
    let text = String::from_utf8_lossy(&bytes[start.min(end)..end]);
    Ok(Ok(format!("[page {number} of {last}]\n{text}")))
}

fn search(path: &Path, find: &str) -> io::Result<String> {
    let text = std::fs::read_to_string(path)?;
    let mut places = text.match_indices(find);
    let mut shown = String::new();
    for (at, found) in places.by_ref().take(MAX_PLACES) {
        let (from, to) = (at.saturating_sub(AROUND), (at + found.len() + AROUND).min(text.len()));
        let around = &text[text.ceil_char_boundary(from)..text.floor_char_boundary(to)];
        shown.push_str(&format!("page {}: {}\n", at / PAGE + 1, around.replace('\n', " ")));
    }
    let more = places.count();
    if shown.is_empty() {
        shown.push_str("the text is not in the file");
    } else if more > 0 {
        shown.push_str(&format!("and {more} more places"));
    }
    Ok(shown)
}
