//! The checks of an agent's toolboxes.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::ext::IdentExt;

use super::names::{self, Named, tools};
use crate::agent::ast::ToolboxEntry;
use crate::agent::model::AgentModel;
use crate::item::option;

/// Each toolbox works on the agent's state, and its tools have names of their own.
pub(super) fn checks(agent: &AgentModel<'_>) -> TokenStream {
    let state = &agent.state;
    let functions = tools(agent)
        .map(|Named { index, cfgs, alias, .. }| quote!(#(#cfgs)* (#index, <#alias as __rt::Tool>::NAME)));
    let functions = quote!(&[#(#functions),*]);
    let mut before = Vec::new();
    let mut checks = TokenStream::new();
    for (Named { index, cfgs, alias, known, span, .. }, toolbox) in names::toolboxes(agent) {
        let prefix = toolbox.prefix.as_ref().map(|prefix| prefix.unraw().to_string()).unwrap_or_default();
        let own = quote!((#prefix, <#alias as __rt::Toolbox>::TOOLS));
        let before_it = (index > 0).then(|| {
            let unlike = quote!({ __rt::unlike_toolboxes(&[#(#before),*], #own) });
            quote_spanned!(span=> let _ = <#alias as __rt::NamedUnlikeToolboxes<#unlike>>::HOLDS;)
        });
        checks.extend(quote_spanned! {span=>
            #(#cfgs)*
            type #known = <__rt::Known<{
                let () =
                    <<<#alias as __rt::Toolbox>::State as __rt::Works>::All as __rt::FitsState<#state>>::FITS;
                let _ = <#alias as __rt::NamedUnlikeFunctions<{ __rt::unlike_functions(#functions, #own) }>>::HOLDS;
                #before_it
                true
            }> as __rt::Is>::Type<#alias>;
        });
        before.push(quote!(#(#cfgs)* #own));
    }
    checks
}

/// The prefix of a toolbox's tools as an `Option<&str>`.
pub(super) fn prefix(toolbox: &ToolboxEntry) -> TokenStream {
    option(toolbox.prefix.as_ref().map(|prefix| prefix.unraw().to_string().into_token_stream()))
}
