//! `agent!`: parse -> check -> expand.

mod ast;
mod check;
mod expand;
mod onion;
mod parse;
mod target;
mod toolboxes;
mod value;

use proc_macro2::TokenStream;
use quote::quote;
use syn::ext::IdentExt;

use crate::diag::Errors;
use crate::item::is_reserved;

/// Expands an invocation. Whatever is wrong, each agent's type stands, so that the rest of the program
/// still sees it.
pub(crate) fn expand(tokens: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let agents = parse::agents(tokens, &mut errors);
    check::check(&agents, &mut errors);
    if errors.is_empty() {
        let agents = agents.iter().map(expand::agent);
        return quote!(#(#agents)*);
    }
    let first_of_its_name =
        |index: usize| !agents[..index].iter().any(|other| other.ident == agents[index].ident);
    let agents = agents
        .iter()
        .enumerate()
        .filter(|(index, agent)| first_of_its_name(*index) && !is_reserved(&agent.ident.unraw().to_string()));
    let agents = agents.map(|(_, agent)| expand::stand_in(agent));
    let errors = errors.into_tokens();
    quote!(#(#agents)* #errors)
}
