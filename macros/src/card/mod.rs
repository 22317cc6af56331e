//! `agent!(card = "cards/pmo.md")`: the invocation -> the cards -> the text of a written `agent!` -> its expansion.
//!
//! The text has a line for each value of a card. So a mistake that the macro finds in the text has a place in the card.

#[cfg(feature = "cards")]
mod expand;
#[cfg(feature = "cards")]
pub(crate) mod functions;
mod invocation;
#[cfg(feature = "cards")]
mod mistakes;
#[cfg(feature = "cards")]
mod modules;
#[cfg(all(test, feature = "cards"))]
mod tests;
#[cfg(feature = "cards")]
mod written;

use proc_macro2::TokenStream;

#[cfg(feature = "cards")]
pub(crate) use expand::{Cards, located, missing, refused};
pub(crate) use invocation::{Invocation, names_cards};
#[cfg(feature = "cards")]
pub(crate) use written::type_name;

/// Expands an invocation that names cards.
pub(crate) fn expand(tokens: TokenStream) -> TokenStream {
    match syn::parse2::<Invocation>(tokens) {
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
    let message = "agents in cards need their reader: enable feature `cards` of onionskin";
    syn::Error::new(invocation.paths[0].span(), message).into_compile_error()
}
