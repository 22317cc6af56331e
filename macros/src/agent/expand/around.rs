//! Run hooks, turn hooks and message hooks: their checks, and their place in the declaration.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::Path;

use super::names::entry_span;
use crate::agent::ast::{ListEntry, RunHookEntry};
use crate::agent::model::AgentModel;
use crate::listed::Listed;

/// The hooks of one list.
#[derive(Clone, Copy)]
pub(super) struct Around<'a> {
    pub(super) hooks: &'a [RunHookEntry],
    /// The trait: `RunHook`, `TurnHook` or `MessageHook`.
    kind: &'static str,
    /// The method of the declaration.
    method: &'static str,
}

impl<'a> Around<'a> {
    /// All lists of an agent.
    pub(super) fn all(agent: &AgentModel<'a>) -> [Self; 3] {
        [
            Self { hooks: agent.run_hooks, kind: "RunHook", method: "run_hook" },
            Self { hooks: agent.turn_hooks, kind: "TurnHook", method: "turn_hook" },
            Self { hooks: agent.message_hooks, kind: "MessageHook", method: "message_hook" },
        ]
    }

    /// The alias of a hook's path.
    pub(super) fn alias(self, index: usize, path: &Path) -> Ident {
        format_ident!("__{}{index}", self.kind, span = entry_span(path))
    }

    /// The alias for use in other types. A wrong entry is one error.
    fn known(self, index: usize, path: &Path) -> Ident {
        format_ident!("{}AsWritten{index}", self.kind, span = entry_span(path))
    }

    fn checks(self, state: &TokenStream) -> TokenStream {
        let (kind, state_of) = (format_ident!("{}", self.kind), format_ident!("StateOf{}", self.kind));
        let checks = self.hooks.iter().enumerate().map(|(index, RunHookEntry { entry, config })| {
            let ListEntry { cfgs, path } = entry;
            let (alias, known, span) = (self.alias(index, path), self.known(index, path), entry_span(path));
            let listed = Listed { alias: &alias, kind: quote!(__rt::#kind), spans: [span; 2] };
            let named = listed.is_named_with(config.len());
            quote_spanned! {span=>
                #(#cfgs)*
                type #known = <__rt::Known<{
                    let () = <__rt::#state_of<#alias> as __rt::FitsState<#state>>::FITS;
                    #named
                }> as __rt::Is>::Type<#alias>;
            }
        });
        quote!(#(#checks)*)
    }

    fn declared(self) -> TokenStream {
        let [kind, values, method] =
            [self.kind, &format!("ValuesOf{}", self.kind), self.method].map(|word| format_ident!("{word}"));
        let hooks = self.hooks.iter().enumerate().map(|(index, RunHookEntry { entry, config })| {
            let ListEntry { cfgs, path } = entry;
            let (alias, known, span) = (self.alias(index, path), self.known(index, path), entry_span(path));
            // The value is written directly with its type, so rustc reports a wrong value at its own token.
            let with = quote!(let __with: __rt::#values<#known> = (#(#config,)*););
            quote_spanned! {span=>
                #(#cfgs)*
                let __agent = __agent.#method::<#known>({
                    #with
                    <<#alias as __rt::#kind>::Made as __rt::MadeBy<#alias>>::configure(__with)
                });
            }
        });
        quote!(#(#hooks)*)
    }
}

/// The aliases of the paths.
pub(super) fn aliases(agent: &AgentModel<'_>) -> TokenStream {
    let aliases = Around::all(agent).into_iter().flat_map(|around| {
        around.hooks.iter().enumerate().map(move |(index, RunHookEntry { entry, .. })| {
            let ListEntry { cfgs, path } = entry;
            let alias = around.alias(index, path);
            quote!(#(#cfgs)* type #alias = #path;)
        })
    });
    aliases.collect()
}

/// The checks that need types, each at the entry.
pub(super) fn checks(agent: &AgentModel<'_>) -> TokenStream {
    Around::all(agent).into_iter().map(|around| around.checks(&agent.state)).collect()
}

/// Adds the hooks to the declaration.
pub(super) fn declared(agent: &AgentModel<'_>) -> TokenStream {
    Around::all(agent).into_iter().map(Around::declared).collect()
}
