//! [`CallFilter`]: the calls that a hook or a guardrail of a declaration applies to.

use std::any::type_name;
use std::sync::Arc;

use onionskin_definitions::debug_fields;
use onionskin_tools::context::ToolContext;
use onionskin_tools::onion::{DynHook as _, Filtered, Hook, MadeBy};
use onionskin_tools::policy::Concerns;
use onionskin_tools::tool::Works;
use onionskin_tools::typed::RawHook;

use crate::agent::parts::identities::FilterWord;

use super::{AgentDeclaration, works_on};

/// The calls that a hook or a guardrail of a declaration applies to: `for [..]` and `except [..]` in
/// `agent!`, as a value.
///
/// ```
/// use onionskin::declaration::{AgentDeclaration, CallFilter};
/// use onionskin::hooks;
///
/// let on_lookup = CallFilter::new(|call| call.tool_name() == "lookup").names("lookup");
/// let clerk = AgentDeclaration::new().instruction("Answer.").filtered_hook(hooks::retry::new(3), on_lookup);
/// # let _ = clerk;
/// ```
#[derive(Clone)]
pub struct CallFilter {
    pub(super) concerns: Concerns,
    pub(super) names: Vec<Arc<str>>,
    pub(super) words: Option<(bool, &'static [FilterWord])>,
    pub(super) is_everywhere: bool,
}

impl CallFilter {
    /// Creates a filter that accepts the calls for which `concerns` returns true. It is evaluated for each
    /// call.
    pub fn new(concerns: impl Fn(&ToolContext) -> bool + Send + Sync + 'static) -> Self {
        Self { concerns: Arc::new(concerns), names: Vec::new(), words: None, is_everywhere: false }
    }

    /// Creates a filter that accepts all calls, also those of all descendants: `for [everywhere]` in
    /// `agent!`. The hook must not take a state, because each agent has its own
    /// ([`BuildError::Contradiction`](crate::BuildError::Contradiction)). Guardrails cannot have this
    /// filter ([`BuildError::Contradiction`](crate::BuildError::Contradiction)).
    pub fn everywhere() -> Self {
        Self { is_everywhere: true, ..Self::new(|_| true) }
    }

    /// Names a tool that the agent must have. Without it, building fails
    /// ([`BuildError::FilterNamesNoTool`](crate::BuildError::FilterNamesNoTool)).
    #[must_use]
    pub fn names(mut self, tool: impl Into<Arc<str>>) -> Self {
        self.names.push(tool.into());
        self
    }

    /// Sets the targets of the filter, for descriptions. `agent!` generates the call.
    #[doc(hidden)]
    #[must_use]
    pub fn words(mut self, except: bool, words: &'static [FilterWord]) -> Self {
        self.words = Some((except, words));
        self
    }
}

debug_fields!(CallFilter: this => names: this.names);

impl AgentDeclaration {
    /// As [`Self::hook`], for a hook that sees only the calls that `filter` accepts. Other calls bypass it.
    #[must_use]
    pub fn filtered_hook<H>(mut self, hook: H, filter: CallFilter) -> Self
    where
        H: RawHook + Hook<Made: MadeBy<H, State: Works>>,
    {
        let states = works_on::<H, H::Made>();
        self.parts.hook_states.push((type_name::<H>(), states.clone()));
        if filter.is_everywhere {
            self.parts.reaching_states.push((type_name::<H>(), states));
            return self.with_hook_everywhere(Arc::new(hook));
        }
        let CallFilter { concerns, names, .. } = filter;
        let hook = Filtered { hook: Arc::new(hook), concerns };
        let name = hook.name();
        self.parts.filter_names.extend(names.iter().map(|tool| (name, tool.to_string().into())));
        self.push_hook(Arc::new(hook));
        self
    }
}
