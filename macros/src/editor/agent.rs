//! `agent!` as an editor sees it.

use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};
use quote::quote;

use super::probe::{self, Probes, between_commas, completes};
use super::{beside, is_punct};

/// The probes of an invocation, and its plain expansion.
pub(crate) fn agent(tokens: TokenStream, plain: TokenStream) -> TokenStream {
    let (mut agents, mut names) = (TokenStream::new(), Vec::new());
    let completes = completes(&tokens);
    for token in tokens {
        match token {
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
                let mut probes = Probes::new(probe::root(&group.stream()));
                probes.options("agent", &fields(group.stream()));
                agents.extend(probes.finish());
            }
            TokenTree::Ident(word) => names.push(word),
            _ => {}
        }
    }
    let beside = named(beside(plain, completes), &names);
    quote!(#agents #beside)
}

/// The types under their names as they were written. The plain expansion resolves them elsewhere, and an editor that goes to
/// one would go to the invocation as well.
fn named(beside: TokenStream, names: &[Ident]) -> TokenStream {
    let mut is_name = false;
    let named = beside.into_iter().map(|token| match token {
        TokenTree::Ident(word) if is_name => {
            is_name = false;
            TokenTree::Ident(names.iter().find(|name| **name == word).cloned().unwrap_or(word))
        }
        other => {
            is_name = matches!(&other, TokenTree::Ident(word) if word == "struct");
            other
        }
    });
    named.collect()
}

/// The fields, each with its key. What a comma inside of a value cut off is put together again.
fn fields(tokens: TokenStream) -> Vec<Vec<TokenTree>> {
    let mut fields: Vec<Vec<TokenTree>> = Vec::new();
    for part in between_commas(tokens) {
        let is_field = match &part[..] {
            [TokenTree::Ident(_)] => true,
            [TokenTree::Ident(_), colon, next, ..] => is_punct(colon, ':') && !is_punct(next, ':'),
            [TokenTree::Ident(_), colon] => is_punct(colon, ':'),
            _ => false,
        };
        match fields.last_mut() {
            Some(field) if !is_field => {
                field.extend(quote!(,));
                field.extend(part);
            }
            _ => fields.push(part),
        }
    }
    fields
}
