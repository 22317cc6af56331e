//! A type as serde reads it and schemars describes it: what their attributes leave of its fields and variants.

use proc_macro2::{Ident, Span, TokenStream};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{
    Attribute, Data, DeriveInput, Expr, ExprLit, Lit, LitStr, Meta, Path, Token, Type, parenthesized, token,
};

use crate::derive;
use crate::diag::Errors;

pub(super) struct Input<'i> {
    pub(super) item: &'i DeriveInput,
    pub(super) crate_path: Option<Path>,
    pub(super) shape: TypeBody,
    /// Attributes that change a schema invisibly, each with its kind.
    pub(super) unseen: Vec<(Span, Unseen)>,
}

/// The type that is described.
pub(super) enum TypeBody {
    /// Another type, in place of this one.
    As(Box<Type>),
    Struct(SerdeFields),
    Enum {
        tag: Tag,
        variants: Vec<Variant>,
    },
    Union(Span),
}

/// The representation by which an enum's variants differ.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Tag {
    External,
    Internal,
    Adjacent,
    Untagged,
}

pub(super) struct Variant {
    pub(super) ident: Ident,
    pub(super) fields: SerdeFields,
    pub(super) untagged: bool,
}

pub(super) struct SerdeFields {
    pub(super) style: Style,
    /// Those that a model writes.
    pub(super) list: Vec<SerdeField>,
    /// True if unknown fields are refused.
    pub(super) closed: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    Unit,
    /// A tuple of one field, with or without others that are skipped.
    Newtype,
    Tuple,
    Named,
}

pub(super) struct SerdeField {
    /// The type that is described.
    pub(super) ty: Type,
    pub(super) flatten: bool,
    /// The place of docs or limits of the field itself.
    pub(super) described: Option<Span>,
}

pub(super) enum Unseen {
    /// An attribute that cannot be read.
    Attribute,
    Function,
    Transform,
    Keyword(String),
}

impl<'i> Input<'i> {
    pub(super) fn read(item: &'i DeriveInput, errors: &mut Errors) -> Self {
        let attrs = Attrs::read(&item.attrs);
        let mut unseen = attrs.unseen();
        let closed = attrs.has("deny_unknown_fields");
        let shape = match (attrs.described_as(), &item.data) {
            (_, Data::Union(union)) => TypeBody::Union(union.union_token.span),
            (Some(ty), _) => TypeBody::As(Box::new(ty)),
            (None, Data::Struct(data)) => {
                let mut fields = SerdeFields::read(&data.fields, closed, &mut unseen);
                if attrs.has("transparent") {
                    fields.style = Style::Newtype;
                }
                TypeBody::Struct(fields)
            }
            (None, Data::Enum(data)) => {
                let tag = match (attrs.has("untagged"), attrs.has("tag"), attrs.has("content")) {
                    (true, ..) => Tag::Untagged,
                    (_, true, true) => Tag::Adjacent,
                    (_, true, false) => Tag::Internal,
                    _ => Tag::External,
                };
                let variants =
                    data.variants.iter().filter_map(|variant| Variant::read(variant, closed, &mut unseen));
                TypeBody::Enum { tag, variants: variants.collect() }
            }
        };
        let crate_path = derive::crate_path(item, "strict", "Strict", errors);
        Self { item, crate_path, shape, unseen }
    }
}

impl Variant {
    fn read(variant: &syn::Variant, closed: bool, unseen: &mut Vec<(Span, Unseen)>) -> Option<Self> {
        let attrs = Attrs::read(&variant.attrs);
        if attrs.is_skipped() {
            return None;
        }
        unseen.extend(attrs.unseen());
        let fields = match attrs.described_as() {
            Some(ty) => SerdeFields {
                style: Style::Newtype,
                list: vec![SerdeField { ty, flatten: false, described: None }],
                closed,
            },
            None => SerdeFields::read(&variant.fields, closed, unseen),
        };
        Some(Self { ident: variant.ident.clone(), fields, untagged: attrs.has("untagged") })
    }
}

impl SerdeFields {
    fn read(all: &syn::Fields, closed: bool, unseen: &mut Vec<(Span, Unseen)>) -> Self {
        let mut list = Vec::new();
        for field in all {
            let attrs = Attrs::read(&field.attrs);
            if attrs.is_skipped() {
                continue;
            }
            unseen.extend(attrs.unseen());
            list.push(SerdeField {
                ty: attrs.described_as().unwrap_or_else(|| field.ty.clone()),
                flatten: attrs.has("flatten"),
                described: attrs.described,
            });
        }
        let style = match all {
            syn::Fields::Named(_) => Style::Named,
            syn::Fields::Unit => Style::Unit,
            syn::Fields::Unnamed(all) if all.unnamed.len() == 1 => Style::Newtype,
            syn::Fields::Unnamed(_) => Style::Tuple,
        };
        Self { style, list, closed }
    }
}

