//! Warnings of the compiler. A macro cannot emit a warning, so it uses an item that it marks as deprecated.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote_spanned;
use syn::Attribute;

/// A warning at a place. The compiler calls the item `name` in front of the words. `attrs` are those of the user's item, such as
/// `#[allow(deprecated)]`.
pub(crate) fn warning(name: &str, words: &str, span: Span, attrs: &[&Attribute]) -> TokenStream {
    let name = Ident::new(name, span);
    quote_spanned! {span=>
        #(#attrs)*
        const _: () = {
            #[deprecated(note = #words)]
            #[allow(non_upper_case_globals)]
            const #name: () = ();
            let () = #name;
        };
    }
}

/// The warnings about files, each at this place.
#[cfg(feature = "cards")]
pub(crate) fn warnings(lines: impl Iterator<Item = String>, span: Span) -> TokenStream {
    lines.map(|words| warning("of_a_file", &words, span, &[])).collect()
}
