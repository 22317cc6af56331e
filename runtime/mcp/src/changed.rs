//! How a list of tools differs from the one before it, in words.

use super::server::RemoteTool;
use super::visible::{cut, name};

/// Up to this number, tools are named.
const NAMED: usize = 8;
/// A longer name is cut.
const NAME: usize = 64;

/// The differences; `None` if there are none.
pub(super) fn changes(before: &[RemoteTool], now: &[RemoteTool]) -> Option<String> {
    let find = |tools: &[RemoteTool], name: &str| tools.iter().position(|tool| &*tool.name == name);
    let added = now.iter().filter(|tool| find(before, &tool.name).is_none());
    let removed = before.iter().filter(|tool| find(now, &tool.name).is_none());
    let changed = now
        .iter()
        .filter(|tool| find(before, &tool.name).is_some_and(|place| !is_same(&before[place], tool)));
    let parts: Vec<_> = [("added", names(added)), ("removed", names(removed)), ("changed", names(changed))]
        .into_iter()
        .filter(|(_, names)| !names.is_empty())
        .map(|(what, names)| format!("{what} {names}"))
        .collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// Whether a tool is described as before.
fn is_same(before: &RemoteTool, now: &RemoteTool) -> bool {
    let (before, now) = (&before.definition, &now.definition);
    before.description == now.description
        && before.title == now.title
        && before.input_schema == now.input_schema
        && before.output_schema == now.output_schema
        && before.annotations == now.annotations
}

fn names<'t>(tools: impl Iterator<Item = &'t RemoteTool>) -> String {
    let names: Vec<_> = tools.map(|tool| format!("`{}`", name(&cut(tool.name.to_string(), NAME)))).collect();
    match names.len().checked_sub(NAMED) {
        Some(more) if more > 0 => format!("{} and {more} more", names[..NAMED].join(", ")),
        _ => names.join(", "),
    }
}
