//! How arguments are read, and what becomes of what the function returns.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;

use super::expand::Expansion;
use super::param::{Form, Param};

impl Expansion<'_> {
    /// Reads the arguments that the model fills into a tuple; whatever is wrong with them is told at once.
    pub(super) fn reading(&self) -> TokenStream {
        let values: Vec<_> =
            self.model_params().enumerate().map(|(slot, (at, param))| read_one(slot, at, param)).collect();
        let count = values.len();
        let slots = if count == 0 { quote!(_) } else { quote!(slots) };
        quote! {
            let mut spans = [::core::option::Option::None; #count];
            let #slots = __rt::Slots::split(__DEFINITION.get(), __args, &mut spans)?;
            ::core::result::Result::Ok((#(#values,)*))
        }
    }
}

/// Reads one argument.
fn read_one(slot: usize, at: usize, param: &Param) -> TokenStream {
    let reader = format_ident!("__READER_{at}");
    let default = format_ident!("__default_{at}");
    let has_default = param.arg.default.is_some();
    let read = match param.form {
        Form::Str | Form::CowStr => quote!(slots.text(#slot)?),
        Form::OptionStr | Form::OptionCowStr => quote!(slots.optional_text(#slot)?),
        Form::Borrowing => {
            let ty = param.read_type();
            quote!(slots.borrow::<#ty>(#slot)?)
        }
        // Its reader knows the default.
        _ => return quote!(slots.read(#slot, &#reader)?),
    };
    if !has_default {
        return read;
    }
    let default = match param.form {
        Form::Str | Form::CowStr => quote!(__rt::Cow::Owned(#default())),
        Form::OptionStr | Form::OptionCowStr => {
            quote!(::core::option::Option::map(#default(), __rt::Cow::Owned))
        }
        _ => quote!(#default()),
    };
    quote!(if slots.is_given(#slot) { #read } else { #default })
}

/// The rungs of the two ladders that fit what a function returns.
pub(super) fn ladders(returned: &impl ToTokens) -> TokenStream {
    climb(&quote!(__rt::Kind::<#returned>::new()), returned.span())
}

/// As [`ladders`], for the type of a value: it may borrow what its type does not say.
pub(super) fn ladders_of(value: &Ident, span: Span) -> TokenStream {
    climb(&quote!(__rt::Kind::of(&#value)), span)
}

/// A type that has no place on the second ladder is reported where `span` is.
fn climb(kind: &TokenStream, span: Span) -> TokenStream {
    let inner = Ident::new("inner", Span::mixed_site().located_at(span));
    let form = quote_spanned!(span.resolved_at(Span::mixed_site())=> (&&&inner).form().of(&#inner));
    let inner = Ident::new("inner", Span::mixed_site());
    quote_spanned! {Span::mixed_site()=>
        use __rt::ladder::*;
        let kind = #kind;
        let split = (&&&&kind).split_by();
        let #inner = split.value(&kind);
        split.and(&kind, #form)
    }
}
