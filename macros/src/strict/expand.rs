//! Writes the implementations, with the types that they name and the bounds of each.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Generics, parse_quote};

use super::parse::{Input, SerdeField, SerdeFields, Style, Tag, TypeBody, Variant};
use crate::derive::{self, same};
use crate::paths::Runtime;

/// Writes `Strict` and `StrictFields`. If `is_valid`, also the checks of the fields.
pub(super) fn expand(input: &Input<'_>, is_valid: bool) -> TokenStream {
    let private = Runtime::new(input.crate_path.clone()).private();
    let ident = &input.item.ident;
    let generics = bounds(input, is_valid);
    let (impls, types, wheres) = generics.split_for_impl();
    let (fields, among) =
        if is_valid { (checks(input), among_others(input)) } else { (TokenStream::new(), Some(quote!(0))) };
    let fields = (!fields.is_empty()).then(|| {
        quote! {
            impl #impls __rt::CheckedFields for #ident #types #wheres {
                fn fields() { #fields }
            }
        }
    });
    let among = among.map(|enums| {
        quote! {
            #[diagnostic::do_not_recommend]
            impl #impls __rt::StrictFields for #ident #types #wheres {
                const ENUMS: ::core::primitive::usize = #enums;
            }
        }
    });
    let one_enum = if let (TypeBody::Struct(fields), true) = (&input.shape, is_valid) {
        one_enum(fields, &quote!(<#ident as __rt::StrictFields>::ENUMS))
    } else {
        None
    };
    let allow = derive::allows_deprecated(input.item).then(|| quote!(#[allow(deprecated)]));
    quote! {
        #allow
        const _: () = {
            use #private as __rt;
            #[diagnostic::do_not_recommend]
            impl #impls __rt::Strict for #ident #types #wheres {}
            #fields
            #among
            #one_enum
        };
    }
}

/// The type's own generics, and what its fields need of them.
fn bounds(input: &Input<'_>, is_valid: bool) -> Generics {
    let mut generics = input.item.generics.clone();
    for param in generics.type_params_mut() {
        param.default = None;
    }
    let described_as = if let TypeBody::As(ty) = &input.shape { Some(&**ty) } else { None };
    let types = all(&input.shape).map(|(field, _)| &field.ty).chain(described_as);
    // `PhantomData<T>` does not need the schema of `T`.
    let used = derive::parameters_in(input.item, types, &["PhantomData"]);
    let wheres = generics.make_where_clause();
    for ty in used {
        let among = is_valid
            && all(&input.shape).any(|(field, inside)| (field.flatten || inside) && same(&field.ty, &ty));
        wheres.predicates.push(if among {
            parse_quote!(#ty: __rt::StrictFields)
        } else {
            parse_quote!(#ty: __rt::Strict)
        });
    }
    generics
}

/// All fields, each with whether it is inside a variant's own object.
fn all(shape: &TypeBody) -> Box<dyn Iterator<Item = (&SerdeField, bool)> + '_> {
    match shape {
        TypeBody::Struct(fields) => Box::new(fields.list.iter().map(|field| (field, false))),
        TypeBody::Enum { tag, variants } => Box::new(variants.iter().flat_map(|variant| {
            let inside = is_inside(variant, *tag);
            variant.fields.list.iter().map(move |field| (field, inside))
        })),
        TypeBody::As(_) | TypeBody::Union(_) => Box::new(std::iter::empty()),
    }
}

/// Returns whether a variant's fields are beside the tag.
fn is_inside(variant: &Variant, tag: Tag) -> bool {
    tag == Tag::Internal && !variant.untagged && variant.fields.style == Style::Newtype
}

/// Writes the check that each field's type implements the trait, at the type's tokens.
fn checks(input: &Input<'_>) -> TokenStream {
    let mut checks = TokenStream::new();
    let mut strict =
        |ty: &dyn ToTokens, span: Span| checks.extend(quote_spanned!(at(span)=> __rt::strict::<#ty>();));
    match &input.shape {
        TypeBody::As(ty) => strict(ty, ty.span()),
        TypeBody::Union(_) => {}
        TypeBody::Struct(fields) => one_by_one(fields, false, &mut strict),
        TypeBody::Enum { tag, variants } => {
            for variant in variants {
                one_by_one(&variant.fields, is_inside(variant, *tag), &mut strict);
            }
        }
    }
    if let TypeBody::Enum { tag, variants } = &input.shape {
        checks.extend(variants.iter().map(|variant| variant_checks(variant, is_inside(variant, *tag))));
    }
    checks
}

/// The checks of fields in a variant with several fields. For a struct, its number of enums is the check.
fn variant_checks(variant: &Variant, inside: bool) -> TokenStream {
    one_enum(&variant.fields, &enums(&variant.fields)).unwrap_or_else(|| {
        let among = variant.fields.list.iter().filter(|field| field.flatten || inside).map(strict_fields);
        quote!(#(let _ = #among;)*)
    })
}

fn one_by_one(fields: &SerdeFields, inside: bool, strict: &mut dyn FnMut(&dyn ToTokens, Span)) {
    if let (Style::Tuple, [first, rest @ ..]) = (fields.style, &fields.list[..]) {
        // A list in the dialect has items of one type; the first that differs is shown.
        let odd = rest.iter().find(|field| !same(&field.ty, &first.ty)).unwrap_or(first);
        let types = fields.list.iter().map(|field| &field.ty);
        let tuple = quote_spanned!(at(odd.ty.span())=> (#(#types,)*));
        return strict(&tuple, odd.ty.span());
    }
    for field in fields.list.iter().filter(|field| !field.flatten && !inside) {
        strict(&field.ty, field.ty.span());
    }
}

/// The number of enums among the fields of the type, if another type can flatten it.
fn among_others(input: &Input<'_>) -> Option<TokenStream> {
    match &input.shape {
        TypeBody::Struct(fields) => (fields.style == Style::Named).then(|| enums(fields)),
        TypeBody::Enum { tag, variants } => {
            let object = |variant: &Variant| {
                !variant.untagged
                    && match tag {
                        Tag::Internal | Tag::Adjacent => true,
                        Tag::External => variant.fields.style != Style::Unit,
                        Tag::Untagged => false,
                    }
            };
            variants.iter().all(object).then(|| quote!(1))
        }
        TypeBody::As(_) | TypeBody::Union(_) => None,
    }
}

fn enums(fields: &SerdeFields) -> TokenStream {
    let each = flattened(fields).map(strict_fields);
    quote!(0 #(+ #each)*)
}

/// A constant that does not compile if several flattened fields contain more than one enum.
fn one_enum(fields: &SerdeFields, enums: &TokenStream) -> Option<TokenStream> {
    let second = flattened(fields).nth(1)?;
    let ty = &second.ty;
    let checked = quote_spanned!(at(ty.span())=> <#ty as __rt::OneEnum<{ #enums < 2 }>>::HOLDS);
    Some(quote!(const _: bool = #checked;))
}

fn flattened(fields: &SerdeFields) -> impl Iterator<Item = &SerdeField> {
    fields.list.iter().filter(|field| field.flatten)
}

fn strict_fields(field: &SerdeField) -> TokenStream {
    let ty = &field.ty;
    quote_spanned!(at(ty.span())=> __rt::strict_fields::<#ty>())
}

fn at(span: Span) -> Span {
    span.resolved_at(Span::mixed_site())
}
