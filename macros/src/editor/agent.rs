//! `agent!` as an editor sees it.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::quote;

use super::probe::{self, Probes, between_commas, completes};
use super::{beside, is_punct};

/// The probes of an invocation, and its plain expansion.
pub(crate) fn agent(tokens: TokenStream, plain: TokenStream) -> TokenStream {
    let mut agents = TokenStream::new();
    let completes = completes(&tokens);
    for token in tokens {
        let TokenTree::Group(group) = token else { continue };
        if group.delimiter() == Delimiter::Brace {
            let mut probes = Probes::new(probe::root(&group.stream()));
            probes.options("agent", &fields(group.stream()));
            agents.extend(probes.finish());
        }
    }
    let beside = beside(plain, completes);
    quote!(#agents #beside)
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
