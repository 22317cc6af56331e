//! `agent!`: parse -> check, which makes the model -> expand.

mod ast;
mod check;
mod cycles;
mod expand;
mod field_reader;
mod fields;
mod headers;
mod list;
#[cfg(any(test, feature = "mcp-snapshot"))]
mod locked;
mod model;
mod parse;
mod prompt;
mod settings;
mod target;
mod value;
mod workflow_agent;

use proc_macro2::TokenStream;
use quote::quote;
use syn::ext::IdentExt;

use crate::diag::Errors;
use crate::item::is_reserved;
#[cfg(feature = "cards")]
pub(crate) use expand::{Words, runs};
#[cfg(feature = "cards")]
pub(crate) use workflow_agent::{UNTIL, WORDS};

/// Expands an invocation.
pub(crate) fn expand(tokens: TokenStream) -> TokenStream {
    let (agents, errors) = declared(tokens);
    let errors = errors.into_tokens();
    quote!(#agents #errors)
}

/// The agents of an invocation, and its mistakes. Each agent's type is written in any case, so that the rest of the program finds it.
pub(crate) fn declared(tokens: TokenStream) -> (TokenStream, Errors) {
    let mut errors = Errors::default();
    let agents = parse::agents(tokens, &mut errors);
    let models = check::check(&agents, &mut errors);
    if errors.is_empty() {
        return (models.iter().map(expand::agent).collect(), errors);
    }
    let first_of_its_name =
        |index: usize| !agents[..index].iter().any(|other| other.ident == agents[index].ident);
    let agents = agents.iter().zip(&models).enumerate().filter(|(index, (agent, _))| {
        first_of_its_name(*index) && !is_reserved(&agent.ident.unraw().to_string())
    });
    let shown = errors.to_tokens();
    let stand_in = |(_, (agent, model)): (_, (&parse::Agent, _))| {
        expand::stand_in(model, agent.lost_output().then_some(&shown))
    };
    (agents.map(stand_in).collect(), errors)
}
