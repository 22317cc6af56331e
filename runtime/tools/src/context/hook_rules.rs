//! The rules for approval that hooks add to their call.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::depth::Entered;
use super::{Guards, ToolContext};
use onionskin_definitions::args::Args;
use onionskin_definitions::definition::Asks;
use onionskin_definitions::on_drop::OnDrop;

/// Decides by the final arguments whether a call needs approval: `Some` with an optional reason if it does.
pub type HookRule = Arc<dyn Fn(&ToolContext, &Args) -> Option<Option<String>> + Send + Sync>;

/// Arguments of a tool value under the names that the layers outside of it see.
pub(crate) trait OuterNames: Send + Sync {
    /// Renames the tool's own arguments.
    fn outer_args(&self, own: &Args) -> Args;
}

/// The rules of the hooks of a call. They apply to all attempts.
#[derive(Default)]
pub(super) struct HookRules {
    /// Each with the number of renamings outside of its hook.
    rules: Vec<(HookRule, usize)>,
    /// Asks for a tool without stages of its own, also if its agent has no guardrails.
    asker: Option<&'static dyn Guards>,
}

impl ToolContext {
    /// Adds a rule of a hook. `asker` asks, if the tool has no stages.
    pub(crate) fn add_hook_rule(&self, rule: HookRule, asker: &'static dyn Guards) {
        self.data(|data| {
            data.hook_rules.rules.push((rule, data.renamed.len()));
            data.hook_rules.asker = Some(asker);
        });
        self.has_hook_rules.store(true, Ordering::Relaxed);
    }

    /// Whether a hook added a rule.
    #[inline]
    pub(crate) fn has_hook_rules(&self) -> bool {
        self.has_hook_rules.load(Ordering::Relaxed)
    }

    /// The optional reasons of the rules of the agent and of hooks that require approval. Each rule gets the names of arguments that its place
    /// in the onion has.
    pub(crate) fn needed_by_outer_rules(&self, args: &Args) -> Vec<Option<String>> {
        let (rules, renamed) = self
            .data_if_any(|data| (data.hook_rules.rules.clone(), data.renamed.clone()))
            .unwrap_or_default();
        let outer = |place: usize| {
            let inwards = renamed[place.min(renamed.len())..].iter().rev();
            inwards.fold(Cow::Borrowed(args), |args, names| Cow::Owned(names.outer_args(&args)))
        };
        let of_agent = self.entry().approval.iter().filter_map(|needed| needed(&outer(0)));
        let of_hooks = rules.iter().filter_map(|(needed, place)| needed(self, &outer(*place)));
        of_agent.chain(of_hooks).collect()
    }

    /// Runs the call of a tool value whose parameters have other names outside of it.
    pub(crate) fn renamed<'a, F: Future>(
        &'a self,
        names: &'a Arc<dyn OuterNames>,
        call: F,
    ) -> impl Future<Output = F::Output> {
        Entered::new(call, move || {
            self.data(|data| data.renamed.push(Arc::clone(names)));
            OnDrop(move || self.data(|data| _ = data.renamed.pop()))
        })
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
