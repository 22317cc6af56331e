//! The conditions for a hook or a guardrail where a list names it: `tool_hooks`, `hooks`, `input_guardrails` and the like.
//! Each question is a trait of `onionskin::checks`, so the answer is one error, in the trait's words, at the entry.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::Path;
use syn::spanned::Spanned;

/// An entry of a list, by the alias of its path.
pub(crate) struct Listed<'a> {
    pub(crate) alias: &'a Ident,
    /// The trait that the entry must implement: `__rt::Hook` or another.
    pub(crate) kind: TokenStream,
    /// The first and the last token at which errors are reported.
    pub(crate) spans: [Span; 2],
}

/// All of a path, for errors at it.
pub(crate) fn whole(path: &Path) -> [Span; 2] {
    [path.span(), path.segments.last().map_or_else(|| path.span(), Spanned::span)]
}

impl Listed<'_> {
    /// Writes the check that the list can name the entry with this number of values.
    pub(crate) fn is_named_with(&self, values: usize) -> TokenStream {
        let (alias, kind, takes) = (self.alias, &self.kind, self.made("TAKES"));
        let is_named = self.holds("NamedInLists", &quote!({ #takes.is_some() }));
        let taken = quote!({ __rt::value_count(#takes) });
        let types = quote!(<<#alias as #kind>::Made as __rt::MadeBy<#alias>>::Values);
        let has_each =
            self.holds("HasEachValue", &quote!(#types, #taken, #values, { __rt::has_each(#values, #takes) }));
        // An entry without values cannot have too many.
        let has_no_more = (values > 0).then(|| {
            let requested = quote!(#types, #taken, #values, { __rt::has_no_more(#values, #takes) });
            let holds = self.holds("HasNoMoreValues", &requested);
            quote!(&& #holds)
        });
        quote!(#is_named && #has_each #has_no_more)
    }

    /// Writes an expression: does a check of `onionskin::checks` hold? `requested` are the arguments of its trait.
    pub(crate) fn holds(&self, check: &str, requested: &TokenStream) -> TokenStream {
        let check = Ident::new(check, self.spans[1]);
        self.named(self.alias, &quote!(__rt::#check<#requested>), "HOLDS")
    }

    /// An item of the trait that the entry must have.
    pub(crate) fn item(&self, name: &str) -> TokenStream {
        self.named(self.alias, &self.kind, name)
    }

    /// An item of what makes the entry, a hook or a guardrail.
    pub(crate) fn made(&self, name: &str) -> TokenStream {
        let alias = self.alias;
        self.named(self.item("Made"), &quote!(__rt::MadeBy<#alias>), name)
    }

    /// `&& ..`, that the entry works on a tool's own state.
    pub(crate) fn fits(&self, state: &TokenStream) -> TokenStream {
        let fits = self.named(self.made("State"), &quote!(__rt::FitsTool<#state>), "FITS");
        quote!(&& #fits)
    }

    /// `<Type as Trait>::Name`, with errors at the entry.
    fn named(&self, ty: impl ToTokens, bound: &TokenStream, name: &str) -> TokenStream {
        let [from, to] = self.spans;
        let (open, name) = (quote_spanned!(from=> <), Ident::new(name, to));
        let close = quote_spanned!(to=> >::#name);
        quote!(#open #ty as #bound #close)
    }
}
