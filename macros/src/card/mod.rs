//! `agent!(card = "cards/pmo.md")`: the invocation -> the cards -> the text of a written `agent!` -> its expansion.
//!
//! The text has a line for each value of a card. So a mistake that the macro finds in the text has a place in the card.

#[cfg(feature = "cards")]
mod card_text;
#[cfg(feature = "cards")]
mod expand;
#[cfg(feature = "cards")]
pub(crate) mod functions;
mod invocation;
#[cfg(feature = "cards")]
mod mistakes;
#[cfg(feature = "cards")]
mod modules;
#[cfg(feature = "cards")]
mod rust_files;
#[cfg(all(test, feature = "cards"))]
pub(crate) mod tests;

use proc_macro2::TokenStream;

#[cfg(feature = "cards")]
pub(crate) use card_text::type_name;
#[cfg(feature = "cards")]
pub(crate) use expand::{Cards, located, looked_at, missing, refused};
pub(crate) use invocation::{Invocation, names_cards};
#[cfg(feature = "cards")]
pub(crate) use rust_files::RustFiles;

/// Expands an invocation that names cards.
pub(crate) fn expand(tokens: TokenStream) -> TokenStream {
    match syn::parse2::<Invocation>(tokens) {
        #[cfg(feature = "cards")]
        Ok(invocation) => invocation.expand("a card", expand::in_folder),
        #[cfg(not(feature = "cards"))]
        Ok(Invocation { mistake: Some(mistake), .. }) => mistake.into_compile_error(),
        #[cfg(not(feature = "cards"))]
        Ok(invocation) => invocation.without_reader("agents in cards need"),
        Err(error) => error.into_compile_error(),
    }
}
