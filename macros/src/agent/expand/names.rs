//! The aliases by which the generated code names what the user wrote: each of the user's paths is in it once, so a path
//! that does not resolve is reported once. They are spanned at the entry, so that whatever else is wrong with it is
//! reported there, and by the compiler's own rules once.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};
use syn::Path;
use syn::spanned::Spanned;

use crate::agent::ast::Entry;
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

/// The hook where types are made of it: if something is wrong with the entry, that is one error, and the compiler is
/// silent about all these types. Its name is in the words about some of the errors.
pub(super) fn known_alias(index: usize, hook: &Hook<'_>) -> Ident {
    format_ident!("HookAsWritten{index}", span = entry_span(&hook.entry.path))
}

pub(super) fn child_alias(index: usize, path: &Path) -> Ident {
    format_ident!("__Agent{index}", span = entry_span(path))
}

/// Where errors about an entry are shown: at the last word of its path.
pub(super) fn entry_span(path: &Path) -> Span {
    let span = path.segments.last().map_or_else(|| path.span(), |last| last.ident.span());
    Span::call_site().located_at(span)
}

/// All aliases of an agent.
pub(super) fn aliases(agent: &AgentModel<'_>) -> TokenStream {
    let alias = |name: Ident, entry: &Entry| {
        let Entry { cfgs, path } = entry;
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
