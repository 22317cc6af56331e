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
use crate::keys::{Key, Options, Parsed, find};
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
        let (options, wrong) = self.options(tokens);
        if let Err(wrong) = wrong {
            errors.report(wrong);
        }
        options
    }

    /// Reads the options in the parentheses of another one.
    pub(crate) fn read_inside<O: Options>(&self, tokens: TokenStream) -> darling::Result<O> {
        let (options, wrong) = self.options(tokens);
        wrong.map(|()| options)
    }

    /// The options that can be read, and the errors in the others. darling gives no value beside an error, so each
    /// option is read alone, and then the right ones together.
    fn options<O: Options>(&self, tokens: TokenStream) -> (O, darling::Result<()>) {
        let (mut right, mut seen, mut errors) = (Vec::new(), Vec::new(), darling::Error::accumulator());
        for option in errors.handle(self.parse::<O>(tokens)).into_iter().flatten() {
            right.extend(errors.handle(self.read_alone::<O>(option, &mut seen)));
        }
        (O::from_list(&right).unwrap_or_default(), errors.finish())
    }

    /// An option that can be read, as darling knows it.
    fn read_alone<O: Options>(
        &self,
        mut option: Meta,
        seen: &mut Vec<String>,
    ) -> darling::Result<NestedMeta> {
        let written = meta_name(&option);
        let name = self.key_name(&written).to_owned();
        if seen.contains(&name) {
            let message = format_args!("`{written}` is given twice; keep one of them");
            return Err(error_at(option.path(), message));
        }
        let key = find(self.keys, &name);
        seen.push(name.clone());
        let Some(key) = key else { return Err(error_at(option.path(), self.unknown(&name, &written))) };
        if is_without_value(&option) {
            let message = match key.form() {
                word if word == key.name => format!("write `{written}` alone"),
                form => format!("expected a value: `{form}`"),
            };
            return Err(error_at(&option, message));
        }
        rename(&mut option, &name);
        let option = NestedMeta::Meta(option);
        let read = O::from_list(std::slice::from_ref(&option));
        read.map(|_| option).map_err(|error| with_form(error, key.form()))
    }

    /// The name of a key without the ending that some people write.
    fn key_name<'n>(&self, written: &'n str) -> &'n str {
        written.strip_suffix(self.ending).unwrap_or(written)
    }

    /// Parses options. A value that is not meant as an expression is kept as [`Expr::Verbatim`].
    fn parse<O: Options>(&self, tokens: TokenStream) -> darling::Result<Punctuated<Meta, Token![,]>> {
        let first = tokens.clone().into_iter().next();
        if let (Some(message), Some(TokenTree::Literal(literal))) = (self.literal, first) {
            return Err(error_at(literal, message));
        }
        let options = |input: ParseStream<'_>| {
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
        };
        options.parse2(tokens).map_err(|error| match error.span().source_text().as_deref() {
            Some(":") => darling::Error::custom(NO_COLON).with_span(&error.span()),
            _ => error.into(),
        })
    }

    /// The option `key = Type`, `key = Words without quotes`, `key = -1` or `key =` without a value. A word after a type begins another
    /// option, whose comma is missing. syn reads a number below 0 at the end as one literal, which has the place of its sign.
    fn verbatim<O: Options>(&self, input: ParseStream<'_>) -> Option<Meta> {
        let ahead = input.fork();
        let key = ahead.call(Ident::parse_any).ok()?;
        let eq_token = ahead.parse().ok()?;
        let value = match O::parsed(self.key_name(&key.unraw().to_string())) {
            _ if ahead.is_empty() || ahead.peek(Token![,]) => Expr::Verbatim(TokenStream::new()),
            _ if ahead.peek(Token![-]) => ahead.parse().ok()?,
            Parsed::Type => {
                let ty: Type = ahead.parse().ok()?;
                let is_whole = ahead.is_empty() || ahead.peek(Token![,]) || ahead.peek(Ident::peek_any);
                is_whole.then(|| Expr::Verbatim(ty.into_token_stream()))?
            }
            Parsed::Text if ahead.peek(Ident::peek_any) && ahead.peek2(Ident::peek_any) => {
                let mut words = TokenStream::new();
                while !ahead.is_empty() && !ahead.peek(Token![,]) {
                    words.extend([ahead.parse::<TokenTree>().ok()?]);
                }
                Expr::Verbatim(words)
            }
            Parsed::Expr | Parsed::Text => return None,
        };
        input.advance_to(&ahead);
        Some(Meta::NameValue(MetaNameValue { path: key.into(), eq_token, value }))
    }

    fn unknown(&self, name: &str, written: &str) -> String {
        match self.elsewhere.iter().find(|(known, _)| *known == name) {
            Some((_, instead)) => (*instead).to_owned(),
            None => {
                let names: Vec<_> = self.keys.iter().map(|key| key.name).collect();
                suggest::unknown(self.what, written, &names)
            }
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
    mut read: impl FnMut(T) -> darling::Result<U>,
) -> darling::Result<Vec<U>> {
    let mut errors = darling::Error::accumulator();
    let values = items.into_iter().filter_map(|item| errors.handle(read(item))).collect();
    errors.finish_with(values)
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
fn with_form(error: darling::Error, form: &str) -> darling::Error {
    let with_form = |error: darling::Error| {
        let (span, message) = (error.span(), message(error));
        let form = if message.ends_with(' ') { format!("`{form}`") } else { String::new() };
        darling::Error::custom(message + &form).with_span(&span)
    };
    darling::Error::multiple(error.flatten().into_iter().map(with_form).collect())
}
