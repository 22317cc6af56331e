//! The expansion for rust-analyzer, in place of the plain one.
//!
//! An editor asks an expansion for the meaning of each word that the user wrote: it looks for the tokens with the word's
//! span, and shows the meanings of all of them. The plain expansion uses a word many times, and gives its span to generated
//! tokens, so that rustc shows errors there. The expansion for the editor has three parts:
//!
//! 1. [Probes](probe): dead code that uses each of the user's words once, with the meaning that it has for the user:
//!    an entry of `function_tools` is the function, a key is a documented constant of `onionskin::__private0::keys`.
//! 2. The user's item, as it was written.
//! 3. The plain expansion beside it, for the rest of the program. Its blocks have no span of the user's words.
//!
//! For completion, rust-analyzer adds a made-up word at the cursor, expands again, and goes on at the same offset in both
//! expansions. So the probes come first, and hold the same text up to the cursor, however little of the input makes sense: they
//! are made from tokens, not from the result of the macro's parser.
//!
//! `cfg(rust_analyzer)` does not serve: both expansions would be in one file, where the editor looks the words up in either
//! of them; and the compiler would read the editor's part, and warn of an unexpected `cfg`.

mod agent;
mod attribute;
mod item;
mod probe;
mod table;
#[cfg(test)]
mod tests;

use std::sync::OnceLock;

use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};

pub(crate) use agent::agent;
pub(crate) use attribute::Attribute;

/// Returns whether rust-analyzer expands the macro. It runs macros in a process of its own.
pub(crate) fn asks() -> bool {
    static ASKS: OnceLock<bool> = OnceLock::new();
    *ASKS.get_or_init(|| {
        let program = std::env::current_exe().ok();
        let name = program.as_deref().and_then(|program| program.file_stem()?.to_str());
        name.is_some_and(|name| name.starts_with("rust-analyzer"))
    })
}

/// The part of the plain expansion beside the user's item. Its groups lose the spans of the user's words. `completes`: the user
/// completes a word, so errors mean nothing.
fn beside(plain: TokenStream, completes: bool) -> TokenStream {
    let plain = if completes { without_errors(plain) } else { plain };
    let mut kept = Vec::new();
    for token in plain {
        match token {
            // An error is shown at the user's word.
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace && !ends_with(&kept, '!') => {
                kept.push(TokenTree::Group(unplaced_group(&group)));
            }
            other => kept.push(other),
        }
    }
    kept.into_iter().collect()
}

/// The tokens without `::core::compile_error! { .. }`.
fn without_errors(tokens: TokenStream) -> TokenStream {
    let mut kept = Vec::new();
    let mut tokens = tokens.into_iter();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Ident(word) if word == "compile_error" => {
                while ends_with(&kept, ':') || kept.last().is_some_and(|token| token.to_string() == "core") {
                    kept.pop();
                }
                tokens.by_ref().take(2).for_each(drop);
            }
            TokenTree::Group(group) => {
                let mut inside = Group::new(group.delimiter(), without_errors(group.stream()));
                inside.set_span(group.span());
                kept.push(TokenTree::Group(inside));
            }
            other => kept.push(other),
        }
    }
    kept.into_iter().collect()
}

fn ends_with(tokens: &[TokenTree], mark: char) -> bool {
    matches!(tokens.last(), Some(TokenTree::Punct(punct)) if punct.as_char() == mark)
}

/// The same tokens, resolved as they were, at no word of the user's.
fn unplaced(tokens: TokenStream) -> TokenStream {
    let here = Span::call_site();
    let unplaced = tokens.into_iter().map(|token| match token {
        TokenTree::Group(group) => TokenTree::Group(unplaced_group(&group)),
        mut other => {
            other.set_span(other.span().located_at(here));
            other
        }
    });
    unplaced.collect()
}

fn unplaced_group(group: &Group) -> Group {
    let mut unplaced = Group::new(group.delimiter(), self::unplaced(group.stream()));
    unplaced.set_span(group.span().located_at(Span::call_site()));
    unplaced
}

fn is_punct(token: &TokenTree, mark: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == mark)
}
