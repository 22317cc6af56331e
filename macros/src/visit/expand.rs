//! The implementation: it passes each field to the trait that the compiler selects for its type.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Generics, Member, parse_quote};

use super::parse::{Alternative, Input};
use crate::derive;
use crate::paths::Runtime;

pub(super) fn expand(input: &Input<'_>) -> TokenStream {
    let private = Runtime::new(input.crate_path.clone()).private();
    let ident = &input.item.ident;
    let generics = bounds(input);
    let (impls, types, wheres) = generics.split_for_impl();
    let alternatives = input.alternatives.iter().map(alternative);
    let body = match (input.union, &input.alternatives[..]) {
        (Some(_), _) => TokenStream::new(),
        // A reference to an enum without variants is a value all the same.
        (None, []) => quote!(match *self {}),
        (None, _) => quote! {
            use __rt::VisitNone as _;
            match self { #(#alternatives)* }
        },
    };
    let allow = derive::allows_deprecated(input.item).then(|| quote!(#[allow(deprecated)]));
    quote! {
        #allow
        const _: () = {
            use #private as __rt;
            #[automatically_derived]
            #[diagnostic::do_not_recommend]
            impl #impls __rt::VisitSecrets for #ident #types #wheres {
                fn visit_secrets(&self, __visit: &mut dyn ::core::ops::FnMut(&[::core::primitive::u8])) {
                    #body
                }
            }
        };
    }
}

/// The type's own generics. Each type parameter of a field has to list its secrets: otherwise the implementation would not
/// know whether a field of this type holds one. What a `Secret` wraps is a secret as a whole. A type that contains itself
/// needs of its parameters what its other fields need.
fn bounds(input: &Input<'_>) -> Generics {
    let mut generics = input.item.generics.clone();
    let closed = ["PhantomData", "Secret", &input.item.ident.to_string()];
    let used = derive::parameters_in(input.item, input.types(), &closed);
    let wheres = generics.make_where_clause();
    wheres
        .predicates
        .extend(used.iter().map(|ty| -> syn::WherePredicate { parse_quote!(#ty: __rt::VisitSecrets) }));
    generics
}

/// One arm of the `match`.
fn alternative(Alternative { variant, fields }: &Alternative<'_>) -> TokenStream {
    let path = match variant {
        Some(variant) => quote!(Self::#variant),
        None => quote!(Self),
    };
    // `Self { 0: value }` is a pattern for a tuple struct too.
    let members: Vec<Member> = fields.members().collect();
    let names: Vec<_> = (0..members.len()).map(|index| format_ident!("__field_{index}")).collect();
    quote! {
        #path { #(#members: #names),* } => {
            #(__rt::Visited(#names).visit(__visit);)*
        }
    }
}
