//! Reads the value of one option. A message that ends with a space is followed by how the option is written.

use darling::Result;
use proc_macro2::{Ident, Span};
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{Expr, ExprLit, Lit, LitBool, LitStr, Meta, MetaNameValue, Path, PathArguments, Type};

use super::{error_at, meta_name};
use crate::number;

/// The value of `key = value`.
pub(crate) fn value<T: From<Expr>>(meta: &Meta) -> Result<T> {
    match meta {
        Meta::NameValue(pair) => Ok(pair.value.clone().into()),
        other => Err(error_at(other, "expected a value: ")),
    }
}

/// A value that may be text.
pub(crate) fn words<T: From<Expr>>(meta: &Meta) -> Result<T> {
    match value(meta)? {
        Expr::Lit(ExprLit { lit, .. }) if !matches!(lit, Lit::Str(_)) => Err(error_at(lit, NO_TEXT)),
        number @ Expr::Unary(_) => Err(error_at(number, NO_TEXT)),
        Expr::Verbatim(words) => {
            let written: Vec<_> = words.clone().into_iter().map(|token| token.to_string()).collect();
            let (key, written) = (meta_name(meta), written.join(" "));
            let message = format_args!("write text in quotes: `{key} = \"{written}\"`");
            Err(error_at(words.into_iter().next(), message))
        }
        value => Ok(value.into()),
    }
}

/// The text of `key = "text"`.
pub(crate) fn text<T: From<LitStr>>(meta: &Meta) -> Result<T> {
    match words(meta)? {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Ok(text.into()),
        other => Err(error_at(other, NO_TEXT)),
    }
}

const NO_TEXT: &str = "expected text in quotes: ";

/// Returns whether `key` or `key = true` is set.
pub(crate) fn flag<T: From<bool>>(meta: &Meta) -> Result<T> {
    match meta {
        Meta::Path(_) => Ok(true.into()),
        Meta::NameValue(pair) => match &pair.value {
            Expr::Lit(ExprLit { lit: Lit::Bool(LitBool { value, .. }), .. }) => Ok((*value).into()),
            other => Err(error_at(other, "expected `true` or `false`")),
        },
        Meta::List(list) => {
            Err(error_at(list, format_args!("write `{0}` alone, or `{0} = false`", meta_name(meta))))
        }
    }
}

/// The place of `key` or `key = true`.
pub(crate) fn place(meta: &Meta) -> Result<Option<Span>> {
    Ok(flag::<bool>(meta)?.then(|| meta.span()))
}

/// The place of an option that is a word alone.
pub(crate) fn alone(meta: &Meta) -> Result<Span> {
    match meta {
        Meta::Path(path) => Ok(path.span()),
        other => Err(error_at(other, format_args!("write `{}` alone", meta_name(meta)))),
    }
}

/// The path of `key = path`.
pub(crate) fn path<T: From<Path>>(meta: &Meta) -> Result<T> {
    if let Meta::NameValue(pair) = meta
        && let Expr::Path(value) = &pair.value
    {
        return Ok(value.path.clone().into());
    }
    Err(unquoted(meta, "a path", |text| text.parse_with(Path::parse_mod_style).is_ok()))
}

/// The type of `key = Type`.
pub(crate) fn ty<T: From<Type>>(meta: &Meta) -> Result<T> {
    if let Meta::NameValue(pair) = meta
        && let Expr::Verbatim(tokens) = &pair.value
        && let Ok(ty) = syn::parse2(tokens.clone())
        && is_of_a_value(&ty)
    {
        return Ok(ty.into());
    }
    Err(unquoted(meta, "a type", |text| text.parse().is_ok_and(|ty| is_of_a_value(&ty))))
}

/// The error for a value that is not a path or a type: the same without quotes if it `fits` there.
fn unquoted(meta: &Meta, what: &str, fits: impl FnOnce(&LitStr) -> bool) -> darling::Error {
    match meta {
        Meta::NameValue(MetaNameValue { value: Expr::Lit(ExprLit { lit: Lit::Str(text), .. }), .. })
            if fits(text) =>
        {
            error_at(text, format_args!("expected {what}: write `{}`, without quotes", text.value()))
        }
        Meta::NameValue(pair) => error_at(&pair.value, format_args!("expected {what}: ")),
        other => error_at(other, format_args!("expected {what}: ")),
    }
}

