//! The rules for approval that hooks add to their call.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::{Guards, ToolContext};
use onionskin_definitions::args::Args;
use onionskin_definitions::definition::Asks;

/// Decides by the final arguments whether a call needs approval: `Some` with an optional reason if it does.
pub type HookRule = Arc<dyn Fn(&ToolContext, &Args) -> Option<Option<String>> + Send + Sync>;

/// The rules of the hooks of a call. They apply to all attempts.
#[derive(Default)]
pub(super) struct HookRules {
    rules: Vec<HookRule>,
    /// Asks for a tool without stages of its own, also if its agent has no guardrails.
    asker: Option<&'static dyn Guards>,
}

impl ToolContext {
    /// Adds a rule of a hook. `asker` asks, if the tool has no stages.
    pub(crate) fn add_hook_rule(&self, rule: HookRule, asker: &'static dyn Guards) {
        self.data(|data| {
            data.hook_rules.rules.push(rule);
            data.hook_rules.asker = Some(asker);
        });
        self.has_hook_rules.store(true, Ordering::Relaxed);
    }

    /// Whether a hook added a rule.
    #[inline]
    pub(crate) fn has_hook_rules(&self) -> bool {
        self.has_hook_rules.load(Ordering::Relaxed)
    }

    pub(crate) fn hook_rules(&self) -> Vec<HookRule> {
        self.data_if_any(|data| data.hook_rules.rules.clone()).unwrap_or_default()
    }

    /// Who asks for approval of a call of a tool without stages of its own; `None` if nothing requires it.
    pub(crate) fn asker(&self) -> Option<&dyn Guards> {
        let of_agent = self.guards().filter(|_| !self.entry().approval.is_empty());
        of_agent.or_else(|| self.data_if_any(|data| data.hook_rules.asker)?)
    }

    /// Whether the call may ask a person.
    pub(crate) fn may_ask(&self) -> bool {
        self.definition().asks != Asks::Nothing || self.has_hook_rules()
    }
}
