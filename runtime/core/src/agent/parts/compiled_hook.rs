//! A hook of a compiled onion, in the list of a declaration.

use std::sync::Arc;

use super::identities::{FilterWord, Filtered, HookType};
use onionskin_tools::context::ToolContext;
use onionskin_tools::onion::{Hook, HookTools, MadeBy, short_name};
use onionskin_tools::policy;
use onionskin_tools::services::ServiceTypes;

/// Whether a hook concerns a call.
pub(crate) type Concerns = fn(&ToolContext) -> bool;

/// A hook of a compiled onion. The onion itself is composed of types and cannot be inspected.
pub(crate) struct CompiledHook {
    pub(crate) name: &'static str,
    /// The tool that it is on, if it is typed.
    tool: Option<&'static str>,
    /// The calls that its filter accepts; `None`: all.
    concerns: Option<Concerns>,
    pub(crate) services: fn(&mut ServiceTypes),
    pub(in crate::agent) tools: fn(&mut HookTools),
    pub(super) repeats: bool,
    pub(in crate::agent) ty: HookType,
    /// The filter as data: whether it lists exceptions, and its targets.
    pub(in crate::agent) words: Option<(bool, &'static [FilterWord])>,
}

impl CompiledHook {
    pub(crate) fn new<H: Hook>(concerns: Option<Concerns>) -> Self {
        let tool = <H::Made as MadeBy<H>>::TOOL;
        let ty = HookType::for_hook::<H, H::Made>();
        Self {
            name: short_name::<H>(),
            tool,
            concerns,
            services: H::services,
            tools: H::tools,
            repeats: H::REPEATS,
            ty,
            words: None,
        }
    }

    /// The filter, if there is one. The filter of a typed hook is its tool, which is code.
    pub(in crate::agent) fn filtered(&self) -> Option<Filtered> {
        match self.words {
            Some((except, words)) => Some(Filtered { except, words: Some(words) }),
            None => (self.concerns.is_some() || self.tool.is_some())
                .then_some(Filtered { except: false, words: None }),
        }
    }

    /// How the hook selects its calls.
    pub(super) fn choice(&self) -> Choice {
        match (self.words, self.concerns) {
            (Some((false, words)), _) if words.iter().all(FilterWord::is_of_one) => Choice::Each,
            (Some((false, words)), _) if words.iter().any(FilterWord::is_everywhere) => Choice::Everywhere,
            (Some((false, _)), _) | (None, Some(_)) => Choice::Some,
            (Some((true, _)), _) | (None, None) => Choice::All,
        }
    }

    /// Whether the hook applies to a call.
    pub(crate) fn is_around(&self, call: &ToolContext) -> bool {
        is_around(self.concerns, self.tool, call)
    }

    /// The calls to which the hook applies.
    pub(super) fn calls(&self) -> policy::Concerns {
        let (concerns, tool) = (self.concerns, self.tool);
        Arc::new(move |call| is_around(concerns, tool, call))
    }

    /// Whether the hook also sees the calls of descendants.
    pub(in crate::agent) fn is_everywhere(&self) -> bool {
        matches!(self.choice(), Choice::Everywhere)
    }
}

fn is_around(concerns: Option<Concerns>, tool: Option<&'static str>, call: &ToolContext) -> bool {
    concerns.is_none_or(|concerns| concerns(call)) && tool.is_none_or(|tool| tool == call.tool_name())
}

/// How a hook selects its calls.
#[derive(Clone, Copy)]
pub(super) enum Choice {
    /// Individually, by name.
    Each,
    /// By a group, or by code.
    Some,
    /// All calls, or all with exceptions.
    All,
    /// All calls, and those of descendants.
    Everywhere,
}