/// Returns whether a value can have this type. syn also reads calls, `make()`, and sums, `a + b`, as types.
fn is_of_a_value(ty: &Type) -> bool {
    match ty {
        Type::Path(path) => {
            let mut segments = path.path.segments.iter();
            !segments.any(|segment| matches!(segment.arguments, PathArguments::Parenthesized(_)))
        }
        Type::Group(group) => is_of_a_value(&group.elem),
        Type::Paren(paren) => is_of_a_value(&paren.elem),
        Type::Reference(reference) => reference.lifetime.is_some(),
        Type::Array(_) | Type::FnPtr(_) | Type::Macro(_) | Type::Tuple(_) => true,
        _ => false,
    }
}

/// The one word of `key = word`.
pub(crate) fn name<T: From<Ident>>(meta: &Meta) -> Result<T> {
    let path: Path = path(meta)?;
    match path.get_ident() {
        Some(name) => Ok(name.clone().into()),
        None => Err(error_at(path, "expected a name: ")),
    }
}

/// The entries of `key = [..]`.
pub(crate) fn list(meta: &Meta) -> Result<Vec<Expr>> {
    match value(meta)? {
        Expr::Array(list) => Ok(list.elems.into_iter().collect()),
        other => Err(error_at(other, "expected a list in brackets: ")),
    }
}

/// A count such as `max_calls = 3`, or a constant.
pub(crate) fn count<T: From<Expr>>(meta: &Meta) -> Result<T> {
    let value = value(meta)?;
    if let Some(error) = number::digits(&value).and_then(number::with_unit) {
        return Err(error.into());
    }
    let bound = match &value {
        Expr::Lit(ExprLit { lit: Lit::Int(int), .. }) => {
            if int.base10_parse::<u32>().is_ok_and(|most| most > 0) {
                return Ok(value.into());
            }
            if int.base10_digits() == "0" { "least 1".to_owned() } else { format!("most {}", u32::MAX) }
        }
        Expr::Lit(_) | Expr::Unary(_) => "least 1".to_owned(),
        _ => return Ok(value.into()),
    };
    Err(error_at(value, format_args!("expected a whole number of at {bound}: ")))
}

/// The time that something may take, and the place of its key.
pub(crate) struct Timeout {
    pub(crate) key: Span,
    pub(crate) time: Time,
}

pub(crate) enum Time {
    Millis(u64),
    Duration(Box<Expr>),
}

/// A time: `key = "30s"`.
pub(crate) fn time(meta: &Meta) -> Result<Option<Timeout>> {
    let value = value(meta)?;
    let timeout = |time| Ok(Some(Timeout { key: meta.path().span(), time }));
    let lit = match &value {
        Expr::Lit(ExprLit { lit, .. }) => lit,
        Expr::Unary(_) => return Err(error_at(value, TIME)),
        _ => return timeout(Time::Duration(Box::new(value))),
    };
    if number::unit(lit).is_some() {
        let written = lit.to_token_stream().to_string();
        return Err(match millis(&written) {
            Some(_) => error_at(lit, format_args!("write a time with a unit in quotes: `\"{written}\"`")),
            None => error_at(lit, TIME),
        });
    }
    let millis = match lit {
        Lit::Int(seconds) => seconds.base10_parse::<u64>().ok().and_then(|seconds| seconds.checked_mul(1000)),
        Lit::Float(seconds) => seconds.base10_parse::<f64>().ok().and_then(whole_millis),
        Lit::Str(text) => millis(&text.value()),
        _ => None,
    };
    match millis {
        Some(0) => Err(error_at(lit, "expected a time of at least 1 ms: ")),
        Some(millis) => timeout(Time::Millis(millis)),
        None => Err(error_at(lit, TIME)),
    }
}

const TIME: &str = "expected a time: seconds (`30`), text (`\"500ms\"`, `\"30s\"`, `\"2m\"`, `\"1h\"`) or a constant \
                    `Duration`";

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked to be in range")]
fn whole_millis(seconds: f64) -> Option<u64> {
    let millis = seconds * 1000.0;
    (0.0..1e15).contains(&millis).then_some(millis as u64)
}

fn millis(text: &str) -> Option<u64> {
    let digits = text.find(|c: char| !c.is_ascii_digit())?;
    let (count, unit) = text.split_at(digits);
    let unit = match unit.trim() {
        "ms" => 1,
        "s" => 1000,
        "m" | "min" => 60_000,
        "h" => 3_600_000,
        _ => return None,
    };
    count.parse::<u64>().ok()?.checked_mul(unit)
}
