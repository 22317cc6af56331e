//! How the options of an attribute are read, and their values.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::punctuated::Punctuated;
use syn::{Expr, ExprLit, Lit, LitBool, LitStr, Meta, Path, Token};

use crate::diag::Errors;
use crate::{number, suggest};

/// How long something may take.
pub(crate) enum Timeout {
    Millis(u64),
    Duration(Box<Expr>),
}

/// Takes out the options whose text stands without quotes, as in `description = Adds one`: each is reported where it
/// begins.
pub(crate) fn unquoted_texts(tokens: TokenStream, texts: &[&str], errors: &mut Errors) -> TokenStream {
    let mut kept = TokenStream::new();
    let is_comma = |token: &TokenTree| matches!(token, TokenTree::Punct(punct) if punct.as_char() == ',');
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    for option in tokens.split_inclusive(is_comma) {
        if let [
            TokenTree::Ident(key),
            TokenTree::Punct(equals),
            first @ TokenTree::Ident(_),
            TokenTree::Ident(_),
            ..,
        ] = option
            && equals.as_char() == '='
            && texts.iter().any(|text| key == text)
        {
            let words: Vec<_> =
                option[2..].iter().filter(|token| !is_comma(token)).map(ToString::to_string).collect();
            errors.at(first, format_args!("text stands in quotes: `{key} = \"{}\"`", words.join(" ")));
        } else {
            kept.extend(option.iter().cloned());
        }
    }
    kept
}

/// Reads each option of an attribute once; one that is given twice is reported and passed over. Gives the
/// names that were read.
pub(crate) fn each_option(
    parsed: syn::Result<Punctuated<Meta, Token![,]>>,
    errors: &mut Errors,
    mut read: impl FnMut(&str, &Meta, &mut Errors),
) -> Vec<String> {
    let mut seen: Vec<String> = Vec::new();
    let parsed = parsed.map_err(|error| match error.span().source_text().as_deref() {
        Some(":") => syn::Error::new(error.span(), "an option and its value stand with `=` between them; the values of a hook or a guardrail have no names"),
        _ => error,
    });
    for meta in errors.take(parsed).into_iter().flatten() {
        let key = meta_name(&meta);
        if seen.contains(&key) {
            errors.at(meta.path(), format_args!("`{key}` is given twice; keep one of them"));
            continue;
        }
        read(&key, &meta, errors);
        seen.push(key);
    }
    seen
}

/// The name of an option, as it is written without `r#`.
pub(crate) fn meta_name(meta: &Meta) -> String {
    meta.path().get_ident().map_or_else(
        || meta.path().to_token_stream().to_string().replace(' ', ""),
        |ident| syn::ext::IdentExt::unraw(ident).to_string(),
    )
}

/// The value of `key = value`.
pub(crate) fn value(meta: &Meta, example: &str, errors: &mut Errors) -> Option<Expr> {
    match meta {
        Meta::NameValue(pair) => Some(pair.value.clone()),
        other => {
            errors.at(other, format_args!("a value is wanted here: `{example}`"));
            None
        }
    }
}

/// A value that may be text.
pub(crate) fn words(meta: &Meta, example: &str, errors: &mut Errors) -> Option<Expr> {
    let value = value(meta, example, errors)?;
    if let Expr::Lit(ExprLit { lit, .. }) = &value
        && !matches!(lit, Lit::Str(_))
    {
        errors.at(lit, format_args!("text in quotes is wanted here: `{example}`"));
        return None;
    }
    Some(value)
}

