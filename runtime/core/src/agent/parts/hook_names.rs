//! The hooks around the calls of an agent, for descriptions, those that may require approval, and the check of hooks
//! that repeat calls.

use std::sync::Arc;

use super::Parts;
use super::compiled_hook::{Choice, CompiledHook};
use onionskin_definitions::definition::{Effect, ToolSource};
use onionskin_tools::context::{RunContext, ToolContext, ToolEntry};
use onionskin_tools::policy::Concerns;
use onionskin_tools::services::ServiceTypes;

/// A tool that a hook cannot repeat.
pub(in crate::agent) struct NotRepeated {
    pub(in crate::agent) hook: String,
    pub(in crate::agent) tool: Arc<ToolEntry>,
}

impl Parts {
    /// The names of the hooks around a call, the outermost first.
    pub(in crate::agent) fn hooks_around(&self, call: &ToolContext) -> Vec<String> {
        let (outside, inside) = self.compiled_hooks.split_at(self.seam.min(self.compiled_hooks.len()));
        let compiled = |hooks: &'_ [CompiledHook]| -> Vec<String> {
            hooks.iter().filter(|hook| hook.is_around(call)).map(|hook| hook.name.to_owned()).collect()
        };
        let dynamic = self.hooks.iter().filter(|hook| hook.concerns(call)).map(|hook| hook.shown_name_dyn());
        compiled(outside).into_iter().chain(dynamic).chain(compiled(inside)).collect()
    }

    /// The calls of the hooks that may require approval.
    pub(in crate::agent) fn hooks_that_ask(&self) -> Vec<Concerns> {
        let asks = |services: &dyn Fn(&mut ServiceTypes)| {
            let mut taken = ServiceTypes::default();
            services(&mut taken);
            taken.requires_approval()
        };
        let compiled =
            self.compiled_hooks.iter().filter(|hook| asks(&hook.services)).map(CompiledHook::calls);
        let dynamic = self.hooks.iter().filter(|hook| asks(&|taken| hook.services_dyn(taken))).map(|hook| {
            let hook = Arc::clone(hook);
            Arc::new(move |call: &ToolContext| hook.concerns(call)) as Concerns
        });
        compiled.chain(dynamic).collect()
    }

    /// A tool whose calls a repeating hook would not repeat: one that its filter names, or one of a group
    /// without a repeatable tool. If the hook is around all tools and can repeat none, a tool without a
    /// declared effect. `is_whole`: whether the agent has no other tools.
    pub(in crate::agent) fn not_repeated(
        &self,
        tools: &[Arc<ToolEntry>],
        is_whole: bool,
    ) -> Option<NotRepeated> {
        let calls: Vec<ToolContext> = tools
            .iter()
            .map(|tool| ToolContext::new(RunContext::detached(), Arc::clone(tool), Arc::from(""), 0, 0))
            .collect();
        let in_vain = |hook: &dyn Fn(&ToolContext) -> bool, choice: Choice| {
            let around: Vec<_> =
                tools.iter().zip(&calls).filter(|(_, call)| hook(call)).map(|(tool, _)| tool).collect();
            let is_repeatable = |tool: &&Arc<ToolEntry>| tool.definition.effect.is_repeatable();
            let first = match choice {
                Choice::Each => around.iter().find(|tool| !is_repeatable(tool)),
                _ if around.iter().any(is_repeatable) => None,
                Choice::Some => around.first(),
                Choice::Everywhere if calls.iter().any(|call| call.source() == ToolSource::Agent) => None,
                Choice::All | Choice::Everywhere => {
                    around.iter().find(|tool| is_whole && tool.definition.effect == Effect::Unstated)
                }
            };
            first.map(|tool| Arc::clone(tool))
        };
        let compiled = self.compiled_hooks.iter().filter(|hook| hook.repeats).find_map(|hook| {
            let tool = in_vain(&|call| hook.is_around(call), hook.choice())?;
            Some(NotRepeated { hook: hook.name.to_owned(), tool })
        });
        compiled.or_else(|| {
            self.hooks.iter().filter(|hook| hook.repeats()).find_map(|hook| {
                let choice = if hook.is_filtered() { Choice::Some } else { Choice::All };
                let tool = in_vain(&|call| hook.concerns(call), choice)?;
                Some(NotRepeated { hook: hook.shown_name_dyn(), tool })
            })
        })
    }
}
