//! What stands in `agent! { .. }`, as it was written.

use proc_macro2::{Ident, Span};
use syn::{Attribute, Expr, LitBool, LitStr, Path, Type, Visibility};

/// One agent.
pub(crate) struct Agent {
    pub(crate) attrs: Vec<Attribute>,
    pub(crate) vis: Visibility,
    pub(crate) ident: Ident,
    pub(crate) fields: Fields,
}

/// The fields of an agent. Each is there once at most.
#[derive(Default)]
pub(crate) struct Fields {
    /// The names of the fields that are there, also of those that could not be read.
    pub(crate) given: Vec<String>,
    pub(crate) name: Option<LitStr>,
    pub(crate) description: Option<Expr>,
    pub(crate) instruction: Option<Expr>,
    pub(crate) servers: Vec<Word>,
    pub(crate) tools: Vec<(Word, Vec<Word>)>,
    pub(crate) function_tools: Vec<Entry>,
    pub(crate) toolboxes: Vec<ToolboxEntry>,
    pub(crate) agents: Vec<Entry>,
    pub(crate) tool_hooks: Vec<HookItem>,
    pub(crate) runtime: Vec<RuntimeTool>,
    pub(crate) default: Option<LitBool>,
    pub(crate) model: Option<Expr>,
    pub(crate) request_params: Vec<(Ident, Expr)>,
    pub(crate) limits: Vec<(Ident, Expr)>,
    pub(crate) history_source: Option<Ident>,
    pub(crate) history_merge_target: Option<Ident>,
    pub(crate) max_parallel: Option<Number>,
    pub(crate) child_timeout_sec: Option<Number>,
    pub(crate) max_display_instances: Option<Number>,
    pub(crate) effect: Option<Ident>,
    pub(crate) state: Option<Type>,
    pub(crate) crate_path: Option<Path>,
}

/// A name, written bare or as a string.
#[derive(Clone)]
pub(crate) struct Word {
    pub(crate) text: String,
    pub(crate) span: Span,
}

/// A number that was written down.
#[derive(Clone, Copy)]
pub(crate) struct Number {
    pub(crate) value: f64,
    pub(crate) span: Span,
}

/// A path in a list, with its `#[cfg]`s.
#[derive(Clone)]
pub(crate) struct Entry {
    pub(crate) cfgs: Vec<Attribute>,
    pub(crate) path: Path,
}

/// A toolbox: `Kb`, or `archive: Kb` where its tools get a prefix.
pub(crate) struct ToolboxEntry {
    pub(crate) entry: Entry,
    pub(crate) prefix: Option<Ident>,
}

/// An item of `tool_hooks`.
pub(crate) enum HookItem {
    Hook(Box<HookEntry>),
    /// `..`: the place of run-time hooks.
    Rest(Span),
}

/// A hook, its configuration, and the calls that it concerns.
pub(crate) struct HookEntry {
    pub(crate) entry: Entry,
    pub(crate) config: Vec<Expr>,
    pub(crate) filter: Option<Filter>,
}

/// `for [..]` or `except [..]`.
pub(crate) struct Filter {
    pub(crate) except: bool,
    pub(crate) targets: Vec<Target>,
}

/// What a filter names.
pub(crate) enum Target {
    /// A tool, a child, a toolbox of this agent, a toolbox's method, or a tool of an MCP server.
    Path(Path),
    /// `server(time)`.
    Server(Word),
    /// `source(mcp)`.
    Source(Word),
    /// `tool(lookup)`: a tool that is known at run time only.
    Tool(Word),
    /// A built-in tool.
    Runtime(RuntimeTool),
}

/// A built-in tool: `shell.execute`.
#[derive(Clone)]
pub(crate) struct RuntimeTool {
    pub(crate) name: String,
    pub(crate) span: Span,
}
