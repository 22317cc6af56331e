//! Aliases for the user's paths. The generated code contains each path once, so rustc reports an unresolved path once. An
//! alias has the span of its entry, so rustc also reports all other errors there, and each of them once.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};
use syn::Path;
use syn::spanned::Spanned;

use crate::agent::ast::ListEntry;
use crate::agent::model::{AgentModel, Hook};

pub(super) fn tool_alias(index: usize, path: &Path) -> Ident {
    format_ident!("__Tool{index}", span = entry_span(path))
}

pub(super) fn toolbox_alias(index: usize, path: &Path) -> Ident {
    format_ident!("__Toolbox{index}", span = entry_span(path))
}

pub(super) fn hook_alias(index: usize, hook: &Hook<'_>) -> Ident {
    format_ident!("__Hook{index}", span = entry_span(&hook.entry.path))
}

/// The alias of a hook for use in other types. A wrong entry is one error, and rustc reports no error in the types that
/// use the alias. Some errors show the alias by its name.
pub(super) fn known_alias(index: usize, hook: &Hook<'_>) -> Ident {
    format_ident!("HookAsWritten{index}", span = entry_span(&hook.entry.path))
}

/// As [`known_alias`], of a child.
pub(super) fn known_child(index: usize, path: &Path) -> Ident {
    format_ident!("ChildAsWritten{index}", span = entry_span(path))
}

/// As [`known_alias`], of a toolbox.
pub(super) fn known_toolbox(index: usize, path: &Path) -> Ident {
    format_ident!("ToolboxAsWritten{index}", span = entry_span(path))
}

pub(super) fn child_alias(index: usize, path: &Path) -> Ident {
    format_ident!("__Agent{index}", span = entry_span(path))
}

/// The span of errors about an entry: the last word of its path.
pub(super) fn entry_span(path: &Path) -> Span {
    let span = path.segments.last().map_or_else(|| path.span(), |last| last.ident.span());
    Span::call_site().located_at(span)
}

/// The aliases of an agent, except the aliases of hooks around runs and turns.
pub(super) fn aliases(agent: &AgentModel<'_>) -> TokenStream {
    let alias = |name: Ident, entry: &ListEntry| {
        let ListEntry { cfgs, path } = entry;
        quote!(#(#cfgs)* type #name = #path;)
    };
    let tools =
        agent.functions.iter().enumerate().map(|(index, entry)| alias(tool_alias(index, &entry.path), entry));
    let hooks =
        agent.hooks.iter().enumerate().map(|(index, hook)| alias(hook_alias(index, hook), hook.entry));
    let agents =
        agent.children.iter().enumerate().map(|(index, entry)| alias(child_alias(index, &entry.path), entry));
    let toolboxes = agent
        .toolboxes
        .iter()
        .enumerate()
        .map(|(index, toolbox)| alias(toolbox_alias(index, &toolbox.entry.path), &toolbox.entry));
    quote!(#(#tools)* #(#toolboxes)* #(#hooks)* #(#agents)*)
}
