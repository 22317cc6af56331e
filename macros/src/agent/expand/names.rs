//! Aliases for the user's paths. The generated code contains each path once, so rustc reports an unresolved path once. An
//! alias has the span of its entry, so rustc also reports all other errors there, and each of them once.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};
use syn::spanned::Spanned;
use syn::{Attribute, Path};

use crate::agent::ast::{ListEntry, ToolboxEntry};
use crate::agent::model::{AgentModel, Hook};

/// An entry of a list, and what the generated code calls it.
pub(super) struct Named<'a> {
    pub(super) index: usize,
    pub(super) cfgs: &'a [Attribute],
    pub(super) path: &'a Path,
    /// The alias of the path.
    pub(super) alias: Ident,
    /// The alias for use in other types. A wrong entry is one error, and rustc reports no error in the types that use
    /// the alias. Some errors show the alias by its name.
    pub(super) known: Ident,
    /// The place of errors about the entry.
    pub(super) span: Span,
}

impl<'a> Named<'a> {
    pub(super) fn new(kind: &str, index: usize, ListEntry { cfgs, path }: &'a ListEntry) -> Self {
        let span = entry_span(path);
        let known = format_ident!("{kind}AsWritten{index}", span = span);
        Self { index, cfgs, path, alias: alias(kind, index, path), known, span }
    }
}

/// The alias of an entry, at the place of this path.
pub(super) fn alias(kind: &str, index: usize, path: &Path) -> Ident {
    format_ident!("__{kind}{index}", span = entry_span(path))
}

pub(super) const TOOL: &str = "Tool";
pub(super) const TOOLBOX: &str = "Toolbox";
pub(super) const CHILD: &str = "Child";
const HOOK: &str = "Hook";

fn all<'a>(
    kind: &str,
    entries: &'a [ListEntry],
) -> impl DoubleEndedIterator<Item = Named<'a>> + ExactSizeIterator {
    entries.iter().enumerate().map(move |(index, entry)| Named::new(kind, index, entry))
}

pub(super) fn tools<'a>(agent: &AgentModel<'a>) -> impl Iterator<Item = Named<'a>> {
    all(TOOL, &agent.fields.function_tools)
}

pub(super) fn children<'a>(agent: &AgentModel<'a>) -> impl Iterator<Item = Named<'a>> {
    all(CHILD, &agent.fields.agents)
}

pub(super) fn toolboxes<'a>(agent: &AgentModel<'a>) -> impl Iterator<Item = (Named<'a>, &'a ToolboxEntry)> {
    let named =
        |(index, toolbox): (usize, &'a ToolboxEntry)| (Named::new(TOOLBOX, index, &toolbox.entry), toolbox);
    agent.fields.toolboxes.iter().enumerate().map(named)
}

pub(super) fn hooks<'a, 'm>(
    agent: &'m AgentModel<'a>,
) -> impl DoubleEndedIterator<Item = (Named<'a>, &'m Hook<'a>)> + ExactSizeIterator {
    agent.hooks.iter().enumerate().map(|(index, hook)| (Named::new(HOOK, index, hook.entry), hook))
}

/// The place of errors about an entry: the last word of its path.
pub(super) fn entry_span(path: &Path) -> Span {
    let span = path.segments.last().map_or_else(|| path.span(), |last| last.ident.span());
    Span::call_site().located_at(span)
}

/// The aliases of an agent, except the aliases of hooks around runs and turns.
pub(super) fn aliases(agent: &AgentModel<'_>) -> TokenStream {
    let (toolboxes, hooks) = (toolboxes(agent).map(|(named, _)| named), hooks(agent).map(|(named, _)| named));
    let all = tools(agent).chain(toolboxes).chain(hooks).chain(children(agent));
    all.map(|Named { cfgs, path, alias, .. }| quote!(#(#cfgs)* type #alias = #path;)).collect()
}
