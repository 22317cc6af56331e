//! The checks of an agent's toolboxes.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::ext::IdentExt;

use super::names::{entry_span, known_toolbox, tool_alias, toolbox_alias};
use crate::agent::ast::{ListEntry, ToolboxEntry};
use crate::agent::model::AgentModel;

/// Each toolbox works on the agent's state, and its tools have names of their own.
pub(super) fn checks(agent: &AgentModel<'_>) -> TokenStream {
    let state = &agent.state;
    let functions = agent.functions.iter().enumerate().map(|(index, ListEntry { cfgs, path })| {
        let alias = tool_alias(index, path);
        quote!(#(#cfgs)* (#index, <#alias as __rt::Tool>::NAME))
    });
    let functions = quote!(&[#(#functions),*]);
    let names = |index: usize, toolbox: &ToolboxEntry| {
        let ListEntry { cfgs, path } = &toolbox.entry;
        let alias = toolbox_alias(index, path);
        let prefix = toolbox.prefix.as_ref().map(|prefix| prefix.unraw().to_string()).unwrap_or_default();
        (quote!(#(#cfgs)*), quote!((#prefix, <#alias as __rt::Toolbox>::TOOLS)))
    };
    let mut before = Vec::new();
    let mut checks = TokenStream::new();
    for (index, toolbox) in agent.toolboxes.iter().enumerate() {
        let path = &toolbox.entry.path;
        let (alias, span) = (toolbox_alias(index, path), entry_span(path));
        let known = known_toolbox(index, path);
        let (cfgs, own) = names(index, toolbox);
        let before_it = (index > 0).then(|| {
            let unlike = quote!({ __rt::unlike_toolboxes(&[#(#before),*], #own) });
            quote_spanned!(span=> let _ = <#alias as __rt::NamedUnlikeToolboxes<#unlike>>::HOLDS;)
        });
        checks.extend(quote_spanned! {span=>
            #cfgs
            type #known = <__rt::Known<{
                let () =
                    <<<#alias as __rt::Toolbox>::State as __rt::Works>::All as __rt::FitsState<#state>>::FITS;
                let _ = <#alias as __rt::NamedUnlikeFunctions<{ __rt::unlike_functions(#functions, #own) }>>::HOLDS;
                #before_it
                true
            }> as __rt::Is>::Type<#alias>;
        });
        before.push(quote!(#cfgs #own));
    }
    checks
}

/// The prefix of a toolbox's tools as an `Option<&str>`.
pub(super) fn prefix(toolbox: &ToolboxEntry) -> TokenStream {
    match toolbox.prefix.as_ref().map(|prefix| prefix.unraw().to_string()) {
        Some(prefix) => quote!(::core::option::Option::Some(#prefix)),
        None => quote!(::core::option::Option::None),
    }
}
