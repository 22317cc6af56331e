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
/// The bytes that one search reads, as pages.
const SEARCHED_PAGES: usize = 2048;
/// The bytes of the longest text to find, which each place repeats.
const MAX_FIND: usize = 1 << 10;
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
    /// The page to read, 1 for the first one; with `find`, the page where the search begins.
    page: Option<u32>,
    /// A text to find, in place of reading a page. The answer lists the places and their pages, and says where to go on.
    find: Option<String>,
    ctx: &ToolContext,
    folder: Provided<SpillFolder>,
) -> ToolResult<String> {
    let path = folder.find(ctx.run(), &file).ok_or_else(|| unknown(&file))?;
    let find = find.filter(|text| !text.is_empty());
    if let Some(text) = find.as_ref().filter(|text| text.len() > MAX_FIND) {
        return Err(ToolError::retry(format!(
            "`find` has {} bytes, and may have {MAX_FIND}: search for a shorter part of the text",
            text.len()
        ))
        .into());
    }
    let read = Pages::open(&path, page.unwrap_or(1)).and_then(|opened| match (opened, find) {
        (Ok(pages), Some(text)) => pages.search(&text).map(Ok),
        (Ok(pages), None) => pages.read().map(Ok),
        (Err(no_page), _) => Ok(Err(no_page)),
    });
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

/// A file from a page on.
struct Pages {
    file: File,
    first: usize,
    last: usize,
}

impl Pages {
    /// The inner error says that there is no such page.
    fn open(path: &Path, page: u32) -> io::Result<Result<Self, ToolError>> {
        let mut file = File::open(path)?;
        let last = pages(usize::try_from(file.metadata()?.len()).unwrap_or(usize::MAX));
        let first = usize::try_from(page).unwrap_or(usize::MAX);
        if !(1..=last).contains(&first) {
            return Ok(Err(ToolError::retry(format!("there is no page {page}: the pages are 1 to {last}"))));
        }
        file.seek(SeekFrom::Start(((first - 1) * PAGE) as u64))?;
        Ok(Ok(Self { file, first, last }))
    }

    /// The texts that begin on so many pages, and up to `after` bytes more. A character on the border belongs to the page where it begins.
    /// Also returns the place of the text in the pages.
    fn text(self, pages: usize, after: usize) -> io::Result<(String, usize)> {
        let mut bytes = Vec::new();
        self.file.take((pages * PAGE + after) as u64 + 3).read_to_end(&mut bytes)?;
        let continues = |byte: &u8| byte & 0b1100_0000 == 0b1000_0000;
        let start = bytes.iter().take_while(|byte| continues(byte)).count();
        let border = bytes.len().min(pages * PAGE + after);
        let end = border + bytes[border..].iter().take_while(|byte| continues(byte)).count();
        Ok((String::from_utf8_lossy(&bytes[start.min(end)..end]).into_owned(), start))
    }

    fn read(self) -> io::Result<String> {
        let (first, last) = (self.first, self.last);
        Ok(format!("[page {first} of {last}]\n{}", self.text(1, 0)?.0))
    }

    fn search(self, find: &str) -> io::Result<String> {
        let Self { first, last, .. } = self;
        let (text, start) = self.text(SEARCHED_PAGES, find.len())?;
        let page = |at: usize| first + (start + at) / PAGE;
        let after = first + SEARCHED_PAGES;
        let mut places = text.match_indices(find).map(|(at, _)| at).take_while(|at| page(*at) < after);
        let mut shown = String::new();
        for at in places.by_ref().take(MAX_PLACES) {
            let (from, to) = (at.saturating_sub(AROUND), (at + find.len() + AROUND).min(text.len()));
            let around = &text[text.ceil_char_boundary(from)..text.floor_char_boundary(to)];
            shown.push_str(&format!("page {}: {}\n", page(at), around.replace('\n', " ")));
        }
        let more = places.next();
        let is_whole = more.is_none() && after > last;
        shown.push_str(&match more {
            Some(at) => format!("there are more places, the next one on page {}", page(at)),
            None if is_whole && shown.is_empty() => format!("the text is not on the pages {first} to {last}"),
            None if is_whole => String::new(),
            None => format!("the pages {first} to {} were searched: go on at page {after}", after - 1),
        });
        Ok(shown)
    }
}
