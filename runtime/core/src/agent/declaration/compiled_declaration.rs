//! The parts of a declaration that only `agent!` writes.

use std::sync::Arc;

use onionskin_definitions::definition::ToolWords;
use onionskin_definitions::secret::StateVisitor;
use onionskin_definitions::setters;
use onionskin_tools::context::Guards;
use onionskin_tools::onion::{AgentGuards, Hook, RuntimeHooks};
use onionskin_tools::state::StateCodec;

use crate::agent::parts::compiled_hook::{CompiledHook, Concerns};
use crate::agent::parts::compiled_onion::Onion;
use crate::agent::parts::identities::FilterWord;

use super::AgentDeclaration;

#[doc(hidden)]
impl AgentDeclaration {
    /// Registers a tool name from a hook's filter. The name is resolved when the agent is built.
    #[must_use]
    pub fn filter_names(mut self, hook: &'static str, tool: &'static str) -> Self {
        self.parts.filter_names.push((hook, tool.into()));
        self
    }

    /// Registers a hook of the compiled onion, and the calls that it applies to; `None`: all.
    #[must_use]
    pub fn compiled_hook<H: Hook>(mut self, concerns: Option<Concerns>) -> Self {
        self.parts.compiled_hooks.push(CompiledHook::new::<H>(concerns));
        self
    }

    /// Sets the targets in the filter of the last compiled hook.
    #[must_use]
    pub fn filter_words(mut self, except: bool, words: &'static [FilterWord]) -> Self {
        if let Some(hook) = self.parts.compiled_hooks.last_mut() {
            hook.words = Some((except, words));
        }
        self
    }

    /// Lets the last compiled hook also see the calls of descendants.
    #[must_use]
    pub fn everywhere(self) -> Self {
        self.filter_words(false, &[FilterWord::Everywhere])
    }

    /// Marks that a function runs the agent.
    #[must_use]
    pub fn runs_itself(mut self) -> Self {
        self.parts.runs_itself = true;
        self
    }

    /// Places the dynamic hooks inside the compiled hooks registered so far.
    #[must_use]
    pub fn seam(mut self) -> Self {
        self.parts.seam = self.parts.compiled_hooks.len();
        self
    }

    setters! {
        state_codec(codec: Option<StateCodec>) => parts.state_codec = codec;

        state_visitor(visitor: Option<StateVisitor>) => parts.state_visitor = visitor;

        /// Sets the compiled onion.
        onion(onion: fn(RuntimeHooks) -> Onion) => parts.onion = Some(onion);
    }

    /// As [`Self::worded`], for the compiled tool of this index.
    #[must_use]
    pub fn compiled_words(mut self, index: usize, words: ToolWords) -> Self {
        self.parts.worded.compiled.push((index, words));
        self
    }

    /// The guardrails alone, for calls without a run.
    pub fn guards(mut self) -> AgentGuards {
        let guardrails = self.parts.take_guardrails();
        AgentGuards::new((!guardrails.is_empty()).then(|| Arc::new(guardrails) as Arc<dyn Guards>))
    }
}
