//! The parts that the derives share: their one option, and the bounds on type parameters.

use darling::FromMeta;
use quote::ToTokens;
use syn::visit::{self, Visit};
use syn::{Attribute, Data, DeriveInput, Ident, Meta, Path, Type, TypePath};

use crate::diag::Errors;
use crate::keys::options;
use crate::option::{Table, read};

options! {
    /// The options of `#[strict(..)]` and `#[visit_secrets(..)]`.
    #[derive(Default, FromMeta)]
    struct Options {
        crate_path as "crate": Option<Path> = read::path,
    }
}

/// The path of the runtime, if the derive's own attribute names one.
pub(crate) fn crate_path(
    item: &DeriveInput,
    attribute: &str,
    derive: &str,
    errors: &mut Errors,
) -> Option<Path> {
    let mut crate_path = None;
    for attr in item.attrs.iter().filter(|attr| attr.path().is_ident(attribute)) {
        let Meta::List(list) = &attr.meta else {
            errors.at(attr, format_args!("write its option: `#[{attribute}(crate = my_onionskin)]`"));
            continue;
        };
        let options: Options =
            Table::new("option", onionskin_vocabulary::options::derive()).read(list.tokens.clone(), errors);
        crate_path = options.crate_path.or(crate_path);
    }
    for attr in inside(item).into_iter().filter(|attr| attr.path().is_ident(attribute)) {
        errors
            .at(attr, format_args!("`#[{attribute}(..)]` belongs on the type, beside `#[derive({derive})]`"));
    }
    crate_path
}

/// Returns whether a part of the item is deprecated, or the item changes a lint: then the expansion allows deprecated items.
pub(crate) fn allows_deprecated(item: &DeriveInput) -> bool {
    let allows =
        |attr: &Attribute| ["deprecated", "allow", "expect"].iter().any(|name| attr.path().is_ident(name));
    item.attrs.iter().chain(inside(item)).any(allows)
}

/// The attributes of variants and fields.
fn inside(item: &DeriveInput) -> Vec<&Attribute> {
    match &item.data {
        Data::Struct(data) => data.fields.iter().flat_map(|field| &field.attrs).collect(),
        Data::Enum(data) => {
            let each = data.variants.iter();
            let each =
                each.map(|variant| (&variant.attrs, variant.fields.iter().flat_map(|field| &field.attrs)));
            each.flat_map(|(own, fields)| own.iter().chain(fields)).collect()
        }
        Data::Union(data) => data.fields.named.iter().flat_map(|field| &field.attrs).collect(),
    }
}

/// The type parameters in these types, and the types that are named through them, such as `T::Item`. The arguments of the
/// types `closed` do not count.
pub(crate) fn parameters_in<'t>(
    item: &DeriveInput,
    types: impl IntoIterator<Item = &'t Type>,
    closed: &[&str],
) -> Vec<Type> {
    let params: Vec<Ident> = item.generics.type_params().map(|param| param.ident.clone()).collect();
    let mut used = Used { params: &params, closed, found: Vec::new() };
    for ty in types {
        used.visit_type(ty);
    }
    used.found
}

struct Used<'p> {
    params: &'p [Ident],
    closed: &'p [&'p str],
    found: Vec<Type>,
}

impl<'ast> Visit<'ast> for Used<'_> {
    fn visit_type_path(&mut self, ty: &'ast TypePath) {
        // `T`, `T::Value` and `<T as Kind>::Value`.
        let named = match &ty.qself {
            Some(qself) => match &*qself.ty {
                Type::Path(of) => of.path.get_ident(),
                _ => None,
            },
            None => ty.path.segments.first().map(|first| &first.ident),
        };
        if named.is_some_and(|named| self.params.contains(named)) {
            let ty = Type::Path(ty.clone());
            if !self.found.iter().any(|found| same(found, &ty)) {
                self.found.push(ty);
            }
            return;
        }
        let is_closed = |name: &Ident| self.closed.iter().any(|closed| name == closed);
        if !ty.path.segments.last().is_some_and(|last| is_closed(&last.ident)) {
            visit::visit_type_path(self, ty);
        }
    }
}

pub(crate) fn same(a: &Type, b: &Type) -> bool {
    a.to_token_stream().to_string() == b.to_token_stream().to_string()
}
