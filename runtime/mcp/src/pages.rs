//! Asks a server for a list: all pages, within bounds. The library's own lists have no limit on the number of pages.

use std::collections::HashSet;

use rmcp::model::{ClientRequest, PaginatedRequestParams};

use super::connection::{Connection, RequestError};
use super::visible::{cut, visible};

/// A server with more pages is assumed to have no last one.
const MAX_PAGES: usize = 100;
/// The maximum number of bytes of all pages.
const MAX_LIST_BYTES: usize = 32 << 20;
/// A longer cursor is cut in errors.
const MAX_CURSOR_BYTES: usize = 256;

/// Why a list could not be read.
pub(super) enum PageError {
    Request(RequestError),
    /// The server answered, and its answers are not a list of this kind.
    List(String),
}

/// Requests all pages of a list of `what`. `take` takes one page and returns the cursor of the next one.
pub(super) async fn all(
    connection: &Connection,
    what: &str,
    request: impl Fn(PaginatedRequestParams) -> ClientRequest,
    mut take: impl FnMut(&str) -> Result<Option<String>, String>,
) -> Result<(), PageError> {
    let mut bytes = 0;
    let mut cursors = HashSet::new();
    let mut cursor: Option<String> = None;
    for _ in 0..MAX_PAGES {
        let params = PaginatedRequestParams::default().with_cursor(cursor);
        let text = connection.request(request(params), |_| {}, None).await.map_err(PageError::Request)?;
        bytes += text.len();
        if bytes > MAX_LIST_BYTES {
            let reason = format!("its list of {what} is longer than {} MiB", MAX_LIST_BYTES >> 20);
            return Err(PageError::List(reason));
        }
        // Some servers write an empty cursor for "no more".
        let next = take(&text).map_err(PageError::List)?.filter(|next| !next.is_empty());
        let Some(next) = next else { return Ok(()) };
        if !cursors.insert(next.clone()) {
            let next = visible(&cut(next, MAX_CURSOR_BYTES));
            return Err(PageError::List(format!("its pages do not end: it gave the cursor `{next}` twice")));
        }
        cursor = Some(next);
    }
    Err(PageError::List(format!("it has more than {MAX_PAGES} pages of {what}")))
}
