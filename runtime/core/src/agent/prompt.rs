//! The system prompt: the agent's instruction, then what its tools ask for.

use std::sync::Arc;

use super::instance::Instance;
use crate::tool::table::ToolTable;

pub(super) fn system(instance: &Instance, table: &ToolTable) -> Option<Arc<str>> {
    let tools = table.entries().iter().filter_map(|entry| entry.definition.instructions.as_deref());
    let mut parts =
        std::iter::once(&*instance.instruction).filter(|text| !text.is_empty()).chain(tools).peekable();
    parts.peek()?;
    let parts: Vec<_> = parts.collect();
    match parts.as_slice() {
        [_] if !instance.instruction.is_empty() => Some(Arc::clone(&instance.instruction)),
        _ => Some(parts.join("\n\n").into()),
    }
}
