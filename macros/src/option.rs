//! Reads the options of an attribute and their values.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::discouraged::Speculative;
use syn::parse::{ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{
    Expr, ExprLit, Lit, LitBool, LitStr, Meta, MetaList, MetaNameValue, Path, PathArguments, Token, Type,
};

use crate::diag::Errors;
use crate::keys::{Key, find, names};
use crate::{number, suggest};

/// The options of an attribute, or of one option that holds others.
pub(crate) struct Table<O: 'static> {
    /// The word for an option in errors.
    pub(crate) what: &'static str,
    pub(crate) keys: &'static [Key<Read<O>>],
    /// The error for options that begin with a literal.
    pub(crate) literal: Option<&'static str>,
    /// The options whose value is text.
    pub(crate) texts: &'static [&'static str],
    /// The options whose value is a type.
    pub(crate) types: &'static [&'static str],
    /// An ending that some people write behind each key.
    pub(crate) ending: &'static str,
    /// Keys of other macros and other places, and what to write instead.
    pub(crate) elsewhere: &'static [(&'static str, &'static str)],
}

/// Reads one option.
type Read<O> = fn(&mut O, &mut WrittenOption<'_>) -> syn::Result<()>;

impl<O> Table<O> {
    /// A table without anything special.
    pub(crate) const fn new(what: &'static str, keys: &'static [Key<Read<O>>]) -> Self {
        Self { what, keys, literal: None, texts: &[], types: &[], ending: "", elsewhere: &[] }
    }

    /// Reads the options of an attribute. Gives the names that were read, in their order.
    pub(crate) fn read(&self, options: &mut O, tokens: TokenStream, errors: &mut Errors) -> Vec<String> {
        if self.begins_with_literal(&tokens, errors) {
            return Vec::new();
        }
        let tokens = unquoted_texts(tokens, self.texts, errors);
        let read = |input: ParseStream<'_>| parse_options(input, self.types);
        self.each(options, read.parse2(tokens), errors)
    }

    /// Reads the options in the parentheses of another one.
    pub(crate) fn read_list(&self, options: &mut O, list: &MetaList, errors: &mut Errors) -> Vec<String> {
        if self.begins_with_literal(&list.tokens, errors) {
            return Vec::new();
        }
        let read = |input: ParseStream<'_>| parse_options(input, self.types);
        self.each(options, list.parse_args_with(read), errors)
    }

    fn begins_with_literal(&self, tokens: &TokenStream, errors: &mut Errors) -> bool {
        self.literal.is_some_and(|message| begins_with_literal(tokens, message, errors))
    }

    fn each(
        &self,
        options: &mut O,
        parsed: syn::Result<Punctuated<Meta, Token![,]>>,
        errors: &mut Errors,
    ) -> Vec<String> {
        each(parsed, self.ending, errors, &mut |name, meta, errors| match find(self.keys, name) {
            Some(key) => (key.read)(options, &mut WrittenOption { meta, errors }),
            None => {
                let instead = self.elsewhere.iter().find(|(known, _)| *known == name);
                let unknown = || suggest::unknown(self.what, &meta_name(meta), &names(self.keys));
                let message = instead.map_or_else(unknown, |(_, instead)| (*instead).to_owned());
                Err(syn::Error::new_spanned(meta.path(), message))
            }
        })
    }
}

/// Reads options. The value of an option in `types` is kept as [`Expr::Verbatim`] if it is a type: as an expression,
/// `Vec<i64>` is two comparisons.
fn parse_options(input: ParseStream<'_>, types: &[&str]) -> syn::Result<Punctuated<Meta, Token![,]>> {
    let mut options = Punctuated::new();
    while !input.is_empty() {
        options.push_value(match type_option(input, types) {
            Some(option) => option,
            None => input.parse()?,
        });
        if !input.is_empty() {
            options.push_punct(input.parse()?);
        }
    }
    Ok(options)
}

/// The option `key = Type`, if the key is one of `types` and its whole value is a type. A word behind the type begins
/// another option, whose comma is missing.
fn type_option(input: ParseStream<'_>, types: &[&str]) -> Option<Meta> {
    let ahead = input.fork();
    let key = ahead.call(Ident::parse_any).ok().filter(|key| types.iter().any(|name| key.unraw() == name))?;
    let eq_token = ahead.parse().ok()?;
    let ty: Type = ahead.parse().ok()?;
    if !ahead.is_empty() && !ahead.peek(Token![,]) && !ahead.peek(Ident::peek_any) {
        return None;
    }
    input.advance_to(&ahead);
    Some(Meta::NameValue(MetaNameValue {
        path: key.into(),
        eq_token,
        value: Expr::Verbatim(ty.into_token_stream()),
    }))
}

fn begins_with_literal(tokens: &TokenStream, message: &str, errors: &mut Errors) -> bool {
    let Some(TokenTree::Literal(literal)) = tokens.clone().into_iter().next() else { return false };
    errors.at(literal, message);
    true
}

/// Reads each option once; one that is given twice is reported and passed over. It is not generic, so it is compiled once
/// for all tables.
fn each(
    parsed: syn::Result<Punctuated<Meta, Token![,]>>,
    ending: &str,
    errors: &mut Errors,
    read: &mut dyn FnMut(&str, &Meta, &mut Errors) -> syn::Result<()>,
) -> Vec<String> {
    let mut seen: Vec<String> = Vec::new();
    let parsed = parsed.map_err(|error| match error.span().source_text().as_deref() {
        Some(":") => syn::Error::new(error.span(), NO_COLON),
        _ => error,
    });
    for meta in errors.take(parsed).into_iter().flatten() {
        let written = meta_name(&meta);
        let name = written.strip_suffix(ending).unwrap_or(&written).to_owned();
        if seen.contains(&name) {
            errors.at(meta.path(), format_args!("`{written}` is given twice; keep one of them"));
            continue;
        }
        let result = read(&name, &meta, errors);
        errors.take(result);
        seen.push(name);
    }
    seen
}

const NO_COLON: &str =
    "write `=` between an option and its value; the values of a hook or a guardrail have no names";

/// An option as it was written: `key`, `key = value` or `key(..)`.
pub(crate) struct WrittenOption<'a> {
    pub(crate) meta: &'a Meta,
    pub(crate) errors: &'a mut Errors,
}

