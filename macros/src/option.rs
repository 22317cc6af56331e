//! Reads the options of attributes with darling, and reports what is wrong with them in our words.

use darling::ast::NestedMeta;
use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::discouraged::Speculative;
use syn::parse::{ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{Expr, Meta, MetaNameValue, Token, Type};

use crate::diag::{Errors, message};
use crate::keys::{Key, Options, Parsed, find, names};
use crate::suggest;

pub(crate) mod read;

/// The options of an attribute, or of one option that holds others.
#[derive(Clone, Copy)]
pub(crate) struct Table<'t> {
    /// The word for an option in errors.
    pub(crate) what: &'static str,
    pub(crate) keys: &'t [Key],
    /// The error for options that begin with a literal.
    pub(crate) literal: Option<&'static str>,
    /// An ending that some people write behind each key.
    pub(crate) ending: &'static str,
    /// Keys of other macros and other places, and what to write instead.
    pub(crate) elsewhere: &'static [(&'static str, &'static str)],
}

impl<'t> Table<'t> {
    /// A table without anything special.
    pub(crate) const fn new(what: &'static str, keys: &'t [Key]) -> Self {
        Self { what, keys, literal: None, ending: "", elsewhere: &[] }
    }

    /// Reads the options of an attribute that are correct.
    pub(crate) fn read<O: Options>(&self, tokens: TokenStream, errors: &mut Errors) -> O {
        let (options, found) = self.options(tokens);
        if !found.is_empty() {
            errors.report(darling::Error::multiple(found));
        }
        options.unwrap_or_default()
    }

    /// Reads the options in the parentheses of another one.
    pub(crate) fn read_inside<O: Options>(&self, tokens: TokenStream) -> darling::Result<O> {
        let (options, found) = self.options(tokens);
        if found.is_empty() { options } else { Err(darling::Error::multiple(found)) }
    }

    /// The options, those that can be read, and the errors in the others.
    fn options<O: Options>(&self, tokens: TokenStream) -> (darling::Result<O>, Vec<darling::Error>) {
        let mut errors = Vec::new();
        let named = self.named::<O>(tokens, &mut errors);
        let (keys, mut options): (Vec<_>, Vec<_>) = named.into_iter().unzip();
        let read = O::from_list(&options);
        if read.is_ok() {
            return (read, errors.into_iter().map(|(_, error)| error).collect());
        }
        // darling gives no value beside an error, so each option is read alone, and then the right ones together.
        let mut keys = keys.into_iter();
        options.retain(|option| {
            let Some((at, key)) = keys.next() else { return true };
            let wrong = O::from_list(std::slice::from_ref(option)).err();
            let is_right = wrong.is_none();
            errors.extend(
                wrong.into_iter().flat_map(|error| with_form(error, key.form())).map(|error| (at, error)),
            );
            is_right
        });
        errors.sort_by_key(|(at, _)| *at);
        (O::from_list(&options), errors.into_iter().map(|(_, error)| error).collect())
    }

