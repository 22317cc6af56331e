//! The tool's own hooks, its stages and its guardrails as a `ToolPolicy`.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;

use super::approval_cache::{Approval, Cache};
use super::options::Options;
use super::values::typed;
use crate::listed::{Listed, whole};
use crate::policy_entry::PolicyEntry;

impl Options {
    /// The guardrails, each with the trait that makes it one and the alias that it goes by.
    fn guardrails(&self) -> impl Iterator<Item = (&PolicyEntry, Ident, Ident)> {
        let named = |list: &'static str| move |(at, entry)| (entry, word(list), alias(list, at));
        let input = self.input_guardrails.iter().enumerate().map(named("InputGuardrail"));
        input.chain(self.output_guardrails.iter().enumerate().map(named("OutputGuardrail")))
    }

    /// An alias for each guardrail. It is an error if the path is not a guardrail or has other values than it takes. rustc
    /// reports no error where the alias is used.
    pub(super) fn guardrail_checks(&self, own_state: Option<&TokenStream>) -> TokenStream {
        let checks = self.guardrails().map(|(entry, kind, alias)| {
            let (path, spans) = (&entry.path, whole(&entry.path));
            // The path is written once, so that an unresolved path is one error.
            let named = format_ident!("__{alias}", span = spans[1]);
            let listed = Listed { alias: &named, kind: quote!(__rt::#kind), spans };
            let (is_named, state) =
                (listed.is_named_with(entry.values), own_state.map(|state| listed.fits(state)));
            quote_spanned! {path.span()=>
                type #named = #path;
                type #alias = <__rt::Known<{ #is_named #state }> as __rt::Is>::Type<#named>;
            }
        });
        quote!(#(#checks)*)
    }

    /// What the definition says of the layers around the function.
    pub(super) fn layers(&self) -> TokenStream {
        let names = |entries: &[PolicyEntry]| {
            let names = entries.iter().map(PolicyEntry::name);
            quote!(&[#(#names),*])
        };
        let (hooks, input, output) =
            (names(&self.hooks), names(&self.input_guardrails), names(&self.output_guardrails));
        let has_cache = self.cache.is_some();
        quote! {
            &__rt::Layers {
                hooks: #hooks,
                input_guardrails: #input,
                output_guardrails: #output,
                has_cache: #has_cache,
            }
        }
    }

    /// The states that the guardrails work on.
    pub(super) fn guardrail_states(&self) -> Vec<TokenStream> {
        self.guardrails()
            .map(|(_, kind, alias)| quote!(<<#alias as __rt::#kind>::Made as __rt::MadeBy<#alias>>::State))
            .collect()
    }

    /// The functions that list the services of the guardrails.
    pub(super) fn guardrail_services(&self) -> impl Iterator<Item = TokenStream> {
        self.guardrails().map(|(_, kind, alias)| quote!(<#alias as __rt::#kind>::services))
    }

    /// The hooks, the guardrails, the approval and the cache as a value.
    fn declared(&self, hooks: &TokenStream) -> TokenStream {
        let steps = self.guardrails().map(|(entry, kind, alias)| {
            let method = word(if kind == "InputGuardrail" { "input" } else { "output" });
            let with = &entry.with;
            quote! {
                .#method({
                    let with: <<#alias as __rt::#kind>::Made as __rt::MadeBy<#alias>>::Values = #with;
                    <<#alias as __rt::#kind>::Made as __rt::MadeBy<#alias>>::configure(with)
                })
            }
        });
        let approval = self.approval.as_ref().map(|approval| match approval {
            Approval::Always => quote!(.approval()),
            Approval::If(path) => quote!(.approval_if(__rt::approval_by(#path))),
        });
        let cache = self.cache.as_ref().map(|cache| {
            let cache = cache.value();
            quote!(.cache(#cache))
        });
        quote!(__rt::ToolPolicy::new() #hooks #approval #cache #(#steps)*)
    }

    /// The tool's own hooks and stages as a value.
    pub(super) fn policy(&self, hooks: &TokenStream) -> TokenStream {
        let policy = self.declared(hooks);
        match &self.on_error {
            Some(handler) => {
                quote!(__rt::recover(#policy, #handler))
            }
            None => policy,
        }
    }
}

impl Cache {
    fn value(&self) -> TokenStream {
        let ttl = self.options.ttl.as_ref().map(|ttl| {
            let ttl = typed(&quote!(__rt::Duration), &ttl.duration());
            quote!(.ttl(#ttl))
        });
        let capacity = self.options.capacity.as_ref().map(|most| {
            let most = typed(&quote!(::core::primitive::usize), &most.to_token_stream());
            quote!(.capacity(#most))
        });
        let cache = quote!(__rt::Cache::new() #ttl #capacity);
        match &self.options.key {
            Some(key) => quote!(__rt::keyed(#cache, #key)),
            None => cache,
        }
    }
}

fn word(name: &str) -> Ident {
    Ident::new(name, Span::call_site())
}

fn alias(list: &str, index: usize) -> Ident {
    Ident::new(&format!("{list}AsWritten{index}"), Span::mixed_site())
}
