//! From an invocation to the agents of the folder and the type of the workflow.

use std::path::{Path, PathBuf};

use onionskin_cards::{DeckError, Problem, Workflow};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};

use super::items::{check, in_order};
use crate::agent::{Words, runs};
use crate::card::{Cards, Invocation, located, looked_at, refused, type_name};
use crate::paths::Runtime;
use crate::warnings::warnings;

/// Expands an invocation whose path begins at this folder.
pub(super) fn in_folder(base: &Path, invocation: &Invocation) -> TokenStream {
    let path = &invocation.paths[0];
    let span = located(path);
    let read = Workflow::read(base, Path::new(&path.value()));
    let workflow = match read.and_then(|workflow| check(&workflow).map(|()| workflow)) {
        Ok(workflow) => workflow,
        Err(error) => return stand_in(base, &error, invocation),
    };
    let ty = type_name(&workflow.name);
    let Ok(ident) = syn::parse_str::<Ident>(&ty) else {
        let message = format!(
            "the workflow becomes a type of the program, and `{ty}` cannot be the name of one: give its folder the name of a type, such as \
             `Generator`"
        );
        return syn::Error::new(path.span(), message).into_compile_error();
    };
    if let Some(card) = workflow.deck.cards.iter().find(|card| type_name(&card.name.value) == ty) {
        let message = format!("the workflow is the type `{ty}` already; give this agent another name");
        let problem = Problem { message, span: card.name.span.clone() };
        return stand_in(base, &deck_error(&workflow, vec![problem]), invocation);
    }
    let cards = Cards::new(workflow.deck.clone());
    let agents = match cards.expand(invocation, span) {
        Ok(agents) => agents,
        Err(problems) => {
            let problems = problems.into_iter().map(|(_, problem)| problem).collect();
            return stand_in(base, &deck_error(&workflow, problems), invocation);
        }
    };
    let types = workflow.deck.cards.iter().map(|card| {
        let ty = type_name(&card.name.value);
        syn::parse_str::<Ident>(&ty).unwrap_or_else(|_| Ident::new("__Agent", span)).to_token_stream()
    });
    let declared = declared(
        &ident,
        invocation,
        &Parts {
            name: workflow.name.clone(),
            agents: types.collect(),
            initial_message: workflow.initial_message.as_ref().map(|message| message.value.clone()),
        },
    );
    let warnings = warnings(workflow.warning_lines(), span);
    let files = looked_at(workflow.files.iter().map(PathBuf::as_path), span);
    quote!(#agents #declared #files #warnings)
}

fn deck_error(workflow: &Workflow, problems: Vec<Problem>) -> DeckError {
    DeckError::new(vec![in_order(workflow, problems)], workflow.deck.names())
}

/// The errors, and types for the workflow and its agents, so that the rest of the program finds them.
fn stand_in(base: &Path, error: &DeckError, invocation: &Invocation) -> TokenStream {
    let folder = base.join(invocation.paths[0].value());
    let name = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    // An agent of the workflow's name would be a second type of it.
    let others = error.names().iter().filter(|agent| type_name(agent) != type_name(&name));
    let others = DeckError::new(error.errors().to_vec(), others.cloned().collect());
    let refused = refused(&others, invocation);
    let declared = syn::parse_str::<Ident>(&type_name(&name)).ok().map(|ident| {
        let parts = Parts { name, agents: Vec::new(), initial_message: Some(String::new()) };
        declared(&ident, invocation, &parts)
    });
    quote!(#declared #refused)
}

/// What the workflow's type shows.
struct Parts {
    name: String,
    /// The types of the agents.
    agents: Vec<TokenStream>,
    initial_message: Option<String>,
}

/// The workflow's type.
fn declared(ident: &Ident, invocation: &Invocation, parts: &Parts) -> TokenStream {
    let Parts { name, agents, initial_message } = parts;
    let span = located(&invocation.paths[0]);
    let ty = Ident::new(&ident.to_string(), span);
    let (vis, root) = (&invocation.vis, Runtime::new(invocation.crate_path.clone()).private());
    let words = format!("The workflow `{name}`.");
    let initial = initial_message.iter().map(|message| quote!(.initial_message(#message)));
    let runs = runs(span, false, &Words::WORKFLOW);
    let begin = initial_message.as_ref().map(|_| begin(span));
    quote_spanned! {span=>
        #[doc = #words]
        #[allow(dead_code)]
        #[derive(::core::fmt::Debug, ::core::clone::Clone, ::core::marker::Copy, ::core::default::Default)]
        #vis struct #ty {}

        #[allow(clippy::all, clippy::pedantic, unused_qualifications)]
        const _: () = {
            use #root as __rt;

            #[allow(dead_code)]
            impl #ty {
                /// The name of the workflow: that of its folder.
                pub const NAME: &'static ::core::primitive::str = #name;

                /// Begins to build all agents of the workflow: give them a model, states, services and servers, then `.build().await`. The
                /// start agent is the entry.
                pub fn builder() -> __rt::AppBuilder {
                    __rt::App::builder() #(.agent::<#agents>())* #(#initial)*
                }

                #runs
                #begin
            }
        };
    }
}

/// A run without an input of the program.
fn begin(span: Span) -> TokenStream {
    quote_spanned! {span=>
        /// As `run`, with the initial message of the workflow as the input.
        ///
        /// Cancel safety: as `run`.
        ///
        /// # Errors
        /// As `run`.
        pub async fn begin() -> ::core::result::Result<__rt::RunOutput, __rt::RunError> {
            Self::builder().begin().await
        }
    }
}