/// A count such as `max_calls = 3`, or a constant.
pub(crate) fn count(meta: &Meta, example: &str, errors: &mut Errors) -> Option<Expr> {
    let value = value(meta, example, errors)?;
    if let Some(error) = number::digits(&value).and_then(number::with_unit) {
        errors.add(error);
        return None;
    }
    let counts = match &value {
        Expr::Lit(ExprLit { lit: Lit::Int(int), .. }) => int.base10_parse::<u32>().is_ok_and(|most| most > 0),
        Expr::Lit(_) | Expr::Unary(_) => false,
        _ => true,
    };
    if !counts {
        let most = match &value {
            Expr::Lit(ExprLit { lit: Lit::Int(int), .. }) if int.base10_digits() != "0" => {
                format!(" to {}", u32::MAX)
            }
            _ => String::new(),
        };
        errors.at(&value, format_args!("a whole number from 1{most} is wanted here: `{example}`"));
        return None;
    }
    Some(value)
}

/// The text of `key = "text"`.
pub(crate) fn text(meta: &Meta, example: &str, errors: &mut Errors) -> Option<LitStr> {
    match value(meta, example, errors)? {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text),
        other => {
            errors.at(other, format_args!("text in quotes is wanted here: `{example}`"));
            None
        }
    }
}

/// Whether `key` or `key = true` is set.
pub(crate) fn flag(meta: &Meta, errors: &mut Errors) -> bool {
    match meta {
        Meta::Path(_) => return true,
        Meta::NameValue(pair) => {
            if let Expr::Lit(ExprLit { lit: Lit::Bool(LitBool { value, .. }), .. }) = &pair.value {
                return *value;
            }
            errors.at(&pair.value, "`true` or `false` is wanted here");
        }
        Meta::List(list) => {
            errors.at(list, format_args!("write `{0}` alone, or `{0} = false`", meta_name(meta)));
        }
    }
    false
}

pub(crate) fn path(meta: &Meta, example: &str, errors: &mut Errors) -> Option<Path> {
    if let Meta::NameValue(pair) = meta
        && let Expr::Path(value) = &pair.value
    {
        return Some(value.path.clone());
    }
    let place = match meta {
        Meta::NameValue(pair) => pair.value.to_token_stream(),
        other => quote!(#other),
    };
    errors.at(place, format_args!("a path is wanted here: {}", suggest::unquoted(meta, example)));
    None
}

/// The one word of `key = word`.
pub(crate) fn name(meta: &Meta, example: &str, errors: &mut Errors) -> Option<Ident> {
    let path = path(meta, example, errors)?;
    let ident = path.get_ident().cloned();
    if ident.is_none() {
        errors.at(path, format_args!("a name is wanted here: `{example}`"));
    }
    ident
}

const TIME: &str = "a time is wanted here: seconds (`30`), text (`\"500ms\"`, `\"30s\"`, `\"2m\"`, `\"1h\"`) or a constant \
                    `Duration`";

/// A time: `key = "30s"`.
pub(crate) fn time(meta: &Meta, example: &str, errors: &mut Errors) -> Option<Timeout> {
    let value = value(meta, example, errors)?;
    let Expr::Lit(ExprLit { lit, .. }) = &value else { return Some(Timeout::Duration(Box::new(value))) };
    if number::unit(lit).is_some() {
        let written = lit.to_token_stream();
        match millis(&written.to_string()) {
            Some(_) => errors.at(lit, format_args!("a time with a unit is text: write `\"{written}\"`")),
            None => errors.at(lit, TIME),
        }
        return None;
    }
    let millis = match lit {
        Lit::Int(seconds) => seconds.base10_parse::<u64>().ok().and_then(|seconds| seconds.checked_mul(1000)),
        Lit::Float(seconds) => seconds.base10_parse::<f64>().ok().and_then(whole_millis),
        Lit::Str(text) => millis(&text.value()),
        _ => None,
    };
    match millis {
        Some(millis) if millis > 0 => Some(Timeout::Millis(millis)),
        _ => {
            errors.at(lit, TIME);
            None
        }
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked to be in range")]
fn whole_millis(seconds: f64) -> Option<u64> {
    let millis = seconds * 1000.0;
    (1.0..1e15).contains(&millis).then_some(millis as u64)
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
