//! Words of which one is chosen.

use onionskin_vocabulary::Word;
use proc_macro2::{Ident, Span};

use crate::suggest;

/// The variant of the runtime's type that a word means. The error calls an unknown word a `what`.
pub(crate) fn variant<W: Word>(what: &str, text: &str, span: Span) -> syn::Result<Ident> {
    match W::from_word(text) {
        Some(word) => Ok(Ident::new(word.variant(), span)),
        None => Err(syn::Error::new(span, suggest::unknown(what, text, W::WORDS))),
    }
}
