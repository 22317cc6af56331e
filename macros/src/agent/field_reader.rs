//! Reads the value of one field of an agent: [`Field`] is the field while it is read. `fields` is the table of all fields.

use onionskin_vocabulary::server_data::PatternField;
use onionskin_vocabulary::{Word as _, messages};
use proc_macro2::{Ident, Span, TokenTree};
use syn::parse::ParseStream;
use syn::{Expr, Token, braced, token};

use super::ast::{HookEntry, ServerHeaders, ServerPatterns};
use super::list::{hook_around, pattern};
use super::value::{entries, header, list, table, word};
use crate::diag::Errors;

/// A field whose value is read next.
pub(super) struct Field<'a> {
    pub(super) key: &'a Ident,
    pub(super) input: ParseStream<'a>,
    pub(super) errors: &'a mut Errors,
}

impl Field<'_> {
    /// A bracketed list. `example` is an item of it.
    pub(super) fn list<T>(
        &mut self,
        example: &str,
        item: impl Fn(ParseStream<'_>) -> syn::Result<T>,
    ) -> syn::Result<Vec<T>> {
        list(self.input, self.key, &format!("{}: [{example}]", self.key), self.errors, item)
    }

    /// A bracketed list of paths. `item` takes the name of the list and an example of an item.
    pub(super) fn paths<T>(
        &mut self,
        example: &str,
        item: impl Fn(ParseStream<'_>, &str, &str) -> syn::Result<T>,
    ) -> syn::Result<Vec<T>> {
        let key = self.key.to_string();
        self.list(example, |input| item(input, &key, example))
    }

    /// A list of hooks that take no filter.
    pub(super) fn hooks_around(&mut self, example: &str, sees: &str) -> syn::Result<Vec<HookEntry>> {
        self.paths(example, |input, key, example| hook_around(input, key, example, sees))
    }

    /// `{ key: value, .. }`.
    pub(super) fn table(&mut self, example: &str) -> syn::Result<Vec<(Ident, Expr)>> {
        table(self.input, self.key, example, self.errors)
    }

    /// `{ server: [glob, ..] }`.
    pub(super) fn patterns(&mut self, field: PatternField) -> syn::Result<Vec<ServerPatterns>> {
        let Self { key, input, errors } = self;
        let (part, example) = (field.part(), field.example());
        if !input.peek(token::Brace) {
            let span = input.parse::<TokenTree>().map_or(key.span(), |found| found.span());
            return Err(syn::Error::new(span, field.other_form()));
        }
        let content;
        braced!(content in input);
        entries(&content, errors, |content, errors| {
            let server = word(content)?;
            if !content.peek(Token![:]) {
                return Err(syn::Error::new(
                    server.span,
                    format!("the {part} of this server follow: `{example}`"),
                ));
            }
            content.parse::<Token![:]>()?;
            let at = Ident::new(part.word(), server.span);
            let patterns = list(content, &at, example, errors, |input| pattern(input, field))?;
            Ok((server, patterns))
        })
    }

    /// `{ server: { name: "value", .. } }`.
    pub(super) fn headers(&mut self) -> syn::Result<Vec<ServerHeaders>> {
        let Self { key, input, errors } = self;
        let entry = |input: ParseStream<'_>| {
            let name = word(input)?;
            if !input.peek(Token![:]) || input.peek(Token![::]) {
                let is_cut = input.peek(Token![-]);
                let message = if is_cut { messages::QUOTED_HEADER } else { messages::HEADERS_OF_SERVERS };
                return Err(syn::Error::new(name.span, message));
            }
            input.parse::<Token![:]>()?;
            Ok(name)
        };
        in_braces(input, key.span(), errors, |content, errors| {
            let server = entry(content)?;
            let span = server.span;
            let headers =
                in_braces(content, span, errors, |content, _| Ok((entry(content)?, header(content)?)))?;
            Ok((server, headers))
        })
    }
}

/// The entries in braces, of headers.
fn in_braces<T>(
    input: ParseStream<'_>,
    key: Span,
    errors: &mut Errors,
    read: impl Fn(ParseStream<'_>, &mut Errors) -> syn::Result<T>,
) -> syn::Result<Vec<T>> {
    if !input.peek(token::Brace) {
        let span = input.parse::<TokenTree>().map_or(key, |found| found.span());
        return Err(syn::Error::new(span, messages::HEADERS_OF_SERVERS));
    }
    let content;
    braced!(content in input);
    entries(&content, errors, read)
}
