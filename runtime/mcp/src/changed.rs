//! How a list of tools differs from the one before it, in words.

use std::collections::HashMap;

use onionskin_core::ToolDefinition;

use super::visible::{cut, name};

/// Up to this number, tools are named.
const NAMED: usize = 8;
/// A longer name is cut.
const NAME: usize = 64;

/// A tool: the server's own name for it, and its definition.
pub(super) type Named<'t> = (&'t str, &'t ToolDefinition);

/// The differences; `None` if there are none.
pub(super) fn changes(before: &[Named<'_>], now: &[Named<'_>]) -> Option<String> {
    // A list may be long.
    let [then, new]: [HashMap<&str, &ToolDefinition>; 2] =
        [before, now].map(|all| all.iter().copied().collect());
    let added = now.iter().filter(|(name, _)| !then.contains_key(name));
    let removed = before.iter().filter(|(name, _)| !new.contains_key(name));
    let changed = now.iter().filter(|(name, tool)| then.get(name).is_some_and(|then| !is_same(then, tool)));
    let parts: Vec<_> = [("added", names(added)), ("removed", names(removed)), ("changed", names(changed))]
        .into_iter()
        .filter(|(_, names)| !names.is_empty())
        .map(|(what, names)| format!("{what} {names}"))
        .collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// Whether a tool is described as before.
fn is_same(before: &ToolDefinition, now: &ToolDefinition) -> bool {
    before.description == now.description
        && before.title == now.title
        && before.input_schema == now.input_schema
        && before.output_schema == now.output_schema
        && before.annotations == now.annotations
}

fn names<'t>(tools: impl Iterator<Item = &'t Named<'t>>) -> String {
    let names: Vec<_> =
        tools.map(|(tool, _)| format!("`{}`", name(&cut((*tool).to_owned(), NAME)))).collect();
    match names.len().checked_sub(NAMED) {
        Some(more) if more > 0 => format!("{} and {more} more", names[..NAMED].join(", ")),
        _ => names.join(", "),
    }
}
