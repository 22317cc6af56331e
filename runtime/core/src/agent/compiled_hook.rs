//! What a built agent knows of the hooks in its onion.

use super::identities::{FilterWord, Filtered, HookType};
use crate::context::ToolContext;
use crate::onion::{Hook, MadeBy, RuntimeHooks, short_name};
use crate::services::ServiceTypes;

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
    pub(super) ty: HookType,
    /// The filter in words: whether it names the others, and the calls.
    pub(super) words: Option<(bool, &'static [FilterWord])>,
}

impl CompiledHook {
    pub(crate) fn of<H: Hook>(concerns: Option<Concerns>) -> Self {
        let tool = <H::Made as MadeBy<H>>::TOOL;
        let ty = HookType::of_hook::<H, H::Made>();
        Self { name: short_name::<H>(), tool, concerns, services: H::services, ty, words: None }
    }

    /// The filter, if there is one. That of a typed hook is its tool, which is code.
    pub(super) fn filtered(&self) -> Option<Filtered> {
        match self.words {
            Some((except, words)) => Some(Filtered { except, words: Some(words) }),
            None => (self.concerns.is_some() || self.tool.is_some())
                .then_some(Filtered { except: false, words: None }),
        }
    }

    /// Whether the hook is around the tool of a call.
    pub(crate) fn is_around(&self, call: &ToolContext) -> bool {
        let is_filtered_in = self.concerns.is_none_or(|concerns| concerns(call));
        is_filtered_in && self.tool.is_none_or(|tool| tool == call.tool_name())
    }
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
            self.dynamic.0.iter().filter(|hook| hook.concerns(call)).map(|hook| hook.shown_name_dyn());
        compiled(outside).into_iter().chain(dynamic).chain(compiled(inside)).collect()
    }
}
