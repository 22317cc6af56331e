//! The memories of a scope as a text, within bounds.

use std::fmt;
use std::sync::Arc;

use onionskin_core::memory::{MemoryError, MemoryQuery, MemoryScope, MemoryStore};

use super::TEXT;
use crate::cut;

/// The default of the most memories in a prompt.
const MEMORIES: usize = 50;

/// The default of the most bytes of memories in a prompt.
const BYTES: usize = 8_000;

/// A store, and how much of it a prompt shows.
#[derive(Clone)]
pub(super) struct Shown {
    pub(super) store: Arc<dyn MemoryStore>,
    pub(super) memories: usize,
    pub(super) bytes: usize,
}

impl Shown {
    pub(super) fn new(store: impl MemoryStore) -> Self {
        Self { store: Arc::new(store), memories: MEMORIES, bytes: BYTES }
    }

    /// The newest memories of a scope that fit into the bounds, one a line, the oldest of them first; `None` without
    /// one.
    pub(super) async fn text(&self, scope: MemoryScope) -> Result<Option<String>, MemoryError> {
        let mut query = MemoryQuery::list(scope);
        query.limit = self.memories;
        let mut lines = Vec::new();
        let mut bytes = 0_usize;
        for memory in self.store.find(&query).await?.iter().take(self.memories) {
            // Each is one line, so that a memory cannot look like several.
            let words: Vec<_> = memory.text.split_whitespace().collect();
            let line = format!("- {}", cut(&words.join(" "), TEXT));
            bytes = bytes.saturating_add(line.len() + 1);
            if bytes > self.bytes {
                break;
            }
            lines.push(line);
        }
        lines.reverse();
        Ok((!lines.is_empty()).then(|| lines.join("\n")))
    }
}

impl fmt::Debug for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shown")
            .field("memories", &self.memories)
            .field("bytes", &self.bytes)
            .finish_non_exhaustive()
    }
}
