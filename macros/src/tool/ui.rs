//! The options of `#[ui_tool(..)]` beside those of `#[tool(..)]`.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::LitStr;

use super::options::Options;
use crate::choice;
use crate::diag::Errors;

const MODES: choice::Choices = &[("inline", "Inline"), ("artifact", "Artifact")];

/// The component of a UI tool.
pub(crate) struct Ui {
    pub(crate) component: LitStr,
    /// The variant of the runtime's `UiMode`.
    pub(crate) mode: Ident,
}

impl Ui {
    /// Takes the options of a UI tool off, and returns the others. A missing one is reported at the function.
    pub(crate) fn take(
        options: TokenStream,
        function: &Ident,
        errors: &mut Errors,
    ) -> (Option<Self>, TokenStream) {
        let (mut component, mut mode, mut others) = (None, None, TokenStream::new());
        for option in split(options) {
            let word = word(&option).unwrap_or_default();
            if (word == "component" && component.is_some()) || (word == "mode" && mode.is_some()) {
                errors.at(&option[0], format_args!("`{word}` is given twice; keep one of them"));
                continue;
            }
            match (&*word, option.get(1)) {
                ("component", Some(TokenTree::Punct(_))) => {
                    component = Some(text(&option[2..], &option[0], errors));
                }
                ("mode", Some(TokenTree::Punct(_))) => {
                    mode = Some(variant(&option[2..], &option[0], errors));
                }
                ("mode", _) => {
                    errors.at(&option[0], "a mode is one word: `mode = inline` or `mode = artifact`");
                }
                ("component", _) => {
                    component = Some(None);
                    errors.at(
                        &option[0],
                        "name the component of the front end: `component = \"ColourPicker\"`",
                    );
                }
                _ => {
                    others.extend(option);
                    others.extend(quote::quote!(,));
                }
            }
        }
        if component.is_none() {
            let example =
                "name the component that the tool shows: `#[ui_tool(component = \"ColourPicker\")]`";
            errors.at(function, example);
        }
        let mode = mode.flatten().unwrap_or_else(|| Ident::new("Inline", Span::call_site()));
        (component.flatten().map(|component| Self { component, mode }), others)
    }
}

/// Reports options that a UI tool cannot have.
pub(super) fn check(options: &mut Options, errors: &mut Errors) {
    if let Some(external) = options.external {
        errors.push(
            external,
            "an `external` tool runs outside of the program and shows nothing here; write `#[tool(external)]`, or drop `external`",
        );
    } else if let Some(asks) = options.asks.take() {
        errors.push(asks, "a UI tool asks by itself; drop `asks`");
    } else if let Some(blocking) = options.blocking.take() {
        errors.push(
            blocking,
            "a UI tool waits for a person, and a `blocking` function cannot be paused; write an `async` function",
        );
    }
}

/// The options between the commas.
fn split(options: TokenStream) -> Vec<Vec<TokenTree>> {
    let tokens: Vec<_> = options.into_iter().collect();
    let is_comma = |token: &TokenTree| matches!(token, TokenTree::Punct(punct) if punct.as_char() == ',');
    tokens.split(is_comma).filter(|option| !option.is_empty()).map(<[_]>::to_vec).collect()
}

fn word(option: &[TokenTree]) -> Option<String> {
    match option.first()? {
        TokenTree::Ident(word) => Some(word.to_string()),
        _ => None,
    }
}

fn text(value: &[TokenTree], key: &TokenTree, errors: &mut Errors) -> Option<LitStr> {
    let tokens: TokenStream = value.iter().cloned().collect();
    match syn::parse2::<LitStr>(tokens) {
        Ok(text) if !text.value().trim().is_empty() => Some(text),
        found => {
            let at = found.map_or_else(|_| first(value, key), ToTokens::into_token_stream);
            errors.at(at, "the component is a text that is not empty: `component = \"ColourPicker\"`");
            None
        }
    }
}

fn variant(value: &[TokenTree], key: &TokenTree, errors: &mut Errors) -> Option<Ident> {
    let [TokenTree::Ident(word)] = value else {
        errors.at(first(value, key), "a mode is one word: `mode = inline` or `mode = artifact`");
        return None;
    };
    match choice::variant(MODES, "mode", &word.to_string(), word.span()) {
        Ok(variant) => Some(variant),
        Err(error) => {
            errors.push(word.span(), error);
            None
        }
    }
}

fn first(value: &[TokenTree], key: &TokenTree) -> TokenStream {
    value.first().unwrap_or(key).to_token_stream()
}
