//! An invocation that names cards: `pub card = "cards/pmo.md", crate = my::onionskin`.

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;
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
    /// Its mistake. The paths are known nevertheless, so that the rest of the program finds the agents.
    pub(super) mistake: Option<syn::Error>,
}

/// Whether the invocation names cards, and declares no agent itself.
pub(crate) fn names_cards(tokens: &TokenStream) -> bool {
    let begins = |input: ParseStream<'_>| {
        input.parse::<Visibility>()?;
        if begins_with_path(input) {
            input.parse::<TokenStream>()?;
            return Ok(true);
        }
        let word = input.call(Ident::parse_any)?;
        let begins = (word == "card" || word == "cards")
            && (input.peek(Token![=]) || input.peek(Token![:]) && !input.peek(Token![::]));
        input.parse::<TokenStream>()?;
        Ok(begins)
    };
    begins.parse2(tokens.clone()).unwrap_or(false)
}

/// Whether paths of cards are first, without the key.
fn begins_with_path(input: ParseStream<'_>) -> bool {
    let ahead = input.fork();
    if ahead.peek(token::Bracket) {
        let list = |input: ParseStream<'_>| {
            let content;
            bracketed!(content in input);
            Ok(content.peek(LitStr))
        };
        return list(&ahead).unwrap_or(false);
    }
    ahead.parse::<LitStr>().is_ok() && (ahead.is_empty() || ahead.peek(Token![,]))
}

impl Parse for Invocation {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let vis = input.parse()?;
        let mut invocation =
            Self { vis, key: input.span(), paths: Vec::new(), crate_path: None, mistake: None };
        if let Err(mistake) = invocation.read(input) {
            if invocation.paths.is_empty() {
                return Err(mistake);
            }
            invocation.mistake = Some(mistake);
            input.parse::<TokenStream>()?;
        }
        Ok(invocation)
    }
}

impl Invocation {
    /// Reads what follows the visibility.
    fn read(&mut self, input: ParseStream<'_>) -> syn::Result<()> {
        if begins_with_path(input) {
            let place = input.span();
            self.paths = paths(input)?;
            self.further_paths(input);
            let vis = match &self.vis {
                Visibility::Inherited => String::new(),
                vis => format!("{} ", vis.to_token_stream()),
            };
            let message = format!("write the key `card`: `agent!({vis}card = {})`", named(&self.paths));
            return Err(syn::Error::new(place, message));
        }
        let word = input.call(Ident::parse_any)?;
        let is_misnamed = word != "card";
        if is_misnamed && !input.peek(Token![=]) {
            return Err(misnamed(&word));
        }
        equals(input, "card = \"cards/pmo.md\"")?;
        self.paths = paths(input)?;
        if is_misnamed {
            return Err(misnamed(&word));
        }
        while !input.is_empty() {
            if input.peek(LitStr) || input.peek(Token![,]) && input.peek2(LitStr) {
                return Err(self.several(input));
            }
            input.parse::<Token![,]>().map_err(|error| {
                syn::Error::new(error.span(), "a comma is missing before this; agents that are written here belong in an `agent!` of their own")
            })?;
            if !input.is_empty() {
                self.option(input)?;
            }
        }
        Ok(())
    }

    /// The error at a path behind the value of the key.
    fn several(&mut self, input: ParseStream<'_>) -> syn::Error {
        let first = self.paths.len();
        self.further_paths(input);
        syn::Error::new(self.paths[first].span(), named_in_a_list(&self.paths))
    }

    /// Reads the paths that follow, with or without commas before them.
    fn further_paths(&mut self, input: ParseStream<'_>) {
        while input.peek(LitStr) || input.peek(Token![,]) && input.peek2(LitStr) {
            let _ = input.parse::<Token![,]>();
            self.paths.extend(input.parse::<LitStr>());
        }
    }

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
            let message = "expected a string, the path of a workflow's folder: `\"workflows/Generator\"`";
            syn::Error::new(error.span(), message)
        })?;
        let mut invocation =
            Self { vis, key: path.span(), paths: vec![path], crate_path: None, mistake: None };
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
                    "`{word}` belongs in the files of the workflow: beside its folder write only `crate = ..`"
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
        if let Some(base) = crate::package::folder() {
            return in_folder(&base, self);
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
        let message = "expected a path: `crate = my_onionskin`";
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
                if equals(input, "card = \"cards/pmo.md\"").is_ok() {
                    for path in paths(input).unwrap_or_default() {
                        if self.paths.iter().all(|known| known.value() != path.value()) {
                            self.paths.push(path);
                        }
                    }
                }
                match &*self.paths {
                    [_] => "`card` is given twice; keep one of them".to_owned(),
                    several => named_in_a_list(several),
                }
            }
            other if input.peek(token::Brace) => format!(
                "the agent `{other}` belongs in an `agent!` of its own: `agent! {{ {other} {{ .. }} }}`"
            ),
            other => {
                format!("`{other}` belongs in the card: beside `card = \"..\"` write only `crate = ..`")
            }
        };
        Err(syn::Error::new(word.span(), message))
    }
}

fn misnamed(word: &Ident) -> syn::Error {
    syn::Error::new(word.span(), "write `card`, also for several cards")
}

fn named_in_a_list(paths: &[LitStr]) -> String {
    format!("name several cards in a list: `card = {}`", named(paths))
}

/// The value of the key for these paths, as it is written.
fn named(paths: &[LitStr]) -> String {
    let paths: Vec<String> = paths.iter().map(|path| path.to_token_stream().to_string()).collect();
    match &*paths {
        [path] => path.clone(),
        several => format!("[{}]", several.join(", ")),
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
        let message = "expected a string, the path of a card or of a folder of cards: `\"cards/pmo.md\"`";
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
