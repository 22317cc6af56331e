//! Asks a server for its tools: all pages, within bounds.

use std::collections::HashSet;

use rmcp::model::{ClientRequest, ListToolsRequest, PaginatedRequestParams, ServerResult, Tool};

use super::connection::{Connection, RequestError};

/// More pages than this are a server that never ends.
const PAGES: usize = 100;
/// More tools than this fit into no model.
const TOOLS: usize = 10_000;

/// All tools of a server, in its order. The library's own list asks on for as long as a server gives cursors.
pub(super) async fn all(connection: &Connection) -> Result<Vec<Tool>, String> {
    let mut tools: Vec<Tool> = Vec::new();
    if !connection.has_tools() {
        return Ok(tools);
    }
    let mut cursors = HashSet::new();
    let mut cursor: Option<String> = None;
    for _ in 0..PAGES {
        let params = PaginatedRequestParams::default().with_cursor(cursor);
        let request = ClientRequest::ListToolsRequest(ListToolsRequest::with_param(params));
        let page = match connection.request(request, |_| {}).await {
            Ok(ServerResult::ListToolsResult(page)) => page,
            Ok(_) => return Err("its answer is not a list of tools".to_owned()),
            Err(error) => return Err(reason(error)),
        };
        tools.extend(page.tools);
        if tools.len() > TOOLS {
            return Err(format!("it has more than {TOOLS} tools"));
        }
        // Some servers write an empty cursor for "no more".
        let Some(next) = page.next_cursor.filter(|next| !next.is_empty()) else { return Ok(tools) };
        if !cursors.insert(next.clone()) {
            return Err(format!("its pages go round in a circle: it gave the cursor `{next}` twice"));
        }
        cursor = Some(next);
    }
    Err(format!("it has more than {PAGES} pages of tools"))
}

fn reason(error: RequestError) -> String {
    match error {
        RequestError::Died(how) => format!("it died ({how})"),
        RequestError::Timeout(limit) => format!("it did not answer within {limit:?}"),
        RequestError::Refused(error) => format!("it answered with an error: {}", error.message),
        RequestError::Broken(reason) => reason,
    }
}
