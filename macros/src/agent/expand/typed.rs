//! The types of an agent's input and answers.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::Type;
use syn::spanned::Spanned;

use crate::agent::model::AgentModel;

/// Names for the types. A type that a model cannot write is one error, where the user wrote it.
pub(super) fn aliases(agent: &AgentModel<'_>) -> TokenStream {
    let alias = |written: &Option<Type>, alias: &str, bound: &str| {
        let written = written.as_ref()?;
        let span = Span::call_site().located_at(written.span());
        let (alias, bound) = (Ident::new(alias, span), Ident::new(bound, span));
        Some(quote_spanned! {span=>
            type #alias = <__rt::Known<{ <#written as __rt::#bound>::HOLDS }> as __rt::Is>::Type<#written>;
        })
    };
    let input = alias(&agent.fields.input, "__Input", "InputOfAgent");
    let output = alias(&agent.fields.output, "__Output", "OutputOfAgent");
    quote!(#input #output)
}

/// The calls that declare the types.
pub(super) fn declared(agent: &AgentModel<'_>) -> TokenStream {
    let input = agent.fields.input.iter().map(|_| quote!(let __agent = __agent.input::<__Input>();));
    let output = agent.fields.output.iter().map(|_| quote!(let __agent = __agent.output::<__Output>();));
    quote!(#(#input)* #(#output)*)
}

/// `impl TypedAgent`.
pub(super) fn agent(agent: &AgentModel<'_>) -> Option<TokenStream> {
    let ty = &agent.ty;
    let span = Span::call_site().located_at(agent.fields.output.as_ref()?.span());
    let output = Ident::new("__Output", span);
    let output = quote_spanned!(span=> type Output = #output;);
    Some(quote! {
        #[diagnostic::do_not_recommend]
        impl __rt::TypedAgent for #ty {
            #output
        }
    })
}
