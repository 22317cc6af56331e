//! `#[bind(..)]`: a parameter that the agent's state fills.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::parse::{Parse, ParseStream};
use syn::spanned::Spanned;
use syn::{Attribute, Expr, LitStr, Meta, Token};

use super::{Param, PassedAs, Source, secret};
use crate::diag::Errors;

const WANTED: &str = "write a field of the agent's state, `#[bind(user.name)]`, or a key of the session's, `#[bind(\"user.name\")]`";

/// The source of a bound parameter's value.
pub(crate) enum Bind {
    /// `#[bind(config.api.key)]`: a field of the typed state.
    Field(Box<Expr>),
    /// `#[bind("config.api.key", default = ..)]`: a key of the session's dynamic state.
    Key { key: LitStr, default: Option<Box<Expr>> },
}

impl Bind {
    pub(crate) fn read(attr: &Attribute, errors: &mut Errors) -> Option<Self> {
        if let Meta::Path(_) | Meta::NameValue(_) = attr.meta {
            errors.at(&attr.meta, WANTED);
            return None;
        }
        let bind = errors.take(attr.parse_args::<BindSyntax>())?;
        if let (Bind::Field(field), Some(default)) = (&bind.0, &bind.1) {
            errors.at(
                default,
                format_args!(
                    "a field of the state always has a value, so `default` would never be used; a key may be missing: \
                     `#[bind(\"{}\", default = ..)]`",
                    field.to_token_stream().to_string().replace(' ', "")
                ),
            );
        }
        Some(bind.0)
    }
}

/// The content of the parentheses: the bind, and a default that a field cannot have.
struct BindSyntax(Bind, Option<Expr>);

impl Parse for BindSyntax {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let wrong = |error: &syn::Error| syn::Error::new(error.span(), WANTED);
        let bind = if input.peek(LitStr) {
            Bind::Key { key: key(input)?, default: None }
        } else {
            let field: Expr = input.parse().map_err(|error| wrong(&error))?;
            if !is_field(&field) {
                return Err(wrong(&syn::Error::new_spanned(&field, "")));
            }
            Bind::Field(Box::new(field))
        };
        if input.is_empty() {
            return Ok(Self(bind, None));
        }
        input.parse::<Token![,]>()?;
        let name: Ident = input.parse()?;
        if name != "default" {
            return Err(syn::Error::new(name.span(), "the only option here is `default = ..`"));
        }
        input.parse::<Token![=]>()?;
        let default: Expr = input.parse()?;
        Ok(match bind {
            Bind::Key { key, .. } => Self(Bind::Key { key, default: Some(Box::new(default)) }, None),
            field @ Bind::Field(_) => Self(field, Some(default)),
        })
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
    Err(syn::Error::new(key.span(), format_args!("each part of a key has a name: write `\"{example}\"`")))
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
        let default = match default {
            Some(default) => {
                let default = self.as_owned(default);
                quote!(::core::option::Option::Some(|| #default))
            }
            None => quote!(::core::option::Option::None),
        };
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
            _ => quote_spanned!(span=> ::core::clone::Clone::clone(&#place)),
        };
        // Named, so that its own type is known before the wanted one.
        let named = Ident::new("value", span);
        quote!({ let #named = #value; #named })
    }
}
