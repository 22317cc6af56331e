//! An invocation that names cards: `pub card = "cards/pmo.md", crate = my::onionskin`.

use proc_macro2::{Span, TokenStream};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{Ident, LitStr, Path, Token, Visibility, bracketed, token};

/// An invocation that names cards.
#[cfg_attr(not(feature = "cards"), expect(dead_code, reason = "without the feature, the key is reported"))]
pub(crate) struct Invocation {
    pub(crate) vis: Visibility,
    /// The place of the word `card`.
    pub(super) key: Span,
    pub(crate) paths: Vec<LitStr>,
    pub(crate) crate_path: Option<Path>,
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
        let key = word.span();
        let mut invocation = Self { vis, key, paths: paths(input)?, crate_path: None };
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
    /// Reads an invocation that names a workflow folder: `pub "workflows/Generator", crate = my::onionskin`.
    ///
    /// # Errors
    /// Returns what to write instead.
    pub(crate) fn workflow(input: ParseStream<'_>) -> syn::Result<Self> {
        let vis = input.parse()?;
        if input.peek(token::Bracket) {
            return Err(input.error("a `workflow!` names one folder: write another one for each"));
        }
        let path = input.parse::<LitStr>().map_err(|error| {
            let message = "the folder of a workflow is wanted here, as a string: `\"workflows/Generator\"`";
            syn::Error::new(error.span(), message)
        })?;
        let mut invocation = Self { vis, key: path.span(), paths: vec![path], crate_path: None };
        while !input.is_empty() {
            input.parse::<Token![,]>().map_err(|error| {
                syn::Error::new(
                    error.span(),
                    "a comma is missing before this: `\"workflows/Generator\", crate = my_onionskin`",
                )
            })?;
            if input.is_empty() {
                break;
            }
            let word = input.call(Ident::parse_any)?;
            if word != "crate" {
                let message = format!(
                    "`{word}` belongs in the files of the workflow: beside its folder there is `crate = ..` only"
                );
                return Err(syn::Error::new(word.span(), message));
            }
            invocation.set_crate(&word, input)?;
        }
        Ok(invocation)
    }

    /// Expands it with the folder that its paths begin at. `subject` is what the paths name: `a card`.
    #[cfg(feature = "cards")]
    pub(crate) fn expand(
        &self,
        subject: &str,
        in_folder: impl FnOnce(&std::path::Path, &Self) -> TokenStream,
    ) -> TokenStream {
        if let Some(base) = std::env::var_os("CARGO_MANIFEST_DIR") {
            return in_folder(base.as_ref(), self);
        }
        let message = format!(
            "the path of {subject} begins at the folder of `Cargo.toml`, which Cargo names in `CARGO_MANIFEST_DIR`; compile with Cargo"
        );
        syn::Error::new(self.paths[0].span(), message).into_compile_error()
    }

    /// The error of a crate without the feature. `need` says what needs it: `agents in cards need`.
    #[cfg(not(feature = "cards"))]
    pub(crate) fn without_reader(&self, need: &str) -> TokenStream {
        let message = format!("{need} their reader: enable feature `cards` of onionskin");
        syn::Error::new(self.paths[0].span(), message).into_compile_error()
    }

    /// `crate = path`, whose first word was read.
    fn set_crate(&mut self, word: &Ident, input: ParseStream<'_>) -> syn::Result<()> {
        if self.crate_path.is_some() {
            return Err(syn::Error::new(word.span(), "`crate` is given twice; keep one of them"));
        }
        equals(input, "crate = my_onionskin")?;
        let path = input.call(Path::parse_mod_style);
        let message = "a path is wanted here: `crate = my_onionskin`";
        self.crate_path = Some(path.map_err(|error| syn::Error::new(error.span(), message))?);
        Ok(())
    }

    fn option(&mut self, input: ParseStream<'_>) -> syn::Result<()> {
        let word = input.call(Ident::parse_any)?;
        if word == "crate" {
            return self.set_crate(&word, input);
        }
        let message = match word.unraw().to_string().as_str() {
            "card" | "cards" => {
                "name several cards in a list: `card = [\"cards/a.md\", \"cards/b.md\"]`".to_owned()
            }
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
