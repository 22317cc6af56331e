//! What a built agent knows of the hooks in its onion.

use std::sync::Arc;

use super::identities::{FilterWord, Filtered, HookType};
use crate::context::{RunContext, ToolContext, ToolEntry};
use crate::onion::{Hook, MadeBy, RuntimeHooks, short_name};
use crate::services::ServiceTypes;
use onionskin_definitions::definition::{Effect, ToolSource};

/// Whether a hook concerns a call.
pub(crate) type Concerns = fn(&ToolContext) -> bool;

/// A hook of a compiled onion. Its calls go through types, which nothing can look into.
pub(crate) struct CompiledHook {
    pub(crate) name: &'static str,
    /// The tool that it is on, if it is typed.
    tool: Option<&'static str>,
    /// The calls that its filter lets through; `None`: all.
    concerns: Option<Concerns>,
    pub(crate) services: fn(&mut ServiceTypes),
    repeats: bool,
    pub(super) ty: HookType,
    /// The filter in words: whether it names the others, and the calls.
    pub(super) words: Option<(bool, &'static [FilterWord])>,
}

impl CompiledHook {
    pub(crate) fn of<H: Hook>(concerns: Option<Concerns>) -> Self {
        let tool = <H::Made as MadeBy<H>>::TOOL;
        let ty = HookType::of_hook::<H, H::Made>();
        Self {
            name: short_name::<H>(),
            tool,
            concerns,
            services: H::services,
            repeats: H::REPEATS,
            ty,
            words: None,
        }
    }

    /// The filter, if there is one. That of a typed hook is its tool, which is code.
    pub(super) fn filtered(&self) -> Option<Filtered> {
        match self.words {
            Some((except, words)) => Some(Filtered { except, words: Some(words) }),
            None => (self.concerns.is_some() || self.tool.is_some())
                .then_some(Filtered { except: false, words: None }),
        }
    }

    /// How the hook chooses the calls that it is around.
    fn choice(&self) -> Choice {
        match (self.words, self.concerns) {
            (Some((false, words)), _) if words.iter().all(FilterWord::is_of_one) => Choice::Each,
            (Some((false, words)), _) if words.iter().any(FilterWord::is_everywhere) => Choice::Everywhere,
            (Some((false, _)), _) | (None, Some(_)) => Choice::Some,
            (Some((true, _)), _) | (None, None) => Choice::All,
        }
    }

    /// Whether the hook is around the tool of a call.
    pub(crate) fn is_around(&self, call: &ToolContext) -> bool {
        let is_filtered_in = self.concerns.is_none_or(|concerns| concerns(call));
        is_filtered_in && self.tool.is_none_or(|tool| tool == call.tool_name())
    }
}

/// How a hook chooses the calls that it is around.
#[derive(Clone, Copy)]
enum Choice {
    /// By their names, one by one.
    Each,
    /// By a group, or by code.
    Some,
    /// All, or all but some.
    All,
    /// All, and those of the agents beneath.
    Everywhere,
}

/// A tool that a hook cannot repeat.
pub(crate) struct NotRepeated {
    pub(crate) hook: String,
    pub(crate) tool: Arc<ToolEntry>,
}

/// The hooks around an agent's calls, for people who read of them.
pub(crate) struct HookNames {
    compiled: Vec<CompiledHook>,
    /// The number of compiled hooks outside of the dynamic ones.
    seam: usize,
    dynamic: RuntimeHooks,
}

impl HookNames {
    pub(crate) fn new(compiled: Vec<CompiledHook>, seam: usize, dynamic: &RuntimeHooks) -> Self {
        Self { compiled, seam, dynamic: dynamic.clone() }
    }

    /// The names of the hooks around a call, the outermost first.
    pub(crate) fn around(&self, call: &ToolContext) -> Vec<String> {
        let (outside, inside) = self.compiled.split_at(self.seam.min(self.compiled.len()));
        let compiled = |hooks: &'_ [CompiledHook]| -> Vec<String> {
            hooks.iter().filter(|hook| hook.is_around(call)).map(|hook| hook.name.to_owned()).collect()
        };
        let dynamic =
            self.dynamic.hooks.iter().filter(|hook| hook.concerns(call)).map(|hook| hook.shown_name_dyn());
        compiled(outside).into_iter().chain(dynamic).chain(compiled(inside)).collect()
    }

    /// A tool for which a hook that repeats calls was written in vain: one that its filter names, or one of a group of which it can repeat none.
    /// Of all tools of an agent, one that does not say what its effect is, if it can repeat none of the others. `is_whole`: whether the
    /// agent has no other tools.
    pub(crate) fn not_repeated(&self, tools: &[Arc<ToolEntry>], is_whole: bool) -> Option<NotRepeated> {
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
        let compiled = self.compiled.iter().filter(|hook| hook.repeats).find_map(|hook| {
            let tool = in_vain(&|call| hook.is_around(call), hook.choice())?;
            Some(NotRepeated { hook: hook.name.to_owned(), tool })
        });
        compiled.or_else(|| {
            self.dynamic.hooks.iter().filter(|hook| hook.repeats()).find_map(|hook| {
                let choice = if hook.is_filtered() { Choice::Some } else { Choice::All };
                let tool = in_vain(&|call| hook.concerns(call), choice)?;
                Some(NotRepeated { hook: hook.shown_name_dyn(), tool })
            })
        })
    }
}
