//! The form in which a function takes the value of a parameter: its type shows it.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{GenericArgument, Lifetime, PathArguments, Type, TypeReference};

use super::Param;
use crate::diag::Errors;
use crate::injected::{argument, last_segment, plain};

/// The form in which the function takes a value of the model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PassedAs {
    /// `T`
    Value,
    /// `&T`
    Ref,
    /// `Option<&T>`
    OptionRef,
    /// `&[T]`
    Slice,
    /// `Option<&[T]>`
    OptionSlice,
    /// `&str`
    Str,
    /// `Option<&str>`
    OptionStr,
    /// `Cow<'_, str>`
    CowStr,
    /// `&Path`
    Path,
    /// `Option<&Path>`
    OptionPath,
    /// `Option<Cow<'_, str>>`
    OptionCowStr,
    /// `Cow<'_, T>`
    Cow,
    /// A type of the user's that borrows from the arguments.
    Borrowing,
}

/// What is read from the arguments of a call for a parameter of the model.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReadAs {
    /// Text that borrows from the arguments.
    Text,
    /// The same, or nothing.
    OptionalText,
    /// The parameter's type, which borrows from the arguments.
    Borrowing,
    /// The owned type.
    Owned,
}

impl PassedAs {
    /// What is read for it.
    pub(crate) fn read_as(self) -> ReadAs {
        match self {
            Self::Str | Self::CowStr => ReadAs::Text,
            Self::OptionStr | Self::OptionCowStr => ReadAs::OptionalText,
            Self::Borrowing => ReadAs::Borrowing,
            Self::Value
            | Self::Ref
            | Self::OptionRef
            | Self::Slice
            | Self::OptionSlice
            | Self::Path
            | Self::OptionPath
            | Self::Cow => ReadAs::Owned,
        }
    }

    /// Returns whether the function takes a reference to the value that was read.
    pub(crate) fn is_reference(self) -> bool {
        !matches!(self, Self::Value | Self::Cow | Self::CowStr | Self::OptionCowStr | Self::Borrowing)
    }
}

impl Param {
    /// Returns whether text that borrows from the arguments is read for it.
    pub(crate) fn reads_text(&self) -> bool {
        matches!(self.form.read_as(), ReadAs::Text | ReadAs::OptionalText)
    }

