//! A type as serde reads it and schemars describes it: what their attributes leave of its fields and variants.

use darling::FromMeta;
use darling::ast::NestedMeta;
use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Attribute, Data, DeriveInput, LitStr, MacroDelimiter, Meta, Path, Token, Type};

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
    items: Vec<Meta>,
    described: Option<Span>,
    /// The attributes that cannot be read.
    unread: Vec<Span>,
}

impl Attrs {
    fn read(attrs: &[Attribute]) -> Self {
        let named = |name: &'static str| attrs.iter().filter(move |attr| attr.path().is_ident(name));
        let described = ["doc", "schemars", "validate", "garde"].into_iter().flat_map(named);
        let described = described.map(|attr| attr.path().span()).next();
        let mut read = Self { items: Vec::new(), described, unread: Vec::new() };
        let mut taken = Vec::new();
        for attr in named("schemars").chain(named("serde")) {
            let Meta::List(list) = &attr.meta else { continue };
            let items = NestedMeta::parse_meta_list(without_taken(&list.tokens, &mut taken)).ok();
            let metas = items.map(|items| {
                items.into_iter().map(|item| match item {
                    // serde and schemars take parentheses only.
                    NestedMeta::Meta(Meta::List(list))
                        if !matches!(list.delimiter, MacroDelimiter::Paren(_)) =>
                    {
                        None
                    }
                    NestedMeta::Meta(meta) => Some(meta),
                    NestedMeta::Lit(_) | NestedMeta::NameValueInvalidExpr(_) => None,
                })
            });
            match metas.and_then(Iterator::collect::<Option<Vec<_>>>) {
                Some(metas) => {
                    let is_left = |meta: &Meta| taken.iter().all(|taken| !meta.path().is_ident(taken));
                    read.items.extend(metas.into_iter().filter(is_left));
                }
                None => read.unread.push(attr.path().span()),
            }
        }
        read
    }

    fn find(&self, key: &str) -> Option<&Meta> {
        self.items.iter().find(|item| item.path().is_ident(key))
    }

    fn has(&self, key: &str) -> bool {
        self.find(key).is_some()
    }

    /// Returns whether models do not write the field.
    fn is_skipped(&self) -> bool {
        self.has("skip") || self.has("skip_deserializing")
    }

    /// The type that is described in place of this one.
    fn described_as(&self) -> Option<Type> {
        let item = ["with", "from", "try_from"].into_iter().find_map(|key| self.find(key));
        LitStr::from_meta(item?).ok()?.parse().ok()
    }

    fn unseen(&self) -> Vec<(Span, Unseen)> {
        let mut unseen: Vec<_> = self.unread.iter().map(|at| (*at, Unseen::Attribute)).collect();
        for item in &self.items {
            let key = item.path().get_ident().map(Ident::to_string).unwrap_or_default();
            let value = if let Meta::NameValue(pair) = item { pair.value.span() } else { item.path().span() };
            match (&*key, item) {
                ("schema_with", _) => unseen.push((value, Unseen::Function)),
                ("transform", _) => unseen.push((value, Unseen::Transform)),
                ("extend", Meta::List(list)) => {
                    let keys = list.parse_args_with(Punctuated::<Extension, Token![,]>::parse_terminated);
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

/// The options without the form `!key`, which removes an option of serde.
fn without_taken(tokens: &TokenStream, taken: &mut Vec<Ident>) -> TokenStream {
    let tokens: Vec<_> = tokens.clone().into_iter().collect();
    let is_comma = |token: &TokenTree| matches!(token, TokenTree::Punct(punct) if punct.as_char() == ',');
    let options = tokens.split_inclusive(is_comma).filter(|option| match option {
        [TokenTree::Punct(mark), TokenTree::Ident(key), ..] if mark.as_char() == '!' => {
            taken.push(key.clone());
            false
        }
        _ => true,
    });
    options.flatten().cloned().collect()
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

/// `"key" = value`.
struct Extension(LitStr);

impl Parse for Extension {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let key = input.parse()?;
        input.parse::<Token![=]>()?;
        // Any JSON, up to the comma.
        while !input.is_empty() && !input.peek(Token![,]) {
            input.parse::<TokenTree>()?;
        }
        Ok(Self(key))
    }
}
