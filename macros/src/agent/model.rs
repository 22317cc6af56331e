//! An agent as its expansion needs it: every key looked up, every target of a filter found.

use proc_macro2::{Ident, TokenStream};
use syn::{Attribute, Expr, ExprPath, LitBool, Path, Type, Visibility};

use super::ast::{ListEntry, ToolboxEntry, Word};
use super::settings::GivenSetting;
use crate::paths::Runtime;

/// An agent, understood.
pub(super) struct AgentModel<'a> {
    pub(super) attrs: &'a [Attribute],
    pub(super) vis: &'a Visibility,
    pub(super) ty: Ident,
    pub(super) name: String,
    pub(super) runtime: Runtime,
    pub(super) description: Option<&'a Expr>,
    pub(super) instruction: Option<&'a Expr>,
    pub(super) model: Option<&'a Expr>,
    /// The function in place of the loop.
    pub(super) run: Option<&'a ExprPath>,
    pub(super) is_default: Option<&'a LitBool>,
    /// The type of the state as it was written.
    pub(super) written_state: Option<&'a Type>,
    /// The same, or `()`.
    pub(super) state: TokenStream,
    pub(super) servers: Vec<Server<'a>>,
    pub(super) functions: &'a [ListEntry],
    pub(super) toolboxes: &'a [ToolboxEntry],
    pub(super) children: &'a [ListEntry],
    /// The macros that give the built-in tools, each at its tool.
    pub(super) built_in: Vec<Ident>,
    /// Outermost first.
    pub(super) hooks: Vec<Hook<'a>>,
    /// The number of hooks outside of the dynamic ones.
    pub(super) seam: usize,
    pub(super) request_params: Vec<GivenSetting<'a>>,
    pub(super) limits: Vec<GivenSetting<'a>>,
    /// Variants of the runtime's types.
    pub(super) history_source: Option<Ident>,
    pub(super) history_merge_target: Option<Ident>,
    pub(super) effect: Option<Ident>,
    pub(super) max_parallel: Option<usize>,
    pub(super) max_display_instances: Option<usize>,
    /// The timeout of a child in seconds.
    pub(super) child_timeout: Option<f64>,
}

/// A server, and which of its tools the agent has: all without patterns.
pub(super) struct Server<'a> {
    pub(super) name: &'a Word,
    pub(super) patterns: Option<&'a [Word]>,
}

/// A hook, its values, and the calls that it concerns.
pub(super) struct Hook<'a> {
    pub(super) entry: &'a ListEntry,
    pub(super) config: &'a [Expr],
    pub(super) filter: Option<Filter<'a>>,
}

/// The calls that a hook concerns: those of these targets, or all others.
pub(super) struct Filter<'a> {
    pub(super) except: bool,
    pub(super) targets: Vec<Target<'a>>,
}

/// A filter names the calls of one of these.
pub(super) enum Target<'a> {
    /// A function, by its index.
    Function(usize),
    /// A child, by its number and by its path in the filter.
    Child(usize, &'a Path),
    /// All toolboxes of one type, by their numbers and by the path in the filter.
    Toolboxes(Vec<usize>, &'a Path),
    /// A method of all toolboxes of one type.
    Method(Vec<usize>, &'a Path, String),
    /// A single tool of a server.
    Remote(String),
    /// A server.
    Server(&'a str),
    /// A source, by its variant.
    Source(Ident),
    /// A tool that is added when the agent is built.
    Added(&'a str),
    /// A built-in tool.
    Builtin(&'a str),
}
