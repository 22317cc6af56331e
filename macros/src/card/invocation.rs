//! An invocation that names cards: `pub card = "cards/pmo.md", crate = my::onionskin`.

use proc_macro2::TokenStream;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{Ident, LitStr, Path, Token, Visibility, bracketed, token};

/// An invocation that names cards.
#[cfg_attr(not(feature = "cards"), expect(dead_code, reason = "without the feature, the key is reported"))]
pub(super) struct Invocation {
    pub(super) vis: Visibility,
    /// The word `card`.
    pub(super) key: Ident,
    pub(super) paths: Vec<LitStr>,
    pub(super) crate_path: Option<Path>,
}

/// Whether the invocation names cards, and declares no agent itself.
pub(crate) fn names_cards(tokens: &TokenStream) -> bool {
    let begins = |input: ParseStream<'_>| {
        input.parse::<Visibility>()?;
        let word = input.call(Ident::parse_any)?;
        let begins = (word == "card" || word == "cards")
            && (input.peek(Token![=]) || input.peek(Token![:]) && !input.peek(Token![::]));
        input.parse::<TokenStream>()?;
        Ok(begins)
    };
    begins.parse2(tokens.clone()).unwrap_or(false)
}

impl Parse for Invocation {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let vis = input.parse()?;
        let word = input.call(Ident::parse_any)?;
        if word != "card" {
            return Err(syn::Error::new(word.span(), "the key is called `card`, also for several cards"));
        }
        equals(input, "card = \"cards/pmo.md\"")?;
        let mut invocation = Self { vis, key: word, paths: paths(input)?, crate_path: None };
        while !input.is_empty() {
            input.parse::<Token![,]>().map_err(|error| {
                syn::Error::new(error.span(), "a comma is missing before this; agents that are written here belong in an `agent!` of their own")
            })?;
            if !input.is_empty() {
                invocation.option(input)?;
            }
        }
        Ok(invocation)
    }
}

impl Invocation {
    fn option(&mut self, input: ParseStream<'_>) -> syn::Result<()> {
        let word = input.call(Ident::parse_any)?;
        if word == "crate" && self.crate_path.is_none() {
            equals(input, "crate = my_onionskin")?;
            let path = input.call(Path::parse_mod_style);
            let message = "a path is wanted here: `crate = my_onionskin`";
            self.crate_path = Some(path.map_err(|error| syn::Error::new(error.span(), message))?);
            return Ok(());
        }
        let message = match word.unraw().to_string().as_str() {
            "card" | "cards" => {
                "name several cards in a list: `card = [\"cards/a.md\", \"cards/b.md\"]`".to_owned()
            }
            "crate" => "`crate` is given twice; keep one of them".to_owned(),
            other if input.peek(token::Brace) => format!(
                "the agent `{other}` belongs in an `agent!` of its own: `agent! {{ {other} {{ .. }} }}`"
            ),
            other => {
                format!("`{other}` belongs in the card: beside `card = \"..\"` there is `crate = ..` only")
            }
        };
        Err(syn::Error::new(word.span(), message))
    }
}

fn equals(input: ParseStream<'_>, example: &str) -> syn::Result<()> {
    match input.parse::<Token![=]>() {
        Ok(_) => Ok(()),
        Err(error) => Err(syn::Error::new(error.span(), format!("write `{example}`"))),
    }
}

/// A path, or a list of them.
fn paths(input: ParseStream<'_>) -> syn::Result<Vec<LitStr>> {
    let path = |input: ParseStream<'_>| {
        let message =
            "the path of a card or of a folder with cards is wanted here, as a string: `\"cards/pmo.md\"`";
        input.parse::<LitStr>().map_err(|error| syn::Error::new(error.span(), message))
    };
    if !input.peek(token::Bracket) {
        return Ok(vec![path(input)?]);
    }
    let content;
    let brackets = bracketed!(content in input);
    let paths: Vec<_> =
        Punctuated::<LitStr, Token![,]>::parse_terminated_with(&content, path)?.into_iter().collect();
    if paths.is_empty() {
        let message = "the list names no card: `card = [\"cards/pmo.md\"]`";
        return Err(syn::Error::new(brackets.span.join(), message));
    }
    let is_twice = |at: &usize| paths[..*at].iter().any(|other| other.value() == paths[*at].value());
    if let Some(at) = (0..paths.len()).find(is_twice) {
        return Err(syn::Error::new(paths[at].span(), "this card is in the list twice; keep one"));
    }
    Ok(paths)
}
