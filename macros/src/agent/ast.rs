//! The words, numbers and items of lists in `agent! { .. }`, as they were written.

use proc_macro2::{Ident, Span};
use syn::{Attribute, Expr, LitStr, Path};

/// A name, written bare or as a string.
#[derive(Clone)]
pub(super) struct Word {
    pub(super) text: String,
    pub(super) span: Span,
}

/// A server, and patterns for what the agent uses of it.
pub(super) type ServerPatterns = (Word, Vec<Word>);

/// A server, and its headers: each a name and a value.
pub(super) type ServerHeaders = (Word, Vec<(Word, LitStr)>);

/// A path in a list, with its `#[cfg]`s.
#[derive(Clone)]
pub(super) struct ListEntry {
    pub(super) cfgs: Vec<Attribute>,
    pub(super) path: Path,
}

/// A toolbox: `Kb`, or `archive: Kb` where its tools get a prefix.
pub(super) struct ToolboxEntry {
    pub(super) entry: ListEntry,
    pub(super) prefix: Option<Ident>,
}

/// An item of `tool_hooks`.
pub(super) enum HookItem {
    Hook(Box<HookEntry>),
    /// `..`: the place of dynamic hooks.
    Rest(Span),
}

/// A hook or a guardrail, its configuration, and the calls that it concerns.
pub(super) struct HookEntry {
    pub(super) entry: ListEntry,
    pub(super) config: Vec<Expr>,
    pub(super) filter: Option<Filter>,
}

/// An entry of `approval`: a target alone, or a rule or a reason with the calls that it concerns.
pub(super) struct ApprovalEntry {
    /// Where the entry begins.
    pub(super) span: Span,
    pub(super) rule: ApprovalRule,
    pub(super) filter: Filter,
}

/// When a call needs approval.
pub(super) enum ApprovalRule {
    Always,
    /// Always, for this reason.
    Because(LitStr),
    /// If this function of the arguments requires it.
    Function(Path),
}

/// `for [..]` or `except [..]`.
pub(super) struct Filter {
    pub(super) except: bool,
    pub(super) targets: Vec<Target>,
}

/// A target of a filter.
pub(super) enum Target {
    /// A tool, a child, a toolbox of this agent, a toolbox's method, or a tool of a server.
    Path(Path),
    /// `server(time)`.
    Server(Word),
    /// `source(mcp)`.
    Source(Word),
    /// `tool(lookup)`: a tool that is known at run time only.
    Tool(Word),
    /// A built-in tool: `shell.execute`.
    Builtin(Word),
    /// `everywhere`: all calls, including the calls of the agents below.
    Everywhere(Span),
}
