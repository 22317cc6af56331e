//! Arguments that a server wants in headers too (`x-mcp-header` in the schema of a tool, SEP-2243). The library mirrors them, for the tools
//! of the lists that it reads.

use std::collections::HashSet;

use rmcp::model::{ListToolsResult, MetaObject, RequestId, ServerJsonRpcMessage, ServerResult, Tool};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::wire;

const ANNOTATION: &str = "\"x-mcp-header\"";
/// Where the text of a list is that the library has read.
const TEXT: &str = "onionskin/text";

/// The answer to a request for tools. The library reads the tools with the annotation only: of an unreadable one, the rest does not depend.
pub(super) fn answer(id: RequestId, text: &str) -> ServerJsonRpcMessage {
    let tools = annotated(text);
    if tools.is_empty() {
        return wire::answer(id, Ok(text));
    }
    let mut list = ListToolsResult::with_all_items(tools);
    let mut meta = MetaObject::default();
    meta.insert(TEXT.to_owned(), Value::String(text.to_owned()));
    list.meta = Some(meta);
    ServerJsonRpcMessage::response(ServerResult::ListToolsResult(list), id)
}

/// The tools with the annotation in a text.
fn annotated(text: &str) -> Vec<Tool> {
    #[derive(Deserialize)]
    struct Page<'p> {
        #[serde(borrow)]
        tools: Vec<&'p RawValue>,
    }
    if !text.contains(ANNOTATION) {
        return Vec::new();
    }
    let tools = serde_json::from_str::<Page<'_>>(text).map(|page| page.tools).unwrap_or_default();
    let tools = tools.into_iter().filter(|tool| tool.get().contains(ANNOTATION));
    tools.filter_map(|tool| serde_json::from_str(tool.get()).ok()).collect()
}

/// The text of a list that the library has read, and the names of the tools whose annotations it refused. `None` if it is another list.
pub(crate) fn listed(list: ListToolsResult) -> Option<(String, Vec<String>)> {
    let Value::String(text) = list.meta?.remove(TEXT)? else { return None };
    let taken: HashSet<_> = list.tools.iter().map(|tool| &*tool.name).collect();
    let refused = annotated(&text).into_iter().map(|tool| tool.name.into_owned());
    let refused = refused.filter(|name| !taken.contains(&**name)).collect();
    Some((text, refused))
}
