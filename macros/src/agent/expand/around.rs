//! Hooks around runs and turns and on messages, and guardrails: their checks, and their place in the declaration.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::{Expr, Path};

use super::filter;
use super::names::entry_span;
use crate::agent::ast::{ListEntry, RunHookEntry};
use crate::agent::model::{AgentModel, Filter, Hook};
use crate::listed::Listed;

/// One list of an agent.
pub(super) struct Around<'a> {
    entries: Vec<Item<'a>>,
    /// The trait: `RunHook`, `InputGuardrail` and the like.
    kind: &'static str,
    /// The method of the declaration.
    method: &'static str,
    /// Whether the method takes a filter.
    is_filtered: bool,
}

/// An entry of a list, with its values and its filter.
struct Item<'a> {
    entry: &'a ListEntry,
    config: &'a [Expr],
    filter: Option<&'a Filter<'a>>,
}

impl<'a> Around<'a> {
    /// All lists of an agent.
    pub(super) fn all(agent: &'a AgentModel<'_>) -> [Self; 5] {
        [
            Self::hooks(agent.run_hooks, "RunHook", "run_hook"),
            Self::hooks(agent.turn_hooks, "TurnHook", "turn_hook"),
            Self::hooks(agent.message_hooks, "MessageHook", "message_hook"),
            Self::guardrails(&agent.input_guardrails, "InputGuardrail", "input_guardrail"),
            Self::guardrails(&agent.output_guardrails, "OutputGuardrail", "output_guardrail"),
        ]
    }

    fn hooks(hooks: &'a [RunHookEntry], kind: &'static str, method: &'static str) -> Self {
        let entry = |RunHookEntry { entry, config }: &'a RunHookEntry| Item { entry, config, filter: None };
        Self { entries: hooks.iter().map(entry).collect(), kind, method, is_filtered: false }
    }

    fn guardrails(guardrails: &'a [Hook<'_>], kind: &'static str, method: &'static str) -> Self {
        let entry = |Hook { entry, config, filter, .. }: &'a Hook<'_>| Item {
            entry,
            config,
            filter: filter.as_ref(),
        };
        Self { entries: guardrails.iter().map(entry).collect(), kind, method, is_filtered: true }
    }

    /// The alias of an entry's path.
    fn alias(&self, index: usize, path: &Path) -> Ident {
        format_ident!("__{}{index}", self.kind, span = entry_span(path))
    }

    /// The alias for use in other types. A wrong entry is one error.
    fn known(&self, index: usize, path: &Path) -> Ident {
        format_ident!("{}AsWritten{index}", self.kind, span = entry_span(path))
    }

    fn checks(&self, state: &TokenStream) -> TokenStream {
        let kind = format_ident!("{}", self.kind);
        let checks = self.entries.iter().enumerate().map(|(index, Item { entry, config, .. })| {
            let ListEntry { cfgs, path } = entry;
            let (alias, known, span) = (self.alias(index, path), self.known(index, path), entry_span(path));
            let listed = Listed { alias: &alias, kind: quote!(__rt::#kind), spans: [span; 2] };
            let (named, works_on) = (listed.is_named_with(config.len()), listed.made("State"));
            quote_spanned! {span=>
                #(#cfgs)*
                type #known = <__rt::Known<{
                    let () = <#works_on as __rt::FitsState<#state>>::FITS;
                    #named
                }> as __rt::Is>::Type<#alias>;
            }
        });
        quote!(#(#checks)*)
    }

    fn declared(&self, agent: &AgentModel<'_>) -> TokenStream {
        let [kind, method] = [self.kind, self.method].map(|word| format_ident!("{word}"));
        let calls = self.entries.iter().enumerate().map(|(index, Item { entry, config, filter })| {
            let ListEntry { cfgs, path } = entry;
            let (alias, known, span) = (self.alias(index, path), self.known(index, path), entry_span(path));
            // The value is written directly with its type, so rustc reports a wrong value at its own token.
            let values = quote!(<<#known as __rt::#kind>::Made as __rt::MadeBy<#known>>::Values);
            let with = quote!(let __with: #values = (#(#config,)*););
            let on = self.is_filtered.then(|| match filter {
                None => quote!(, ::core::option::Option::None),
                Some(filter) => {
                    let (concerned, words) = (filter::concerned(agent, filter), filter::words(filter));
                    quote!(, ::core::option::Option::Some(__rt::CallFilter::new(|__cx| #concerned).words(#words)))
                }
            });
            quote_spanned! {span=>
                #(#cfgs)*
                let __agent = __agent.#method::<#known>({
                    #with
                    <<#alias as __rt::#kind>::Made as __rt::MadeBy<#alias>>::configure(__with)
                } #on);
            }
        });
        quote!(#(#calls)*)
    }
}

/// The aliases of the paths.
pub(super) fn aliases(agent: &AgentModel<'_>) -> TokenStream {
    let lists = Around::all(agent);
    let aliases = lists.iter().flat_map(|around| {
        around.entries.iter().enumerate().map(move |(index, Item { entry, .. })| {
            let ListEntry { cfgs, path } = entry;
            let alias = around.alias(index, path);
            quote!(#(#cfgs)* type #alias = #path;)
        })
    });
    aliases.collect()
}

/// The checks that need types, each at the entry.
pub(super) fn checks(agent: &AgentModel<'_>) -> TokenStream {
    Around::all(agent).iter().map(|around| around.checks(&agent.state)).collect()
}

/// Adds the entries to the declaration.
pub(super) fn declared(agent: &AgentModel<'_>) -> TokenStream {
    Around::all(agent).iter().map(|around| around.declared(agent)).collect()
}