/// The content of `serde`'s and `schemars`' attributes. schemars' own come first, because they win.
struct Attrs {
    items: Vec<Item>,
    described: Option<Span>,
    /// The attributes that cannot be read.
    unread: Vec<Span>,
}

impl Attrs {
    fn read(attrs: &[Attribute]) -> Self {
        let named = |name: &'static str| attrs.iter().filter(move |attr| attr.path().is_ident(name));
        let mut unread = Vec::new();
        let mut read = |name| {
            let mut items: Vec<Item> = Vec::new();
            for attr in named(name) {
                let Meta::List(list) = &attr.meta else { continue };
                match Punctuated::<Item, Token![,]>::parse_terminated.parse2(list.tokens.clone()) {
                    Ok(parsed) => items.extend(parsed),
                    Err(_) => unread.push(attr.path().span()),
                }
            }
            items
        };
        let (mut items, serde) = (read("schemars"), read("serde"));
        // `#[schemars(!key)]` takes serde's away.
        let taken: Vec<Item> = items.extract_if(.., |item| matches!(item.value, Value::Taken)).collect();
        items.extend(serde.into_iter().filter(|item| taken.iter().all(|taken| taken.key != item.key)));
        let described = ["doc", "schemars", "validate", "garde"].into_iter().flat_map(named);
        let described = described.map(|attr| attr.path().span()).next();
        Self { items, described, unread }
    }

    fn has(&self, key: &str) -> bool {
        self.items.iter().any(|item| item.key == key)
    }

    /// Returns whether models do not write the field.
    fn is_skipped(&self) -> bool {
        self.has("skip") || self.has("skip_deserializing")
    }

    /// The type that is described in place of this one.
    fn described_as(&self) -> Option<Type> {
        let item = ["with", "from", "try_from"]
            .into_iter()
            .find_map(|key| self.items.iter().find(|item| item.key == key));
        item?.text()?.parse().ok()
    }

    fn unseen(&self) -> Vec<(Span, Unseen)> {
        let mut unseen: Vec<_> = self.unread.iter().map(|at| (*at, Unseen::Attribute)).collect();
        for item in &self.items {
            match (item.key.as_str(), &item.value) {
                ("schema_with", _) => unseen.push((item.span(), Unseen::Function)),
                ("transform", _) => unseen.push((item.span(), Unseen::Transform)),
                ("extend", Value::List(tokens)) => {
                    let keys = Punctuated::<Extension, Token![,]>::parse_terminated.parse2(tokens.clone());
                    let keys = keys.into_iter().flatten().map(|Extension(key)| key);
                    let told = keys.filter(|key| KEYWORDS.contains(&key.value().as_str()));
                    unseen.extend(told.map(|key| (key.span(), Unseen::Keyword(key.value()))));
                }
                _ => {}
            }
        }
        unseen
    }
}

/// Keywords of JSON Schema, without those that limit values only.
const KEYWORDS: &[&str] = &[
    "type",
    "properties",
    "required",
    "additionalProperties",
    "patternProperties",
    "unevaluatedProperties",
    "items",
    "prefixItems",
    "anyOf",
    "oneOf",
    "allOf",
    "not",
    "if",
    "then",
    "else",
    "dependentRequired",
    "dependentSchemas",
    "dependencies",
    "enum",
    "const",
    "$ref",
    "$defs",
    "definitions",
];

/// `key`, `key = value`, `key(..)` or `!key`.
struct Item {
    key: String,
    at: Span,
    value: Value,
}

enum Value {
    None,
    /// `!key`: what serde says there does not count.
    Taken,
    Expr(Box<Expr>),
    List(TokenStream),
}

impl Item {
    fn text(&self) -> Option<&LitStr> {
        match &self.value {
            Value::Expr(value) => {
                let mut value = &**value;
                // A `macro_rules` macro passed it on in a group.
                while let Expr::Group(group) = value {
                    value = &group.expr;
                }
                match value {
                    Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The value, or the key alone.
    fn span(&self) -> Span {
        match &self.value {
            Value::Expr(value) => value.span(),
            _ => self.at,
        }
    }
}

impl Parse for Item {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let is_taken = input.parse::<Option<Token![!]>>()?.is_some();
        let key = input.call(Ident::parse_any)?;
        let value = if is_taken {
            Value::Taken
        } else if input.peek(Token![=]) {
            input.parse::<Token![=]>()?;
            Value::Expr(Box::new(input.parse()?))
        } else if input.peek(token::Paren) {
            let list;
            parenthesized!(list in input);
            Value::List(list.parse()?)
        } else {
            Value::None
        };
        Ok(Self { key: key.unraw().to_string(), at: key.span(), value })
    }
}

/// `"key" = value`.
struct Extension(LitStr);

impl Parse for Extension {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let key = input.parse()?;
        input.parse::<Token![=]>()?;
        // Any JSON, up to the comma.
        while !input.is_empty() && !input.peek(Token![,]) {
            input.parse::<proc_macro2::TokenTree>()?;
        }
        Ok(Self(key))
    }
}
