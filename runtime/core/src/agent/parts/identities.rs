//! What a declaration keeps of its types, hooks and filters, so that it can be written as a card. No run looks at it.

use std::any::{TypeId, type_name};

use onionskin_tools::onion::MadeBy;

/// A type that a declaration names.
#[derive(Debug, Clone, Copy)]
#[doc(hidden)]
pub struct HookType {
    pub id: TypeId,
    pub name: &'static str,
    /// Whether it was made of values.
    pub has_values: bool,
}

/// The hooks around runs, turns and messages.
#[derive(Debug, Clone, Default)]
#[doc(hidden)]
pub struct Around {
    pub run: Vec<HookType>,
    pub turn: Vec<HookType>,
    pub message: Vec<HookType>,
}

/// The filter of a hook or guardrail, as `agent!` has it.
#[derive(Debug, Clone, Copy)]
#[doc(hidden)]
pub struct Filtered {
    pub except: bool,
    /// None for a filter that is code.
    pub words: Option<&'static [FilterWord]>,
}

/// A target of a filter.
#[derive(Debug, Clone, Copy)]
#[doc(hidden)]
pub enum FilterWord {
    /// A function, by its index.
    Function(usize),
    /// A child, by its index.
    Child(usize),
    /// A toolbox, by its index.
    Toolbox(usize),
    /// What only agents in Rust name: a method of a toolbox.
    Method(&'static str),
    Server(&'static str),
    Source(&'static str),
    /// A tool that is added when the agent is built.
    Added(&'static str),
    /// A tool of a server, or a built-in one.
    Named(&'static str),
    /// All calls, and the calls of the agents below.
    Everywhere,
}

impl FilterWord {
    /// Whether it names one tool or child, and no group.
    pub(super) fn is_of_one(&self) -> bool {
        match self {
            Self::Function(_) | Self::Child(_) | Self::Method(_) | Self::Added(_) | Self::Named(_) => true,
            Self::Toolbox(_) | Self::Server(_) | Self::Source(_) | Self::Everywhere => false,
        }
    }

    /// Whether it is for the tools of agents below, too.
    pub(super) fn is_everywhere(&self) -> bool {
        matches!(self, Self::Everywhere)
    }
}

impl HookType {
    pub(in crate::agent) fn of<T: 'static>() -> Self {
        Self { id: TypeId::of::<T>(), name: type_name::<T>(), has_values: false }
    }

    pub(in crate::agent) fn of_hook<H: 'static, M: MadeBy<H>>() -> Self {
        Self { has_values: M::TAKES != Some(0), ..Self::of::<H>() }
    }
}
