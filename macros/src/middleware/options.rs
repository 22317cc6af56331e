//! The options that hooks and guardrails share, and the words in which their errors differ.

use proc_macro2::Ident;
use syn::{Path, Type};

/// The kind of a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum MiddlewareKind {
    #[default]
    Hook,
    /// A guardrail over arguments.
    Input,
    /// A guardrail over outputs.
    Output,
}

impl MiddlewareKind {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Hook => "hook",
            Self::Input | Self::Output => "guardrail",
        }
    }

    /// The name of the attribute.
    pub(crate) fn attribute(self) -> &'static str {
        match self {
            Self::Hook => "tool_hook",
            Self::Input | Self::Output => "guardrail",
        }
    }

    /// The error for a method.
    pub(crate) fn method(self) -> &'static str {
        match self {
            Self::Hook => {
                "a hook is a free function; for a hook with state take `#[config]` parameters or write `impl \
             onionskin::Hook for ..`"
            }
            Self::Input => {
                "a guardrail is a free function; for one with state take `#[config]` parameters or write `impl \
             onionskin::guardrails::InputGuardrail for ..`"
            }
            Self::Output => {
                "a guardrail is a free function; for one with state take `#[config]` parameters or write `impl \
             onionskin::guardrails::OutputGuardrail for ..`"
            }
        }
    }

    /// Attributes of a tool's parameters, and the error for them.
    pub(super) fn others(self) -> (&'static [&'static str], &'static str) {
        match self {
            Self::Hook => (
                &["arg"],
                "this is for tools: a hook takes the agent's state as `State<..>` or by `#[bind(..)]`, and a value that `agent!` \
             writes is `#[config]`",
            ),
            Self::Input | Self::Output => (
                &["arg"],
                "this is for tools: a guardrail takes the agent's state as `State<..>` or by `#[bind(..)]`, and a value that the \
             tool writes is `#[config]`",
            ),
        }
    }
}

/// The options that hooks and guardrails have in common.
#[derive(Default)]
pub(crate) struct Options {
    pub(crate) kind: MiddlewareKind,
    /// True if the option `tool` is there, also with a wrong value.
    pub(crate) is_typed: bool,
    /// The tool of a typed hook.
    pub(crate) tool: Option<Path>,
    pub(crate) crate_path: Option<Path>,
    pub(crate) type_name: Option<Ident>,
    /// The agent's state, for `#[bind(..)]`.
    pub(crate) state: Option<Type>,
}
