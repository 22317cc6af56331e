//! `#[bind(..)]`: a parameter that the agent's state fills.

use darling::FromMeta;
use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::parse::ParseStream;
use syn::spanned::Spanned;
use syn::{Attribute, Expr, LitStr, Meta, MetaList};

use super::{Param, PassedAs, Source, secret};
use crate::diag::Errors;
use crate::item::option;
use crate::keys::options;
use crate::option::{Table, read};

const WANTED: &str = "write a field of the agent's state, `#[bind(user.name)]`, or a key of the session's, `#[bind(\"user.name\")]`";

/// The source of a bound parameter's value.
pub(crate) enum Bind {
    /// `#[bind(config.api.key)]`: a field of the typed state.
    Field(Box<Expr>),
    /// `#[bind("config.api.key", default = ..)]`: a key of the session's dynamic state.
    Key { key: LitStr, default: Option<Box<Expr>> },
}

options! {
    /// The options behind the field or the key.
    #[derive(Default, FromMeta)]
    pub(crate) struct BindOptions {
        default: Option<Expr> = read::value,
    }
}

impl Bind {
    pub(crate) fn read(attr: &Attribute, errors: &mut Errors) -> Option<Self> {
        let Meta::List(list) = &attr.meta else {
            errors.at(&attr.meta, WANTED);
            return None;
        };
        let mut tokens = list.tokens.clone().into_iter();
        let is_before =
            |token: &TokenTree| !matches!(token, TokenTree::Punct(punct) if punct.as_char() == ',');
        let place = MetaList { tokens: tokens.by_ref().take_while(is_before).collect(), ..list.clone() };
        let is_key = matches!(place.tokens.clone().into_iter().next(), Some(TokenTree::Literal(_)));
        let options: BindOptions =
            Table::new("option", onionskin_vocabulary::options::bind()).read(tokens.collect(), errors);
        let default = options.default.map(Box::new);
        if is_key {
            let key = errors.take(place.parse_args_with(key))?;
            return Some(Self::Key { key, default });
        }
        let field = place
            .parse_args::<Expr>()
            .map_err(|error| error.span())
            .and_then(|field| if is_field(&field) { Ok(field) } else { Err(field.span()) });
        let field = field.map_err(|span| errors.push(span, WANTED)).ok()?;
        if let Some(default) = default {
            errors.at(
                default,
                format_args!(
                    "a field of the state always has a value, so `default` would never be used; a key may be missing: \
                     `#[bind(\"{}\", default = ..)]`",
                    field.to_token_stream().to_string().replace(' ', "")
                ),
            );
        }
        Some(Self::Field(Box::new(field)))
    }
}

/// Reads the key of a bind. A part without a name is a typing mistake: it would bind to a value that nothing sets.
fn key(input: ParseStream<'_>) -> syn::Result<LitStr> {
    let key: LitStr = input.parse()?;
    let text = key.value();
    if text.split('.').all(|part| !part.is_empty()) {
        return Ok(key);
    }
    let named: Vec<_> = text.split('.').filter(|part| !part.is_empty()).collect();
    let example = if named.is_empty() { "user.name".to_owned() } else { named.join(".") };
    Err(syn::Error::new(
        key.span(),
        format_args!("expected a name in each part of the key: write `\"{example}\"`"),
    ))
}

/// `a.b.0`.
fn is_field(value: &Expr) -> bool {
    match value {
        Expr::Path(path) => path.path.get_ident().is_some(),
        Expr::Field(field) => is_field(&field.base),
        _ => false,
    }
}

impl Param {
    /// Makes the value of a key of the session's state, as a variable of this name, and registers its secrets.
    pub(crate) fn key_value(&self, value: &Ident) -> Option<[TokenStream; 2]> {
        let Source::Bound(Bind::Key { key, default }) = &self.source else { return None };
        let ty = &self.owned;
        let default = option(default.as_ref().map(|default| {
            let default = self.as_owned(default);
            quote!(|| #default)
        }));
        Some([quote!(let #value = __rt::bound::<#ty, _>(__cx, #key, #default)?;), secret::conceal(value)])
    }

    /// Makes the value of a field of `__state`, as a variable of this name, and registers its secrets.
    pub(crate) fn field_variable(&self, value: &Ident) -> Option<[TokenStream; 2]> {
        let (ty, field) = (&self.ty, self.field_value(self.bound_field()?));
        Some([quote!(let #value: #ty = #field;), secret::conceal(value)])
    }

    /// The value of a field of `__state`, as the function takes it. What does not fit is reported at the field.
    fn field_value(&self, field: &Expr) -> TokenStream {
        let span = field.span().resolved_at(Span::mixed_site());
        let place = quote!(__state.#field);
        let value = match self.form {
            PassedAs::Ref | PassedAs::Slice | PassedAs::Str | PassedAs::Path => {
                return quote_spanned!(span=> &#place);
            }
            PassedAs::OptionPath => quote_spanned! {span=>
                ::core::option::Option::map(::core::option::Option::as_ref(&#place), __rt::lend)
            },
            PassedAs::OptionRef => quote_spanned!(span=> ::core::option::Option::as_ref(&#place)),
            PassedAs::OptionSlice | PassedAs::OptionStr => {
                quote_spanned!(span=> ::core::option::Option::as_deref(&#place))
            }
            PassedAs::Value
            | PassedAs::Cow
            | PassedAs::CowStr
            | PassedAs::OptionCowStr
            | PassedAs::Borrowing => quote_spanned!(span=> ::core::clone::Clone::clone(&#place)),
        };
        // Named, so that its own type is known before the wanted one.
        let named = Ident::new("value", span);
        quote!({ let #named = #value; #named })
    }
}