    /// The options with a key of this table, each with its place and its key. Errors have the place of their option.
    fn named<O: Options>(
        &self,
        tokens: TokenStream,
        errors: &mut Vec<(usize, darling::Error)>,
    ) -> Vec<((usize, &'t Key), NestedMeta)> {
        let first = tokens.clone().into_iter().next();
        if let (Some(message), Some(TokenTree::Literal(literal))) = (self.literal, first) {
            errors.push((0, error_at(literal, message)));
            return Vec::new();
        }
        let parsed = match (|input: ParseStream<'_>| self.parse::<O>(input)).parse2(tokens) {
            Ok(parsed) => parsed,
            Err(error) => {
                let is_colon = error.span().source_text().as_deref() == Some(":");
                let no_colon = || darling::Error::custom(NO_COLON).with_span(&error.span());
                errors.push((0, if is_colon { no_colon() } else { error.into() }));
                return Vec::new();
            }
        };
        let (mut named, mut seen) = (Vec::new(), Vec::new());
        for (at, mut option) in parsed.into_iter().enumerate() {
            let written = meta_name(&option);
            let name = self.key_name(&written).to_owned();
            if seen.contains(&name) {
                let message = format_args!("`{written}` is given twice; keep one of them");
                errors.push((at, error_at(option.path(), message)));
                continue;
            }
            match find(self.keys, &name) {
                Some(key) if is_without_value(&option) => {
                    let message = match key.form() {
                        word if word == key.name => format!("write `{written}` alone"),
                        form => format!("expected a value: `{form}`"),
                    };
                    errors.push((at, error_at(&option, message)));
                }
                Some(key) => {
                    rename(&mut option, &name);
                    named.push(((at, key), NestedMeta::Meta(option)));
                }
                None => errors.push((at, error_at(option.path(), self.unknown(&name, &written)))),
            }
            seen.push(name);
        }
        named
    }

    /// The name of a key without the ending that some people write.
    fn key_name<'n>(&self, written: &'n str) -> &'n str {
        written.strip_suffix(self.ending).unwrap_or(written)
    }

    /// Parses options. A value that is not meant as an expression is kept as [`Expr::Verbatim`].
    fn parse<O: Options>(&self, input: ParseStream<'_>) -> syn::Result<Punctuated<Meta, Token![,]>> {
        let mut options = Punctuated::new();
        while !input.is_empty() {
            options.push_value(match self.verbatim::<O>(input) {
                Some(option) => option,
                None => input.parse()?,
            });
            if !input.is_empty() {
                options.push_punct(input.parse()?);
            }
        }
        Ok(options)
    }

    /// The option `key = Type`, `key = Words without quotes`, or `key =` without a value. A word after a type begins another option,
    /// whose comma is missing.
    fn verbatim<O: Options>(&self, input: ParseStream<'_>) -> Option<Meta> {
        let ahead = input.fork();
        let key = ahead.call(Ident::parse_any).ok()?;
        let eq_token = ahead.parse().ok()?;
        let tokens = match O::parsed(self.key_name(&key.unraw().to_string())) {
            _ if ahead.is_empty() || ahead.peek(Token![,]) => TokenStream::new(),
            Parsed::Type => {
                let ty: Type = ahead.parse().ok()?;
                let is_whole = ahead.is_empty() || ahead.peek(Token![,]) || ahead.peek(Ident::peek_any);
                is_whole.then(|| ty.into_token_stream())?
            }
            Parsed::Text if ahead.peek(Ident::peek_any) && ahead.peek2(Ident::peek_any) => {
                let mut words = TokenStream::new();
                while !ahead.is_empty() && !ahead.peek(Token![,]) {
                    words.extend([ahead.parse::<TokenTree>().ok()?]);
                }
                words
            }
            Parsed::Expr | Parsed::Text => return None,
        };
        input.advance_to(&ahead);
        Some(Meta::NameValue(MetaNameValue { path: key.into(), eq_token, value: Expr::Verbatim(tokens) }))
    }

    fn unknown(&self, name: &str, written: &str) -> String {
        match self.elsewhere.iter().find(|(known, _)| *known == name) {
            Some((_, instead)) => (*instead).to_owned(),
            None => suggest::unknown(self.what, written, &names(self.keys)),
        }
    }
}

const NO_COLON: &str =
    "write `=` between an option and its value; the values of a hook or a guardrail have no names";

/// The name of an option, as it is written without `r#`.
pub(crate) fn meta_name(meta: &Meta) -> String {
    meta.path().get_ident().map_or_else(
        || meta.path().to_token_stream().to_string().replace(' ', ""),
        |ident| ident.unraw().to_string(),
    )
}

/// Whether nothing is behind `key =`.
fn is_without_value(option: &Meta) -> bool {
    matches!(option, Meta::NameValue(MetaNameValue { value: Expr::Verbatim(tokens), .. }) if tokens.is_empty())
}

/// Calls an option as darling knows it.
fn rename(option: &mut Meta, name: &str) {
    let path = match option {
        Meta::Path(path) => path,
        Meta::List(list) => &mut list.path,
        Meta::NameValue(pair) => &mut pair.path,
    };
    if let Some(ident) = path.get_ident() {
        *path = Ident::new(name, ident.span()).into();
    }
}

/// Reads each item. The error combines the errors of all items.
pub(crate) fn each<T, U>(
    items: impl IntoIterator<Item = T>,
    read: impl FnMut(T) -> darling::Result<U>,
) -> darling::Result<Vec<U>> {
    let (mut values, mut errors) = (Vec::new(), Vec::new());
    for result in items.into_iter().map(read) {
        match result {
            Ok(value) => values.push(value),
            Err(error) => errors.push(error),
        }
    }
    if errors.is_empty() { Ok(values) } else { Err(darling::Error::multiple(errors)) }
}

/// The error at all of these tokens. An error of darling's has one span, and stable rustc joins no spans: so an error
/// without words behind it is at its last token.
pub(crate) fn error_at(tokens: impl ToTokens, message: impl std::fmt::Display) -> darling::Error {
    let mut spans = tokens.into_token_stream().into_iter().map(|token| token.span());
    let first = darling::Error::custom(message).with_span(&spans.next().unwrap_or_else(Span::call_site));
    match spans.last() {
        Some(last) => darling::Error::multiple(vec![first, darling::Error::custom("").with_span(&last)]),
        None => first,
    }
}

/// Shows how the option is written where a message ends with a space.
fn with_form(error: darling::Error, form: &str) -> impl Iterator<Item = darling::Error> {
    error.flatten().into_iter().map(move |error| {
        let (span, message) = (error.span(), message(error));
        let form = if message.ends_with(' ') { format!("`{form}`") } else { String::new() };
        darling::Error::custom(message + &form).with_span(&span)
    })
}
