//! Writes the code that reads arguments, and the code that makes a result of the return value.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{GenericArgument, PathArguments, Type};

use super::expand::Expansion;
use crate::injected::last_segment;
use crate::param::{Param, ReadAs};

impl Expansion<'_> {
    /// Reads the model's arguments into a tuple. One error lists all wrong arguments.
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
    let default = format_ident!("__default_{at}");
    let (read, default) = match param.form.read_as() {
        ReadAs::Text => (quote!(slots.text(#slot)?), quote!(__rt::Cow::Owned(#default()))),
        ReadAs::OptionalText => (
            quote!(slots.optional_text(#slot)?),
            quote!(::core::option::Option::map(#default(), __rt::Cow::Owned)),
        ),
        ReadAs::Borrowing => {
            let ty = param.read_type();
            (quote!(slots.borrow::<#ty>(#slot)?), quote!(#default()))
        }
        ReadAs::Owned => {
            let default = default_of(at, param);
            return quote!(slots.read(#slot, #default)?);
        }
    };
    if param.arg.default.is_none() {
        return read;
    }
    quote!(if slots.is_given(#slot) { #read } else { #default })
}

/// The default of a missing value, as an option.
pub(super) fn default_of(at: usize, param: &Param) -> TokenStream {
    if param.arg.default.is_none() {
        return quote!(__rt::None);
    }
    let default = format_ident!("__default_{at}");
    quote!(__rt::Some(#default))
}

/// The rungs of the two ladders that fit what a function returns.
pub(super) fn ladders(returned: &Type) -> TokenStream {
    climb(&quote!(__rt::Kind::<#returned>::new()), returned)
}

/// Does the same as [`ladders`], for the type of a value. The value may have lifetimes that the written type does not name.
pub(super) fn ladders_of(value: &Ident, returned: &Type) -> TokenStream {
    climb(&quote!(__rt::Kind::from_value(&#value)), returned)
}

/// A type that has no place on a ladder is reported at the part of the result that it is.
fn climb(kind: &TokenStream, returned: &Type) -> TokenStream {
    let (value, error) = parts(returned);
    let [value, error] = [value, error].map(|part| part.span().resolved_at(Span::mixed_site()));
    let error = quote_spanned!(error=> <_ as __rt::ErrorText>::is_readable(&split.error););
    let value = quote_spanned! {value=>
        <_ as __rt::ToolReturn>::is_readable(&form.asked);
        <_ as __rt::ShownToModel>::is_shown(&form.shown);
    };
    quote_spanned! {Span::mixed_site()=>
        use __rt::ladder::*;
        let kind = #kind;
        let split = (&&&&&kind).split_by();
        let form = (&&&&&split.value).form();
        #error
        #value
        split.and(form)
    }
}

/// The value and the error of what reads as a `Result`; only for where errors are shown, as the type may be another of that
/// name.
fn parts(returned: &Type) -> (&Type, &Type) {
    let types = last_segment(returned)
        .filter(|last| last.ident == "Result" || last.ident == "ToolResult")
        .and_then(|last| match &last.arguments {
            PathArguments::AngleBracketed(args) => Some(args.args.iter().filter_map(|arg| match arg {
                GenericArgument::Type(ty) => Some(ty),
                _ => None,
            })),
            _ => None,
        });
    match types.map(|mut types| (types.next(), types.next())) {
        Some((Some(value), error)) => (value, error.unwrap_or(returned)),
        _ => (returned, returned),
    }
}
