//! A type as a list of alternatives with fields.

use proc_macro2::{Ident, Span};
use syn::{Data, DeriveInput, Fields, Path, Type};

use crate::derive;
use crate::diag::Errors;

pub(super) struct Input<'i> {
    pub(super) item: &'i DeriveInput,
    pub(super) crate_path: Option<Path>,
    pub(super) alternatives: Vec<Alternative<'i>>,
    /// The keyword `union`.
    pub(super) union: Option<Span>,
}

/// A struct, or a variant of an enum.
pub(super) struct Alternative<'i> {
    pub(super) variant: Option<&'i Ident>,
    pub(super) fields: &'i Fields,
}

impl<'i> Input<'i> {
    pub(super) fn read(item: &'i DeriveInput, errors: &mut Errors) -> Self {
        let (alternatives, union) = match &item.data {
            Data::Struct(data) => (vec![Alternative { variant: None, fields: &data.fields }], None),
            Data::Enum(data) => {
                let variants = data.variants.iter();
                let variants = variants
                    .map(|variant| Alternative { variant: Some(&variant.ident), fields: &variant.fields });
                (variants.collect(), None)
            }
            Data::Union(data) => (Vec::new(), Some(data.union_token.span)),
        };
        let crate_path = derive::crate_path(item, "visit_secrets", "VisitSecrets", errors);
        Self { item, crate_path, alternatives, union }
    }

    pub(super) fn types(&self) -> impl Iterator<Item = &'i Type> {
        self.alternatives.iter().flat_map(|alternative| alternative.fields.iter().map(|field| &field.ty))
    }
}
