//! The parts of the system prompt.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, ExprPath, LitStr};

use super::names::entry_span;
use crate::agent::model::{AgentModel, PartText, Piece, PromptEntry};

/// Gives the parts to the declaration.
pub(super) fn parts(agent: &AgentModel<'_>) -> TokenStream {
    let parts = agent.prompt.iter().map(|entry| part(entry, agent));
    quote!(#(#parts)*)
}

fn part(entry: &PromptEntry<'_>, agent: &AgentModel<'_>) -> TokenStream {
    let part = format_ident!("{}", entry.part);
    let part = quote!(__rt::PromptPart::#part);
    let set = match &entry.text {
        PartText::Text(text) if entry.part == "Instructions" => {
            let span = Span::call_site().located_at(text.span());
            let (method, text) = (Ident::new("instruction", span), words(text));
            return quote!(let __agent = __agent.#method(#text););
        }
        PartText::Text(text) => {
            let text = words(text);
            quote!(text(#part, #text))
        }
        PartText::Known => quote!(include(#part)),
        PartText::LeftOut => quote!(leave_out(#part)),
        PartText::Template(literal, pieces) => {
            let template = template(literal, pieces, &agent.state);
            quote!(text(#part, #template))
        }
        PartText::Function(path) => {
            let computed = computed(path);
            quote!(source(#part, #computed))
        }
        PartText::Closure(closure) => {
            let span = Span::call_site().located_at(closure.span());
            let closure = quote_spanned!(span=> __rt::by_closure(#closure));
            quote!(source(#part, #closure))
        }
    };
    quote!(let __agent = __agent.prompt(__rt::Prompt::new().#set);)
}

/// An expression that is text. For a literal there is nothing to check.
pub(super) fn words(text: &Expr) -> TokenStream {
    match text {
        Expr::Lit(_) => text.to_token_stream(),
        text => quote_spanned!(Span::call_site().located_at(text.span())=> __rt::Text::text(#text)),
    }
}

/// The compiler reports a field that is not there at the literal.
fn template(literal: &LitStr, pieces: &[Piece], state: &TokenStream) -> TokenStream {
    let span = Span::call_site().located_at(literal.span());
    let pieces = pieces.iter().map(|piece| match piece {
        Piece::Words(words) => quote!(__rt::TemplatePart::Text(#words)),
        Piece::Key(key) => quote!(__rt::TemplatePart::Key(#key)),
        Piece::Field(fields) => {
            quote_spanned!(span=> __rt::TemplatePart::Field(|__state: &#state| __rt::ShownInPrompt::shown(&__state #(.#fields)*)))
        }
    });
    quote!(__rt::template::<#state>([#(#pieces),*]))
}

/// A function of the run, also an async one. The type of a pointer says which parameter it has to take.
fn computed(path: &ExprPath) -> TokenStream {
    let span = entry_span(&path.path);
    let answer = quote_spanned! {span=>
        let __function: fn(&'run __rt::RunContext) -> _ = #path;
        __rt::PromptAnswer::boxed(__rt::Computed(__function(__run)).returned())
    };
    quote! {
        __rt::computed({
            fn __compute<'run>(__run: &'run __rt::RunContext) -> __rt::ComputedText<'run> {
                use __rt::ComputedNow as _;
                #answer
            }
            __compute
        })
    }
}
