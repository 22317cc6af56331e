//! An agent as its expansion needs it: every key looked up, every target of a filter found.

use onionskin_vocabulary::agent::{Part, ToolSource};
use proc_macro2::{Ident, Span, TokenStream};
use syn::{Attribute, Expr, ExprPath, LitStr, Member, Path, Visibility};

use super::ast::{ApprovalRule, ListEntry, Word};
use super::fields::Fields;
use super::list::last_word;
use super::settings::ExplicitSetting;
use super::workflow_agent::WorkflowAgent;
use crate::paths::Runtime;

/// An agent, understood.
pub(super) struct AgentModel<'a> {
    pub(super) attrs: &'a [Attribute],
    pub(super) vis: &'a Visibility,
    /// What needs no lookup.
    pub(super) fields: &'a Fields,
    pub(super) ty: Ident,
    pub(super) name: String,
    pub(super) runtime: Runtime,
    pub(super) description: Option<&'a Expr>,
    /// The parts of the system prompt that the agent has.
    pub(super) prompt: Vec<PromptEntry<'a>>,
    /// Where a part of the prompt ends the provider's cache, and the warning about it.
    pub(super) uncached: Option<(Span, String)>,
    /// The type of the state, or `()`.
    pub(super) state: TokenStream,
    pub(super) servers: Vec<Server<'a>>,
    pub(super) headers: Vec<Header<'a>>,
    /// The path of the package's lock file, if there is one and the agent has servers.
    pub(super) lock_file: Option<String>,
    /// What a workflow says of the agent.
    pub(super) workflow: &'a WorkflowAgent,
    pub(super) built_in: Vec<BuiltIn>,
    /// Outermost first.
    pub(super) hooks: Vec<Hook<'a>>,
    pub(super) input_guardrails: Vec<Hook<'a>>,
    pub(super) output_guardrails: Vec<Hook<'a>>,
    pub(super) approval: Vec<Approval<'a>>,
    pub(super) run_hooks: Vec<Hook<'a>>,
    pub(super) turn_hooks: Vec<Hook<'a>>,
    pub(super) message_hooks: Vec<Hook<'a>>,
    /// The number of hooks outside of the dynamic ones.
    pub(super) seam: usize,
    pub(super) request_params: Vec<ExplicitSetting<'a>>,
    pub(super) limits: Vec<ExplicitSetting<'a>>,
}

/// A part of the system prompt, by the variant of the runtime's type.
pub(super) struct PromptEntry<'a> {
    pub(super) part: &'static str,
    pub(super) text: PartText<'a>,
}

/// The text of a part.
pub(super) enum PartText<'a> {
    /// The runtime knows it.
    Known,
    /// The part is left out.
    LeftOut,
    /// A literal with places for fields of the state.
    Template(&'a LitStr, Vec<Piece>),
    /// The path of a function.
    Function(&'a ExprPath),
    /// A closure.
    Closure(&'a Expr),
    /// An expression that is text.
    Text(&'a Expr),
}

/// A piece of a literal.
pub(super) enum Piece {
    Words(String),
    /// A field of the state: the way to it.
    Field(Vec<Member>),
    /// A value of the session's state, under a dotted key.
    Key(String),
}

/// A server, and which of its tools the agent has: all without patterns.
pub(super) struct Server<'a> {
    pub(super) name: &'a Word,
    pub(super) patterns: Option<&'a [Word]>,
}

/// A header of the calls to a server.
pub(super) struct Header<'a> {
    pub(super) server: &'a Word,
    pub(super) name: &'a Word,
    pub(super) value: &'a LitStr,
    /// The value, split at its places.
    pub(super) pieces: Vec<Piece>,
}

/// A hook or a guardrail, its values, and the calls that it concerns.
pub(super) struct Hook<'a> {
    pub(super) entry: &'a ListEntry,
    pub(super) config: &'a [Expr],
    pub(super) filter: Option<Filter<'a>>,
    /// The word that says that a hook sees the calls of the agents below too.
    pub(super) everywhere: Option<Span>,
}

/// Calls that need approval.
pub(super) struct Approval<'a> {
    pub(super) span: Span,
    pub(super) rule: &'a ApprovalRule,
    pub(super) filter: Filter<'a>,
}

impl<'a> AgentModel<'a> {
    /// All filters, each with the name of what has it: a hook, a guardrail, or `approval`.
    pub(super) fn filters(&self) -> impl Iterator<Item = (String, &Filter<'a>)> {
        let lists = [&self.hooks, &self.input_guardrails, &self.output_guardrails];
        let hooks = lists.into_iter().flatten();
        let hooks = hooks.filter_map(|hook| Some((last_word(&hook.entry.path), hook.filter.as_ref()?)));
        hooks.chain(self.approval.iter().map(|approval| (Part::Approval.to_string(), &approval.filter)))
    }
}

/// The calls that a hook concerns: the calls of these targets, or all other calls.
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
    Remote(&'a Ident),
    /// A server.
    Server(&'a str),
    /// A source, at its name.
    Source(ToolSource, Span),
    /// A tool that is added when the agent is built.
    Added(&'a Word),
    /// A built-in tool.
    Builtin(&'a str),
}

impl Target<'_> {
    /// The name of a tool that only a built agent can have, and its place. A tool of a server whose name is not an identifier of Rust is
    /// written as a tool that is added.
    pub(super) fn built_name(&self) -> Option<(String, Span)> {
        match self {
            Self::Remote(name) => Some((name.to_string(), name.span())),
            Self::Added(name) => Some((name.text.clone(), name.span)),
            Self::Function(_)
            | Self::Child(..)
            | Self::Toolboxes(..)
            | Self::Method(..)
            | Self::Server(_)
            | Self::Source(..)
            | Self::Builtin(_) => None,
        }
    }
}

/// A built-in tool, at its name.
pub(super) struct BuiltIn {
    pub(super) tool: onionskin_vocabulary::BuiltIn,
    pub(super) span: Span,
}
