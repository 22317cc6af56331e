//! `#[derive(VisitSecrets)]`: passes each field to the trait that the compiler selects for its type.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Data, DeriveInput, Fields, Generics, Member, parse_quote};

use crate::derive;
use crate::diag::Errors;
use crate::paths::Runtime;

/// Expands the derive. A type with an error implements the trait too, so that its users have no second error.
pub(crate) fn expand(item: TokenStream) -> TokenStream {
    // If the item does not parse, rustc reports it.
    let Ok(item) = syn::parse2::<DeriveInput>(item) else { return TokenStream::new() };
    let mut errors = Errors::default();
    let crate_path = derive::crate_path(&item, "visit_secrets", "VisitSecrets", &mut errors);
    let private = Runtime::new(crate_path).private();
    let ident = &item.ident;
    let alternatives: Vec<(TokenStream, &Fields)> = match &item.data {
        Data::Struct(data) => vec![(quote!(Self), &data.fields)],
        Data::Enum(data) => {
            let path = |variant: &syn::Ident| quote!(Self::#variant);
            data.variants.iter().map(|variant| (path(&variant.ident), &variant.fields)).collect()
        }
        Data::Union(data) => {
            errors.push(
                data.union_token.span,
                format_args!(
                    "the fields of a union share their memory, so a derive cannot know which of them holds a secret: make it an \
                     enum, or write `impl onionskin::secret::VisitSecrets for {ident}`"
                ),
            );
            Vec::new()
        }
    };
    let body = match (&item.data, &alternatives[..]) {
        (Data::Union(_), _) => TokenStream::new(),
        // A reference to an enum without variants is a value all the same.
        (_, []) => quote!(match *self {}),
        (_, alternatives) => {
            let arms = alternatives.iter().map(|(path, fields)| arm(path, fields));
            quote! {
                use __rt::VisitNone as _;
                match self { #(#arms)* }
            }
        }
    };
    let generics = bounds(&item, &alternatives);
    let (impls, types, wheres) = generics.split_for_impl();
    let allow = derive::allows_deprecated(&item).then(|| quote!(#[allow(deprecated)]));
    let errors = errors.into_tokens();
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
        #errors
    }
}

/// The type's own generics. Each type parameter of a field has to list its secrets: otherwise the implementation would not
/// know whether a field of this type holds one. What a `Secret` wraps is a secret as a whole. A type that contains itself
/// needs of its parameters what its other fields need.
fn bounds(item: &DeriveInput, alternatives: &[(TokenStream, &Fields)]) -> Generics {
    let mut generics = item.generics.clone();
    let closed = ["PhantomData", "Secret", &item.ident.to_string()];
    let fields = alternatives.iter().flat_map(|(_, fields)| fields.iter());
    let used = derive::parameters_in(item, fields.map(|field| &field.ty), &closed);
    let bounds = used.iter().map(|ty| -> syn::WherePredicate { parse_quote!(#ty: __rt::VisitSecrets) });
    generics.make_where_clause().predicates.extend(bounds);
    generics
}

/// One arm of the `match`.
fn arm(path: &TokenStream, fields: &Fields) -> TokenStream {
    // `Self { 0: value }` is a pattern for a tuple struct too.
    let members: Vec<Member> = fields.members().collect();
    let names: Vec<_> = (0..members.len()).map(|index| format_ident!("__field_{index}")).collect();
    quote! {
        #path { #(#members: #names),* } => {
            #(__rt::Visited(#names).visit(__visit);)*
        }
    }
}
