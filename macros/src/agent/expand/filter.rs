//! The filter of a hook as a test of a call.

use onionskin_vocabulary::{BuiltIn, Word as _};
use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::names::{CHILD, TOOLBOX, alias};
use super::toolboxes::prefix;
use crate::agent::ast::{ToolboxEntry, Word};
use crate::agent::model::{AgentModel, Filter, Target};

/// The names in filters that only a built agent can have, each with its hook or guardrail.
pub(super) fn names(agent: &AgentModel<'_>) -> Vec<(String, String)> {
    let mut names = Vec::new();
    for (owner, filter) in agent.filters() {
        let added = filter.targets.iter().filter_map(Target::built_name);
        names.extend(added.map(|(name, _)| (owner.clone(), name)));
    }
    names
}

/// The test whether a filtered hook concerns a call.
pub(super) fn concerned(agent: &AgentModel<'_>, filter: &Filter<'_>) -> TokenStream {
    let tests = filter.targets.iter().map(|target| target_test(agent, target));
    let any = quote!((#(#tests)||*));
    if filter.except { quote!(!#any) } else { any }
}

/// The filter as data.
pub(super) fn words(filter: &Filter<'_>) -> TokenStream {
    let except = filter.except;
    let words = filter.targets.iter().flat_map(|target| match target {
        Target::Function(index) => vec![quote!(Function(#index))],
        Target::Child(index, _) => vec![quote!(Child(#index))],
        Target::Toolboxes(toolboxes, _) => toolboxes.iter().map(|index| quote!(Toolbox(#index))).collect(),
        Target::Method(_, _, name) => vec![quote!(Method(#name))],
        Target::Remote(name) => {
            let name = name.to_string();
            vec![quote!(Named(#name))]
        }
        Target::Server(name) => vec![quote!(Server(#name))],
        Target::Source(source, _) => {
            let word = source.word();
            vec![quote!(Source(#word))]
        }
        Target::Added(Word { text, .. }) => vec![quote!(Added(#text))],
        Target::Builtin(name) => vec![quote!(Named(#name))],
    });
    quote!(#except, &[#(__rt::FilterWord::#words),*])
}

fn target_test(agent: &AgentModel<'_>, target: &Target<'_>) -> TokenStream {
    match target {
        Target::Function(index) => quote!(__cx.tool_index() == #index),
        Target::Child(child, path) => {
            let alias = alias(CHILD, *child, path);
            quote!(__rt::is_child(__cx, <#alias as __rt::Agent>::NAME))
        }
        Target::Toolboxes(toolboxes, path) => {
            let tests = toolboxes.iter().map(|&index| {
                let toolbox = &agent.fields.toolboxes[index];
                let (alias, prefix) = (alias(TOOLBOX, index, path), prefix(toolbox));
                test(toolbox, &quote!(__rt::is_of_toolbox::<#alias>(__cx, #prefix)))
            });
            quote!((#(#tests)||*))
        }
        Target::Method(toolboxes, path, name) => {
            let tests = toolboxes.iter().map(|&index| {
                let toolbox = &agent.fields.toolboxes[index];
                let (alias, prefix) = (alias(TOOLBOX, index, path), prefix(toolbox));
                test(
                    toolbox,
                    &quote!(__rt::is_method(__cx, #prefix, const { __rt::tool_of_method::<#alias>(#name) })),
                )
            });
            quote!((#(#tests)||*))
        }
        Target::Remote(name) => {
            let name = name.to_string();
            quote!((__cx.source().is_server() && __cx.tool_name() == #name))
        }
        Target::Server(name) => quote! {
            (__cx.source().is_server()
                && __cx.server_name() == ::core::option::Option::Some(#name))
        },
        Target::Source(source, span) => {
            let variant = Ident::new(source.variant(), *span);
            quote!(__cx.source() == __rt::ToolSource::#variant)
        }
        Target::Added(Word { text: name, .. }) => quote!(__cx.tool_name() == #name),
        Target::Builtin(name) => match BuiltIn::family_prefix(name) {
            Some(family) => quote! {
                (__cx.source() == __rt::ToolSource::Runtime
                    && ::core::primitive::str::starts_with(__cx.tool_name(), #family))
            },
            None => quote!(__cx.tool_name() == #name),
        },
    }
}

/// A test under the `#[cfg]`s of the toolbox.
fn test(toolbox: &ToolboxEntry, test: &TokenStream) -> TokenStream {
    let cfgs = &toolbox.entry.cfgs;
    if cfgs.is_empty() {
        return test.clone();
    }
    quote!({
        #[allow(unused_mut, unused_assignments)]
        let mut __is = false;
        #(#cfgs)*
        {
            __is = #test;
        }
        __is
    })
}
