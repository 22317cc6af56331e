//! `workflow!("workflows/Generator")`: the invocation -> the folder -> the text of a written `agent!`, as for cards, and the workflow's type.

#[cfg(feature = "cards")]
mod expand;
#[cfg(feature = "cards")]
mod items;
#[cfg(all(test, feature = "cards"))]
mod tests;

use proc_macro2::TokenStream;
use syn::parse::Parser;

use crate::card::Invocation;

/// Expands an invocation.
pub(crate) fn expand(tokens: TokenStream) -> TokenStream {
    match Invocation::workflow.parse2(tokens) {
        #[cfg(feature = "cards")]
        Ok(invocation) => invocation.expand("a workflow", expand::in_folder),
        #[cfg(not(feature = "cards"))]
        Ok(invocation) => invocation.without_reader("workflow folders need"),
        Err(error) => error.into_compile_error(),
    }
}
