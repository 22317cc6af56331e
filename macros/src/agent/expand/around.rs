//! Hooks around runs and turns and on messages, and guardrails: their checks, and their place in the declaration.

use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};

use super::filter;
use super::names::Named;
use crate::agent::model::{AgentModel, Hook};
use crate::item::option;
use crate::listed::Listed;

/// One list of an agent.
pub(super) struct Around<'a> {
    hooks: &'a [Hook<'a>],
    /// The trait: `RunHook`, `InputGuardrail` and the like.
    kind: &'static str,
    /// The method of the declaration.
    method: &'static str,
    /// Whether the method takes a filter.
    is_filtered: bool,
}

impl<'a> Around<'a> {
    /// All lists of an agent.
    pub(super) fn all(agent: &'a AgentModel<'_>) -> [Self; 5] {
        [
            (&agent.run_hooks, "RunHook", "run_hook", false),
            (&agent.turn_hooks, "TurnHook", "turn_hook", false),
            (&agent.message_hooks, "MessageHook", "message_hook", false),
            (&agent.input_guardrails, "InputGuardrail", "input_guardrail", true),
            (&agent.output_guardrails, "OutputGuardrail", "output_guardrail", true),
        ]
        .map(|(hooks, kind, method, is_filtered)| Self { hooks, kind, method, is_filtered })
    }

    fn entries(&self) -> impl Iterator<Item = (Named<'a>, &'a Hook<'a>)> {
        let kind = self.kind;
        self.hooks.iter().enumerate().map(move |(index, hook)| (Named::new(kind, index, hook.entry), hook))
    }

    fn checks(&self, state: &TokenStream) -> TokenStream {
        let kind = format_ident!("{}", self.kind);
        let checks = self.entries().map(|(Named { cfgs, alias, known, span, .. }, hook)| {
            let listed = Listed { alias: &alias, kind: quote!(__rt::#kind), spans: [span; 2] };
            let (named, works_on) = (listed.is_named_with(hook.config.len()), listed.made("State"));
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
        let calls =
            self.entries().map(|(Named { cfgs, alias, known, span, .. }, Hook { config, filter, .. })| {
                // The value is written directly with its type, so rustc reports a wrong value at its own token.
                let values = quote!(<<#known as __rt::#kind>::Made as __rt::MadeBy<#known>>::Values);
                let with = quote!(let __with: #values = (#(#config,)*););
                let on = self.is_filtered.then(|| {
                    let filter = option(filter.as_ref().map(|filter| {
                        let (concerned, words) = (filter::concerned(agent, filter), filter::words(filter));
                        quote!(__rt::CallFilter::new(|__cx| #concerned).words(#words))
                    }));
                    quote!(, #filter)
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
    let aliases = Around::all(agent).into_iter().flat_map(|around| around.entries().collect::<Vec<_>>());
    aliases.map(|(Named { cfgs, path, alias, .. }, _)| quote!(#(#cfgs)* type #alias = #path;)).collect()
}

/// The checks that need types, each at the entry.
pub(super) fn checks(agent: &AgentModel<'_>) -> TokenStream {
    Around::all(agent).iter().map(|around| around.checks(&agent.state)).collect()
}

/// Adds the entries to the declaration.
pub(super) fn declared(agent: &AgentModel<'_>) -> TokenStream {
    Around::all(agent).iter().map(|around| around.declared(agent)).collect()
}
