//! The system prompt: the agent's instruction, followed by the instructions of its tools.

use std::sync::Arc;

use crate::context::ToolTable;

/// It is rebuilt when the tools change, not for each turn.
pub(super) fn system(instruction: &Arc<str>, table: &ToolTable) -> Option<Arc<str>> {
    let tools = table.entries().iter().filter_map(|entry| entry.definition.instructions.as_deref());
    let mut parts = std::iter::once(&**instruction).filter(|text| !text.is_empty()).chain(tools).peekable();
    parts.peek()?;
    let parts: Vec<_> = parts.collect();
    match parts.as_slice() {
        [_] if !instruction.is_empty() => Some(Arc::clone(instruction)),
        _ => Some(parts.join("\n\n").into()),
    }
}
