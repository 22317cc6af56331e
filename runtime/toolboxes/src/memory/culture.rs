//! What all agents know.

use onionskin_core::RunContext;
use onionskin_core::memory::{MemoryScope, MemoryStore};
use onionskin_core::prompt::PromptSource;
use onionskin_core::servers::BoxError;

use super::shown::Shown;

/// What all agents with a store know: a source for the prompt's part
/// [`Culture`](onionskin_core::prompt::PromptPart::Culture). Feature `memory`.
///
/// All users of all agents read it, so it has no tool: the program adds to the store, in [`Self::scope`].
///
/// The bounds and the first line of the part are those of [`UserMemories`](super::UserMemories).
///
/// ```
/// use onionskin::memory::{Culture, MemoryStore, VolatileMemories};
/// use onionskin::prompt::{Prompt, PromptPart};
/// use onionskin::{ScriptedModel, agent};
/// use std::sync::Arc;
///
/// agent! {
///     Clerk { instruction: "Answer.", add_culture_to_context: true }
/// }
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let store = Arc::new(VolatileMemories::default());
/// store.add(&Culture::scope(), "We write dates as 2026-11-29.").await.unwrap();
/// let prompt = Prompt::new().source(PromptPart::Culture, Culture::new(store));
/// let clerk = Clerk::builder().model(ScriptedModel::new()).prompt(prompt).build().await.unwrap();
/// let shown = clerk.system_prompt().await.unwrap().unwrap();
/// assert!(shown.ends_with("\n- We write dates as 2026-11-29.\n</culture>"), "{shown}");
/// # });
/// ```
#[derive(Debug, Clone)]
#[cfg(feature = "memory")]
pub struct Culture {
    shown: Shown,
}

impl Culture {
    /// The shared memories in this store, of the kind `culture`.
    pub fn new(store: impl MemoryStore) -> Self {
        Self { shown: Shown::new(store) }
    }

    /// The scope of the culture, for programs that add or remove a part of it.
    pub fn scope() -> MemoryScope {
        MemoryScope::shared("culture")
    }

    /// Shows at most this number of memories in a prompt. Default: 50.
    #[must_use]
    pub fn max_memories(mut self, memories: usize) -> Self {
        self.shown.memories = memories;
        self
    }

    /// Shows at most this number of bytes of memories in a prompt. Default: 8,000.
    #[must_use]
    pub fn max_bytes(mut self, bytes: usize) -> Self {
        self.shown.bytes = bytes;
        self
    }
}

impl PromptSource for Culture {
    async fn text(&self, _: &RunContext) -> Result<Option<String>, BoxError> {
        self.shown.text(Self::scope()).await
    }
}
