//! Warnings of the compiler. A macro cannot emit a warning, so it uses an item that it marks as deprecated.

use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;

/// The warnings about files, each at this place.
pub(crate) fn warnings(lines: impl Iterator<Item = String>, span: Span) -> TokenStream {
    let warnings = lines.map(|words| {
        quote_spanned! {span=>
            const _: () = {
                #[deprecated(note = #words)]
                #[allow(non_upper_case_globals)]
                const of_a_file: () = ();
                let () = of_a_file;
            };
        }
    });
    warnings.collect()
}
