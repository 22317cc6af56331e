//! Refuses declarations whose tokens show that they do not fit strict rules.

use proc_macro2::Ident;

use super::parse::{Input, SerdeFields, Style, Tag, TypeBody, Unseen, Variant};
use crate::diag::Errors;

pub(super) fn input(input: &Input<'_>, errors: &mut Errors) {
    for (at, unseen) in &input.unseen {
        errors.push(*at, words(unseen));
    }
    let ident = &input.item.ident;
    match &input.shape {
        TypeBody::As(_) => {}
        TypeBody::Union(at) => {
            errors.push(*at, "a model cannot write a union: make it an enum");
        }
        TypeBody::Struct(fields) => {
            if fields.style == Style::Named && fields.list.is_empty() && !fields.closed {
                errors.at(
                    ident,
                    "this has no known fields, so it accepts any: add `#[serde(deny_unknown_fields)]`, or write \
                     `struct Name;`",
                );
            }
            self::fields(fields, ident, input, errors);
        }
        TypeBody::Enum { tag, variants } => {
            if variants.is_empty() {
                errors.at(ident, "a model cannot write an enum without variants: add a variant");
            }
            for variant in variants {
                self::variant(variant, *tag, input, errors);
            }
        }
    }
}

fn words(unseen: &Unseen) -> String {
    let (what, instead) = match unseen {
        Unseen::Attribute => {
            ("this attribute cannot be read", "correct it, or give the value a type of its own".to_owned())
        }
        Unseen::Function => (
            "a function makes this schema, and the compiler cannot look into it",
            "give the value a type of its own".to_owned(),
        ),
        Unseen::Transform => (
            "this changes the schema, and the compiler cannot look into it",
            "remove it, or give the value a type of its own".to_owned(),
        ),
        Unseen::Keyword(key) => (
            "this changes what the schema accepts, and the compiler cannot look into it",
            format!("remove `{key}`, or give the value a type of its own"),
        ),
    };
    format!(
        "{what}: {instead} and write `impl onionskin::Strict for ..`, which \
         promises that it is strict"
    )
}

fn variant(variant: &Variant, tag: Tag, input: &Input<'_>, errors: &mut Errors) {
    let fields = &variant.fields;
    let tagged_inside = tag == Tag::Internal && !variant.untagged;
    if fields.style == Style::Named && fields.list.is_empty() && !fields.closed && !tagged_inside {
        errors.at(
            &variant.ident,
            format_args!(
                "this has no known fields, so it accepts any: write `{}` without braces",
                variant.ident
            ),
        );
    }
    self::fields(fields, &variant.ident, input, errors);
}

fn fields(fields: &SerdeFields, ident: &Ident, input: &Input<'_>, errors: &mut Errors) {
    if matches!(fields.style, Style::Tuple | Style::Newtype) && fields.list.is_empty() {
        errors.at(ident, format_args!("empty parentheses have no strict form: write `{ident}` without them"));
    }
    if fields.style == Style::Tuple
        && let Some(at) = fields.list.iter().find_map(|field| field.described)
    {
        errors.push(
            at,
            "the items of a strict list have one schema, so one of them cannot have docs or limits of its own: give the \
             fields names",
        );
    }
    let is_generic = !input.item.generics.params.is_empty();
    if let (true, Some(second)) = (is_generic, fields.list.iter().filter(|field| field.flatten).nth(1)) {
        errors.at(
            &second.ty,
            "a generic type can flatten one field only: of several, two could be enums, which have no strict form \
             together",
        );
    }
}
