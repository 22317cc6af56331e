//! Values of options, as expressions.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;

use crate::option::read::{Time, Timeout};

impl Timeout {
    /// An expression of type `Duration`.
    pub(super) fn duration(&self) -> TokenStream {
        match &self.time {
            Time::Millis(millis) => quote!(__rt::Duration::from_millis(#millis)),
            Time::Duration(value) => quote!(#value),
        }
    }
}

/// A value whose type is said beside it. In tuples, so that an error about it shows nothing but it.
pub(super) fn typed(ty: &TokenStream, value: &TokenStream) -> TokenStream {
    let name = Ident::new("value", Span::mixed_site());
    quote!({ let (#name,): (#ty,) = (#value,); #name })
}

/// A value as JSON, where its type can be written.
pub(super) fn show(value: &TokenStream) -> TokenStream {
    quote! {{
        let value = #value;
        {
            use __rt::ladder::*;
            let kind = __rt::Kind::from_value(&value);
            (&&kind).show(&value)
        }
    }}
}
