//! `#[derive(Strict)]`: parse -> check -> expand.

mod check;
mod expand;
mod parse;

use proc_macro2::TokenStream;
use quote::quote;

use crate::diag::Errors;

/// Expands the derive. The trait is implemented whatever is wrong, so that the tools that take the type have no error as
/// well.
pub(crate) fn expand(item: TokenStream) -> TokenStream {
    // rustc reports an item that does not parse.
    let Ok(item) = syn::parse2::<syn::DeriveInput>(item) else { return TokenStream::new() };
    let mut errors = Errors::default();
    let input = parse::Input::read(&item, &mut errors);
    check::input(&input, &mut errors);
    let generated = expand::expand(&input, errors.is_empty());
    let errors = errors.into_tokens();
    quote!(#generated #errors)
}
