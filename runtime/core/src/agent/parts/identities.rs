//! The identities of the types, hooks and filters of a declaration, so that it can be written as a card. Runs
//! do not use them.

use std::any::{TypeId, type_name};

use onionskin_tools::onion::MadeBy;

/// A type that a declaration names.
#[derive(Debug, Clone, Copy)]
#[doc(hidden)]
pub struct HookType {
    pub id: TypeId,
    pub name: &'static str,
    /// Whether it was created from values.
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

/// The filter of a hook or guardrail in `agent!`.
#[derive(Debug, Clone, Copy)]
#[doc(hidden)]
pub struct Filtered {
    pub except: bool,
    /// The targets; `None` for a filter that is code.
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
    /// A method of a toolbox, which only agents in Rust can name.
    Method(&'static str),
    Server(&'static str),
    Source(&'static str),
    /// A tool that the builder adds.
    Added(&'static str),
    /// A tool of a server, or a built-in one.
    Named(&'static str),
    /// All calls, and those of descendants.
    Everywhere,
}

impl FilterWord {
    /// Whether it names a single tool or child rather than a group.
    pub(super) fn is_of_one(&self) -> bool {
        match self {
            Self::Function(_) | Self::Child(_) | Self::Method(_) | Self::Added(_) | Self::Named(_) => true,
            Self::Toolbox(_) | Self::Server(_) | Self::Source(_) | Self::Everywhere => false,
        }
    }

    /// Whether it includes the tools of descendants.
    pub(super) fn is_everywhere(&self) -> bool {
        matches!(self, Self::Everywhere)
    }
}

impl HookType {
    pub(in crate::agent) fn new<T: 'static>() -> Self {
        Self { id: TypeId::of::<T>(), name: type_name::<T>(), has_values: false }
    }

    pub(in crate::agent) fn for_hook<H: 'static, M: MadeBy<H>>() -> Self {
        Self { has_values: M::TAKES != Some(0), ..Self::new::<H>() }
    }
}
