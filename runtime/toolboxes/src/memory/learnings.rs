//! What an agent learned.

use onionskin_core::made::HookTools;
use onionskin_core::memory::{MemoryScope, MemoryStore};
use onionskin_core::prompt::PromptSource;
use onionskin_core::servers::BoxError;
use onionskin_core::{RunContext, ToolContext, ToolError, toolbox};

use super::TEXT;
use super::shown::Shown;

/// The kind of these memories.
const KIND: &str = "learning";

/// What each agent learned: a source for the prompt's part
/// [`Learnings`](onionskin_core::prompt::PromptPart::Learnings). Feature `memory`.
///
/// An agent has its own learnings, by its name, and all of its users share them. The program adds them to the store, in
/// [`Self::scope`]. [`Self::with_tools`] lets the model add some too.
///
/// The bounds and the first line of the part are those of [`UserMemories`](super::UserMemories).
///
/// ```
/// use onionskin::memory::{Learnings, MemoryStore, VolatileMemories};
/// use onionskin::prompt::{Prompt, PromptPart};
/// use onionskin::{ScriptedModel, agent};
/// use std::sync::Arc;
///
/// agent! {
///     Clerk { instruction: "Answer.", add_learnings_to_context: true }
/// }
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let store = Arc::new(VolatileMemories::default());
/// store.add(&Learnings::scope("Clerk"), "The printer needs A5.").await.unwrap();
/// let prompt = Prompt::new().source(PromptPart::Learnings, Learnings::new(Arc::clone(&store)));
/// let clerk = Clerk::builder().model(ScriptedModel::new()).prompt(prompt).build().await.unwrap();
/// let shown = clerk.system_prompt().await.unwrap().unwrap();
/// assert!(shown.ends_with("\n- The printer needs A5.\n</learnings>"), "{shown}");
/// # });
/// ```
#[derive(Debug, Clone)]
#[cfg(feature = "memory")]
pub struct Learnings {
    shown: Shown,
    has_tools: bool,
}

impl Learnings {
    /// The learnings in this store, of the kind `learning`.
    pub fn new(store: impl MemoryStore) -> Self {
        Self { shown: Shown::new(store), has_tools: false }
    }

    /// The scope of an agent's learnings, for programs that add or remove some.
    pub fn scope(agent: &str) -> MemoryScope {
        MemoryScope::agent(agent, KIND)
    }

    /// Shows at most this number of learnings in a prompt. Default: 50.
    #[must_use]
    pub fn max_memories(mut self, memories: usize) -> Self {
        self.shown.memories = memories;
        self
    }

    /// Shows at most this number of bytes of learnings in a prompt. Default: 8,000.
    #[must_use]
    pub fn max_bytes(mut self, bytes: usize) -> Self {
        self.shown.bytes = bytes;
        self
    }

    /// Lets the tool store at most about this number of learnings of each agent: runs at the same time can each add one more.
    /// Then it fails with [`MemoryError::Full`](onionskin_core::memory::MemoryError::Full). The program can add more. Default:
    /// 1,000.
    #[must_use]
    pub fn max_stored(mut self, memories: usize) -> Self {
        self.shown.stored = memories;
        self
    }

    /// Brings the tool `save_learning` to the agent. What one user makes the model save is then in the prompts of all
    /// users: name the tool in the agent's `approval`.
    #[must_use]
    pub fn with_tools(mut self) -> Self {
        self.has_tools = true;
        self
    }
}

#[toolbox]
impl Learnings {
    /// Saves a lesson for all later conversations of this agent: how a task is done well, or a mistake to avoid. Nothing
    /// about a person.
    ///
    /// # Errors
    /// If the agent has too many learnings, or it cannot be stored.
    #[tool(effect = idempotent, annotations(read_only = false, destructive = false, idempotent, open_world = false))]
    async fn save_learning(
        &self,
        ctx: &ToolContext,
        /// The lesson, in one sentence.
        #[arg(length(1..=TEXT), example = "The time server wants names of zones, not of towns.")]
        text: &str,
    ) -> Result<(), ToolError> {
        self.shown.add(ctx, Self::scope(ctx.agent_name()), text).await?;
        Ok(())
    }
}

impl PromptSource for Learnings {
    async fn text(&self, run: &RunContext) -> Result<Option<String>, BoxError> {
        self.shown.text(Self::scope(run.agent().name())).await
    }

    fn tools(&self, tools: &mut HookTools) {
        if self.has_tools {
            tools.add_toolbox(self.clone());
        }
    }
}