    /// The parameter's type in the tuple of read values, which borrows for `'a`.
    pub(crate) fn read_type(&self) -> TokenStream {
        match self.form.read_as() {
            ReadAs::Text => quote!(__rt::Cow<'a, ::core::primitive::str>),
            ReadAs::OptionalText => quote!(::core::option::Option<__rt::Cow<'a, ::core::primitive::str>>),
            ReadAs::Borrowing => {
                let ty = with_lifetime(&self.ty, "'a");
                quote!(#ty)
            }
            ReadAs::Owned => self.owned.clone(),
        }
    }

    /// A read value as the owned type.
    pub(crate) fn to_owned(&self, value: &Ident) -> TokenStream {
        match self.form.read_as() {
            ReadAs::Text => quote!(__rt::Cow::into_owned(#value)),
            ReadAs::OptionalText => quote!(::core::option::Option::map(#value, __rt::Cow::into_owned)),
            ReadAs::Borrowing | ReadAs::Owned => quote!(#value),
        }
    }

    /// A read value, or an owned one, as the function takes it.
    pub(crate) fn pass(&self, value: &Ident, owned: bool) -> TokenStream {
        match self.form {
            PassedAs::Ref => quote!(&#value),
            PassedAs::Slice | PassedAs::Str => quote!(&*#value),
            PassedAs::OptionRef => quote!(::core::option::Option::as_ref(&#value)),
            PassedAs::Path => quote!(__rt::lend(&#value)),
            PassedAs::OptionPath => {
                quote!(::core::option::Option::map(::core::option::Option::as_ref(&#value), __rt::lend))
            }
            PassedAs::OptionSlice | PassedAs::OptionStr => quote!(::core::option::Option::as_deref(&#value)),
            PassedAs::CowStr if owned => quote!(__rt::Cow::Owned(#value)),
            PassedAs::OptionCowStr if owned => quote!(::core::option::Option::map(#value, __rt::Cow::Owned)),
            PassedAs::Value | PassedAs::Borrowing | PassedAs::CowStr | PassedAs::OptionCowStr => {
                quote!(#value)
            }
            PassedAs::Cow => quote!(__rt::Cow::Owned(#value)),
        }
    }
}

fn is_str(ty: &Type) -> bool {
    matches!(ty, Type::Path(path) if path.path.is_ident("str"))
}

fn is_path(ty: &Type) -> bool {
    last_segment(ty).is_some_and(|last| last.ident == "Path") && matches!(ty, Type::Path(_))
}

/// The form of a type, and the owned type that is read for it.
pub(super) fn classify(ty: &Type, errors: &mut Errors) -> (PassedAs, TokenStream) {
    let ty = plain(ty);
    // It has the user's span, so that rustc shows an error about the whole type there.
    let at = |inner: &dyn Spanned| inner.span().resolved_at(Span::mixed_site());
    let string = || quote!(__rt::String);
    let option = |span: Span, inner: TokenStream| quote_spanned!(span=> ::core::option::Option<#inner>);
    let list = |inner: &Type| quote_spanned!(at(inner)=> __rt::Vec<#inner>);
    // The user's own type may have this name, so a trait finds the owned type.
    let path = |inner: &Type| quote_spanned!(at(inner)=> <#inner as __rt::Lent>::Owned);
    match ty {
        Type::Reference(reference) => match target(reference, errors) {
            Some(inner) if is_str(inner) => return (PassedAs::Str, string()),
            Some(Type::Slice(slice)) => return (PassedAs::Slice, list(&slice.elem)),
            Some(inner) if is_path(inner) => return (PassedAs::Path, path(inner)),
            Some(inner) => return (PassedAs::Ref, inner.to_token_stream()),
            None => return (PassedAs::Value, quote!(())),
        },
        _ if argument(ty, "Cow").is_some_and(is_str) => return (PassedAs::CowStr, string()),
        _ => {}
    }
    if let Some(inner) = argument(ty, "Cow") {
        return (PassedAs::Cow, quote!(<#inner as __rt::ToOwned>::Owned));
    }
    if let Some(inner) = argument(ty, "Option").map(plain) {
        if argument(inner, "Cow").is_some_and(is_str) {
            return (PassedAs::OptionCowStr, option(at(inner), string()));
        }
        if let Type::Reference(reference) = inner {
            return match target(reference, errors) {
                Some(inner) if is_str(inner) => (PassedAs::OptionStr, option(at(inner), string())),
                Some(Type::Slice(slice)) => {
                    (PassedAs::OptionSlice, option(at(&slice.elem), list(&slice.elem)))
                }
                Some(inner) if is_path(inner) => (PassedAs::OptionPath, option(at(inner), path(inner))),
                Some(inner) => (PassedAs::OptionRef, option(at(inner), inner.to_token_stream())),
                None => (PassedAs::Value, quote!(())),
            };
        }
    }
    if borrows(ty) {
        let ty = with_lifetime(ty, "'static");
        return (PassedAs::Borrowing, quote!(#ty));
    }
    (PassedAs::Value, quote!(#ty))
}

/// The target of a shared reference.
fn target<'t>(reference: &'t TypeReference, errors: &mut Errors) -> Option<&'t Type> {
    if reference.mutability.is_some() {
        errors.at(
            reference,
            "each call has arguments of its own: take the value itself (`mut name: T`) instead of `&mut`",
        );
        return None;
    }
    let inner = plain(&reference.elem);
    if let Some(lifetime) = reference.lifetime.as_ref().filter(|lifetime| lifetime.ident == "static") {
        let inner = inner.to_token_stream();
        errors.at(
            lifetime,
            format_args!(
                "an argument lives only as long as its call: write `&{inner}`, or take an owned value"
            ),
        );
        return None;
    }
    if last_segment(inner).is_some_and(|last| last.ident == "OsStr" || last.ident == "CStr") {
        errors.at(inner, "a model writes Unicode text: take `&str`, or `&Path` for a file name");
        return None;
    }
    (!matches!(inner, Type::TraitObject(_))).then_some(inner)
}

/// Returns whether there is a reference in a type.
pub(crate) fn refers(ty: &Type) -> bool {
    struct Find(bool);
    impl<'ast> Visit<'ast> for Find {
        fn visit_type_reference(&mut self, _: &'ast TypeReference) {
            self.0 = true;
        }
    }
    let mut find = Find(false);
    find.visit_type(ty);
    find.0
}

/// The return type of a call that succeeds.
pub(crate) fn success_type(returned: &Type) -> &Type {
    let Some(last) = last_segment(returned).filter(|last| last.ident == "Result") else { return returned };
    let PathArguments::AngleBracketed(args) = &last.arguments else { return returned };
    let first = args.args.iter().find_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    });
    first.unwrap_or(returned)
}

/// Returns whether a type borrows from something that does not live for ever.
pub(crate) fn borrows(ty: &Type) -> bool {
    struct Find(bool);
    impl<'ast> Visit<'ast> for Find {
        fn visit_type_reference(&mut self, reference: &'ast TypeReference) {
            self.0 |= reference.lifetime.is_none();
            visit::visit_type_reference(self, reference);
        }
        fn visit_lifetime(&mut self, lifetime: &'ast Lifetime) {
            self.0 |= lifetime.ident != "static";
        }
    }
    let mut find = Find(false);
    find.visit_type(ty);
    find.0
}

/// The type with this lifetime in place of all that are not `'static`.
pub(crate) fn with_lifetime(ty: &Type, lifetime: &str) -> Type {
    struct Replace<'n>(&'n str);
    impl syn::visit_mut::VisitMut for Replace<'_> {
        fn visit_lifetime_mut(&mut self, lifetime: &mut Lifetime) {
            if lifetime.ident != "static" {
                *lifetime = Lifetime::new(self.0, Span::call_site());
            }
        }
        fn visit_type_reference_mut(&mut self, reference: &mut TypeReference) {
            reference.lifetime.get_or_insert_with(|| Lifetime::new(self.0, Span::call_site()));
            syn::visit_mut::visit_type_reference_mut(self, reference);
        }
    }
    let mut ty = ty.clone();
    syn::visit_mut::VisitMut::visit_type_mut(&mut Replace(lifetime), &mut ty);
    ty
}
