//! `#[derive(VisitSecrets)]`: parse -> check -> expand.

mod check;
mod expand;
mod parse;

use proc_macro2::TokenStream;
use quote::quote;

use crate::diag::Errors;

/// Expands the derive. A type with an error implements the trait too, so that its users have no second error.
pub(crate) fn expand(item: TokenStream) -> TokenStream {
    // If the item does not parse, rustc reports it.
    let Ok(item) = syn::parse2::<syn::DeriveInput>(item) else { return TokenStream::new() };
    let mut errors = Errors::default();
    let input = parse::Input::read(&item, &mut errors);
    check::input(&input, &mut errors);
    let generated = expand::expand(&input);
    let errors = errors.into_tokens();
    quote!(#generated #errors)
}
