//! `workflow!("workflows/Generator")`: the invocation -> the folder -> the text of a written `agent!`, as for cards, and the workflow's type.

#[cfg(feature = "cards")]
mod expand;
#[cfg(feature = "cards")]
mod items;
#[cfg(all(test, feature = "cards"))]
mod tests;
#[cfg(feature = "cards")]
mod warnings;

use proc_macro2::TokenStream;
use syn::parse::Parser;

use crate::card::Invocation;

/// Expands an invocation.
pub(crate) fn expand(tokens: TokenStream) -> TokenStream {
    match Invocation::workflow.parse2(tokens) {
        Ok(invocation) => expanded(&invocation),
        Err(error) => error.into_compile_error(),
    }
}

#[cfg(feature = "cards")]
fn expanded(invocation: &Invocation) -> TokenStream {
    expand::expand(invocation)
}

#[cfg(not(feature = "cards"))]
fn expanded(invocation: &Invocation) -> TokenStream {
    let message = "workflow folders need their reader: enable feature `cards` of onionskin";
    syn::Error::new(invocation.paths[0].span(), message).into_compile_error()
}