impl WrittenOption<'_> {
    /// The value of `key = value`.
    pub(crate) fn value(&self, example: &str) -> syn::Result<Expr> {
        match self.meta {
            Meta::NameValue(pair) => Ok(pair.value.clone()),
            other => Err(wanted("a value is wanted here", other, example)),
        }
    }

    /// A value that may be text.
    pub(crate) fn words(&self, example: &str) -> syn::Result<Expr> {
        let value = self.value(example)?;
        match &value {
            Expr::Lit(ExprLit { lit: Lit::Str(_), .. }) => Ok(value),
            Expr::Lit(ExprLit { lit, .. }) => Err(wanted("text in quotes is wanted here", lit, example)),
            _ => Ok(value),
        }
    }

    /// The text of `key = "text"`.
    pub(crate) fn text(&self, example: &str) -> syn::Result<LitStr> {
        match self.value(example)? {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Ok(text),
            other => Err(wanted("text in quotes is wanted here", other, example)),
        }
    }

    /// Returns whether `key` or `key = true` is set.
    pub(crate) fn flag(&self) -> syn::Result<bool> {
        match self.meta {
            Meta::Path(_) => Ok(true),
            Meta::NameValue(pair) => match &pair.value {
                Expr::Lit(ExprLit { lit: Lit::Bool(LitBool { value, .. }), .. }) => Ok(*value),
                other => Err(syn::Error::new_spanned(other, "`true` or `false` is wanted here")),
            },
            Meta::List(list) => Err(syn::Error::new_spanned(
                list,
                format_args!("write `{0}` alone, or `{0} = false`", meta_name(self.meta)),
            )),
        }
    }

    /// The place of an option that is a word alone.
    pub(crate) fn alone(&self, message: &str) -> syn::Result<Span> {
        match self.meta {
            Meta::Path(path) => Ok(path.span()),
            other => Err(syn::Error::new_spanned(other, message)),
        }
    }

    /// The path of `key = path`.
    pub(crate) fn path(&self, example: &str) -> syn::Result<Path> {
        let place = match self.meta {
            Meta::NameValue(pair) => match &pair.value {
                Expr::Path(value) => return Ok(value.path.clone()),
                other => other.to_token_stream(),
            },
            other => other.to_token_stream(),
        };
        let write =
            suggest::unquoted(self.meta, example, |text| text.parse_with(Path::parse_mod_style).is_ok());
        Err(syn::Error::new_spanned(place, format_args!("a path is wanted here: {write}")))
    }

    /// The type of `key = Type`. The key has to be in [`Table::types`].
    pub(crate) fn ty(&self, example: &str) -> syn::Result<Type> {
        let place = match self.meta {
            Meta::NameValue(pair) => match &pair.value {
                Expr::Verbatim(tokens) => match syn::parse2(tokens.clone()) {
                    Ok(ty) if is_of_a_value(&ty) => return Ok(ty),
                    _ => tokens.clone(),
                },
                other => other.to_token_stream(),
            },
            other => other.to_token_stream(),
        };
        let is_type = |text: &LitStr| text.parse().is_ok_and(|ty| is_of_a_value(&ty));
        let write = suggest::unquoted(self.meta, example, is_type);
        Err(syn::Error::new_spanned(place, format_args!("a type is wanted here: {write}")))
    }

    /// The one word of `key = word`.
    pub(crate) fn name(&self, example: &str) -> syn::Result<Ident> {
        let path = self.path(example)?;
        path.get_ident().cloned().ok_or_else(|| wanted("a name is wanted here", path, example))
    }

    /// The entries of `key = [..]`.
    pub(crate) fn list(&self, example: &str) -> syn::Result<Vec<Expr>> {
        match self.value(example)? {
            Expr::Array(list) => Ok(list.elems.into_iter().collect()),
            other => Err(wanted("a list in brackets is wanted here", other, example)),
        }
    }

    /// A count such as `max_calls = 3`, or a constant.
    pub(crate) fn count(&self, example: &str) -> syn::Result<Expr> {
        let value = self.value(example)?;
        if let Some(error) = number::digits(&value).and_then(number::with_unit) {
            return Err(error);
        }
        let counts = match &value {
            Expr::Lit(ExprLit { lit: Lit::Int(int), .. }) => {
                int.base10_parse::<u32>().is_ok_and(|most| most > 0)
            }
            Expr::Lit(_) | Expr::Unary(_) => false,
            _ => true,
        };
        if counts {
            return Ok(value);
        }
        let most = match &value {
            Expr::Lit(ExprLit { lit: Lit::Int(int), .. }) if int.base10_digits() != "0" => {
                format!(" to {}", u32::MAX)
            }
            _ => String::new(),
        };
        Err(wanted(&format!("a whole number from 1{most} is wanted here"), &value, example))
    }

    /// A time: `key = "30s"`.
    pub(crate) fn time(&self, example: &str) -> syn::Result<Timeout> {
        let value = self.value(example)?;
        let Expr::Lit(ExprLit { lit, .. }) = &value else { return Ok(Timeout::Duration(Box::new(value))) };
        let wrong = || syn::Error::new_spanned(lit, TIME);
        if number::unit(lit).is_some() {
            let written = lit.to_token_stream();
            return Err(match millis(&written.to_string()) {
                Some(_) => syn::Error::new_spanned(
                    lit,
                    format_args!("a time with a unit is text: write `\"{written}\"`"),
                ),
                None => wrong(),
            });
        }
        let millis = match lit {
            Lit::Int(seconds) => {
                seconds.base10_parse::<u64>().ok().and_then(|seconds| seconds.checked_mul(1000))
            }
            Lit::Float(seconds) => seconds.base10_parse::<f64>().ok().and_then(whole_millis),
            Lit::Str(text) => millis(&text.value()),
            _ => None,
        };
        millis.filter(|millis| *millis > 0).map(Timeout::Millis).ok_or_else(wrong)
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

/// The error for a value of another kind.
fn wanted(what: &str, found: impl ToTokens, example: &str) -> syn::Error {
    syn::Error::new_spanned(found, format_args!("{what}: `{example}`"))
}

const TIME: &str = "a time is wanted here: seconds (`30`), text (`\"500ms\"`, `\"30s\"`, `\"2m\"`, `\"1h\"`) or a constant \
                    `Duration`";

/// The time that something may take.
pub(crate) enum Timeout {
    Millis(u64),
    Duration(Box<Expr>),
}

/// Takes out the options whose text has no quotes, as in `description = Adds one`, and reports each at its first word.
fn unquoted_texts(tokens: TokenStream, texts: &[&str], errors: &mut Errors) -> TokenStream {
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
            errors.at(first, format_args!("write text in quotes: `{key} = \"{}\"`", words.join(" ")));
        } else {
            kept.extend(option.iter().cloned());
        }
    }
    kept
}

/// The name of an option, as it is written without `r#`.
pub(crate) fn meta_name(meta: &Meta) -> String {
    meta.path().get_ident().map_or_else(
        || meta.path().to_token_stream().to_string().replace(' ', ""),
        |ident| syn::ext::IdentExt::unraw(ident).to_string(),
    )
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
