//! An agent as its expansion needs it: every key looked up, every target of a filter found.

use proc_macro2::{Ident, TokenStream};
use syn::{Attribute, Expr, LitBool, Path, Type, Visibility};

use super::ast::{Entry, ToolboxEntry, Word};
use super::settings::Given;
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
    pub(super) is_default: Option<&'a LitBool>,
    /// The type of the state as it was written.
    pub(super) written_state: Option<&'a Type>,
    /// The same, or `()`.
    pub(super) state: TokenStream,
    pub(super) servers: Vec<Server<'a>>,
    pub(super) functions: &'a [Entry],
    pub(super) toolboxes: &'a [ToolboxEntry],
    pub(super) children: &'a [Entry],
    /// The macros that give the built-in tools, each at its tool.
    pub(super) built_in: Vec<Ident>,
    /// Outermost first.
    pub(super) hooks: Vec<Hook<'a>>,
    /// How many hooks are outside of the dynamic ones.
    pub(super) seam: usize,
    pub(super) request_params: Vec<Given<'a>>,
    pub(super) limits: Vec<Given<'a>>,
    /// Variants of the runtime's types.
    pub(super) history_source: Option<Ident>,
    pub(super) history_merge_target: Option<Ident>,
    pub(super) effect: Option<Ident>,
    pub(super) max_parallel: Option<usize>,
    pub(super) max_display_instances: Option<usize>,
    /// In seconds.
    pub(super) child_timeout: Option<f64>,
}

/// An MCP server, and which of its tools the agent has: all without patterns.
pub(super) struct Server<'a> {
    pub(super) name: &'a Word,
    pub(super) patterns: Option<&'a [Word]>,
}

/// A hook, its values, and the calls that it concerns.
pub(super) struct Hook<'a> {
    pub(super) entry: &'a Entry,
    pub(super) config: &'a [Expr],
    pub(super) filter: Option<Filter<'a>>,
}

/// The calls that a hook concerns: those of these targets, or all others.
pub(super) struct Filter<'a> {
    pub(super) except: bool,
    pub(super) targets: Vec<Target<'a>>,
}

/// The calls that a filter names.
pub(super) enum Target<'a> {
    /// Of the function with this index.
    Function(usize),
    /// Of a child, by its number and as the filter names it.
    Child(usize, &'a Path),
    /// Of all toolboxes of one type, by their numbers and as the filter names it.
    Toolboxes(Vec<usize>, &'a Path),
    /// Of a method of all toolboxes of one type.
    Method(Vec<usize>, &'a Path, String),
    /// Of a single tool of an MCP server.
    Remote(String),
    /// Of an MCP server.
    Server(&'a str),
    /// Of a source, by its variant.
    Source(Ident),
    /// Of a tool that is added when the agent is built.
    Added(&'a str),
    /// Of a built-in tool.
    Builtin(&'a str),
}
