//! Reads the options of attributes with darling, and reports what is wrong with them in our words.

use darling::FromMeta;
use darling::ast::NestedMeta;
use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::discouraged::Speculative;
use syn::parse::{ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{Expr, Meta, MetaNameValue, Token, Type};

use crate::diag::{Errors, message};
use crate::keys::{Key, find, names};
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

    /// Reads the options of an attribute, as far as they are right.
    pub(crate) fn read<O: FromMeta + Default>(&self, tokens: TokenStream, errors: &mut Errors) -> O {
        let (right, checked) = self.sort(tokens, wrong::<O>);
        if let Err(error) = checked {
            errors.report(error);
        }
        O::from_list(&right).unwrap_or_default()
    }

    /// Reads the options in the parentheses of another one.
    pub(crate) fn read_inside<O: FromMeta>(&self, tokens: TokenStream) -> darling::Result<O> {
        let (right, checked) = self.sort(tokens, wrong::<O>);
        checked?;
        O::from_list(&right)
    }

    /// The options that can be read, and the errors in the others. Each is read alone first: darling gives no value beside an
    /// error.
    fn sort(
        &self,
        tokens: TokenStream,
        wrong: fn(&NestedMeta) -> Option<darling::Error>,
    ) -> (Vec<NestedMeta>, darling::Result<()>) {
        let first = tokens.clone().into_iter().next();
        if let (Some(message), Some(TokenTree::Literal(literal))) = (self.literal, first) {
            return (Vec::new(), Err(error_at(literal, message)));
        }
        let parsed = match parse_options.parse2(tokens) {
            Ok(parsed) => parsed,
            Err(error) if error.span().source_text().as_deref() == Some(":") => {
                return (Vec::new(), Err(darling::Error::custom(NO_COLON).with_span(&error.span())));
            }
            Err(error) => return (Vec::new(), Err(error.into())),
        };
        let (mut right, mut seen, mut errors) = (Vec::new(), Vec::new(), darling::Error::accumulator());
        for mut option in parsed {
            let written = meta_name(&option);
            let name = written.strip_suffix(self.ending).unwrap_or(&written).to_owned();
            if seen.contains(&name) {
                errors.push(error_at(
                    option.path(),
                    format_args!("`{written}` is given twice; keep one of them"),
                ));
                continue;
            }
            match find(self.keys, &name) {
                Some(key) => {
                    rename(&mut option, &name);
                    let option = NestedMeta::Meta(option);
                    match wrong(&option) {
                        Some(error) => errors.extend(with_form(error, key.form())),
                        None => right.push(option),
                    }
                }
                None => errors.push(error_at(option.path(), self.unknown(&name, &written))),
            }
            seen.push(name);
        }
        (right, errors.finish())
    }

    fn unknown(&self, name: &str, written: &str) -> String {
        match self.elsewhere.iter().find(|(known, _)| *known == name) {
            Some((_, instead)) => (*instead).to_owned(),
            None => suggest::unknown(self.what, written, &names(self.keys)),
        }
    }
}

/// The error in one option.
fn wrong<O: FromMeta>(option: &NestedMeta) -> Option<darling::Error> {
    O::from_list(std::slice::from_ref(option)).err()
}

/// Reads options. A value that is not meant as an expression is kept as [`Expr::Verbatim`].
fn parse_options(input: ParseStream<'_>) -> syn::Result<Punctuated<Meta, Token![,]>> {
    let mut options = Punctuated::new();
    while !input.is_empty() {
        options.push_value(match verbatim(input) {
            Some(option) => option,
            None => input.parse()?,
        });
        if !input.is_empty() {
            options.push_punct(input.parse()?);
        }
    }
    Ok(options)
}

/// The options whose value is a type: as an expression, `Vec<i64>` is two comparisons.
const TYPES: [&str; 1] = ["state"];

/// The options whose value is text, which some people write without quotes.
const TEXTS: [&str; 4] = ["name", "title", "description", "instructions"];

/// The option `key = Type`, or `key = Words without quotes`. A word behind a type begins another option, whose comma is missing.
fn verbatim(input: ParseStream<'_>) -> Option<Meta> {
    let ahead = input.fork();
    let key = ahead.call(Ident::parse_any).ok()?;
    let eq_token = ahead.parse().ok()?;
    let tokens = if TYPES.iter().any(|name| key.unraw() == name) {
        let ty: Type = ahead.parse().ok()?;
        let is_whole = ahead.is_empty() || ahead.peek(Token![,]) || ahead.peek(Ident::peek_any);
        is_whole.then(|| ty.into_token_stream())?
    } else if TEXTS.iter().any(|name| key == name)
        && ahead.peek(Ident::peek_any)
        && ahead.peek2(Ident::peek_any)
    {
        let mut words = TokenStream::new();
        while !ahead.is_empty() && !ahead.peek(Token![,]) {
            words.extend([ahead.parse::<TokenTree>().ok()?]);
        }
        words
    } else {
        return None;
    };
    input.advance_to(&ahead);
    Some(Meta::NameValue(MetaNameValue { path: key.into(), eq_token, value: Expr::Verbatim(tokens) }))
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

/// Reads each item; the error is those of all items.
pub(crate) fn each<T, U>(
    items: impl IntoIterator<Item = T>,
    read: impl FnMut(T) -> darling::Result<U>,
) -> darling::Result<Vec<U>> {
    let mut errors = darling::Error::accumulator();
    let read = items.into_iter().map(read).filter_map(|result| errors.handle(result)).collect();
    errors.finish_with(read)
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
