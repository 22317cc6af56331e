//! Words of which one is chosen, with the variants of the runtime's types that they mean.

use proc_macro2::{Ident, Span};

use crate::suggest;

/// The words of one key, each with its variant.
pub(crate) type Choices = &'static [(&'static str, &'static str)];

/// The effects of a tool: may a failed call be repeated?
pub(crate) const EFFECTS: Choices = &[("pure", "Pure"), ("idempotent", "Idempotent"), ("once", "Once")];

/// The words alone.
pub(crate) fn words(choices: Choices) -> Vec<&'static str> {
    choices.iter().map(|(word, _)| *word).collect()
}

/// The variant that a word means. The error calls an unknown word a `what`.
pub(crate) fn variant(choices: Choices, what: &str, text: &str, span: Span) -> syn::Result<Ident> {
    match choices.iter().find(|(known, _)| *known == text) {
        Some((_, variant)) => Ok(Ident::new(variant, span)),
        None => Err(syn::Error::new(span, suggest::unknown(what, text, &words(choices)))),
    }
}
